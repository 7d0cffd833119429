#include "ui/playback/frame_service.h"

#include "core/video/clip_proxy.h"

#include <algorithm>
#include <thread>
#include <unistd.h>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kGrowingMs = 3000;  ///< a file that has not changed for so long is whole
constexpr std::size_t kMaxFacts = 16384;

std::size_t usualCacheBytes() {
    const auto memory =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::clamp(memory / 16, std::size_t{256} << 20, std::size_t{2} << 30);
}

int decodeThreads() {
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 2u, 16u));
}

}  // namespace

std::shared_ptr<FrameService> FrameService::shared() {
    static std::weak_ptr<FrameService> instance;
    std::shared_ptr<FrameService> service = instance.lock();
    if (!service) {
        service.reset(new FrameService);
        instance = service;
    }
    return service;
}

FrameService::FrameService() : m_cache(usualCacheBytes()), m_pool(decodeThreads()) {
    m_clock.start();
    connect(&m_pool, &DecodePool::decoded, this, &FrameService::take);
    connect(&m_pool, &DecodePool::changed, this, &FrameService::forget);
}

void FrameService::setLimitMiB(std::int64_t mebibytes) {
    m_limitMiB = mebibytes;
    m_cache.setLimit(mebibytes > 0 ? static_cast<std::size_t>(mebibytes) << 20 : usualCacheBytes());
}

void FrameService::setProxyFolder(video::ProxyFolder folder) {
    m_proxyMaker = std::make_unique<ProxyMaker>(folder);
    connect(m_proxyMaker.get(), &ProxyMaker::made, this, &FrameService::handleProxyMade);
    m_pool.setProxyFolder(std::make_shared<const video::ProxyFolder>(std::move(folder)));
}

const std::string* FrameService::proxyOf(const std::string& file) const {
    const auto found = m_proxies.find(file);
    return found == m_proxies.end() ? nullptr : &found->second;
}

void FrameService::play(Requester player, const std::vector<PlaybackState>& shown,
                        std::vector<DecodeJob> wanted) {
    m_cache.setShown(shown, player);
    m_pool.setJobs(std::move(wanted), player);
}

void FrameService::leave(Requester player) {
    play(player, {}, {});
}

void FrameService::take(const std::vector<DecodedFrame>& frames) {
    bool factsChanged = false;
    for (const DecodedFrame& frame : frames) {
        if (video::isProxy(frame.key.file)) {
            takeProxy(frame);
            continue;
        }
        auto& known = m_facts[frame.key.file];
        if (known != frame.facts) {
            if (known && known->stamp != frame.facts->stamp) m_cache.forget(frame.key.file);
            known = frame.facts;
            factsChanged = true;
            handleFacts(frame.key.file, *known);
        }
        m_cache.insert(frame);
    }
    emit arrived(frames, factsChanged);
}

void FrameService::takeProxy(const DecodedFrame& frame) {
    if (frame.error.isEmpty()) return m_cache.insert(frame);
    // It made room for others, or is damaged: the clip's own frames do without.
    std::erase_if(m_proxies, [&](const auto& proxy) { return proxy.second == frame.key.file; });
}

void FrameService::handleFacts(const std::string& file, const ClipFacts& facts) {
    m_proxies.erase(file);
    if (facts.hasProxy)
        m_proxies[file] = facts.proxy;
    else if (!facts.proxy.empty() && m_proxyMaker && !isGrowing(file))
        m_proxyMaker->make({file, facts.stamp, facts.proxy});
}

void FrameService::handleProxyMade(const std::string& file, const FileStamp& stamp,
                                   const std::string& proxy) {
    const auto known = facts(file);
    if (!known || known->stamp != stamp) return;
    m_proxies[file] = proxy;
    emit changed();
}

// -- files

std::shared_ptr<const ClipFacts> FrameService::facts(const std::string& file) const {
    const auto known = m_facts.find(file);
    return known == m_facts.end() ? nullptr : known->second;
}

bool FrameService::isGrowing(const std::string& file) const {
    const auto found = m_changedMs.find(file);
    return found != m_changedMs.end() && m_clock.elapsed() - found->second < kGrowingMs;
}

void FrameService::checkForChanges(const std::vector<std::string>& files) {
    std::vector<std::pair<std::string, FileStamp>> stamps;
    for (const std::string& file : files)
        if (const auto known = facts(file)) stamps.emplace_back(file, known->stamp);
    std::vector<std::string> settled;
    for (const auto& [file, changedMs] : m_changedMs)
        if (m_clock.elapsed() - changedMs >= kGrowingMs) settled.push_back(file);
    for (const std::string& file : settled) {
        m_changedMs.erase(file);
        if (const auto known = facts(file)) handleFacts(file, *known);  // now it is worth a proxy
    }
    if (!settled.empty()) emit changed();
    // Those of the files on screen are among them, and are learnt again with their next frame.
    if (m_facts.size() > kMaxFacts) {
        m_facts.clear();
        m_proxies.clear();
    }
    m_pool.checkForChanges(std::move(stamps));
}

void FrameService::open(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        const auto known = facts(file);
        if (!known || known->isWhole() || !m_fetching.insert(file).second) continue;
        m_fetchErrors.erase(file);
        emit wanted(file);
    }
}

QString FrameService::fetchError(const std::string& file) const {
    const auto found = m_fetchErrors.find(file);
    return found == m_fetchErrors.end() ? QString() : found->second;
}

void FrameService::handlePartFetched(const std::string& file) {
    if (const auto known = facts(file)) m_pool.checkForChanges({{file, known->stamp}});
}

void FrameService::settle(const std::string& file, const QString& why) {
    m_fetching.erase(file);
    if (why.isEmpty())
        m_fetchErrors.erase(file);
    else
        m_fetchErrors[file] = why;
    handlePartFetched(file);
    emit changed();
}

void FrameService::forget(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        m_cache.forget(file);
        m_proxies.erase(file);
        const auto known = facts(file);
        if (!known || known->isWhole()) m_changedMs[file] = m_clock.elapsed();  // else it was fetched
    }
    emit changed();
}

void FrameService::retryErrors() {
    m_cache.forgetErrors();
    m_fetchErrors.clear();
    m_pool.closeFiles();
    emit changed();
}

}  // namespace dailies::ui
