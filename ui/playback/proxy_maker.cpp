#include "ui/playback/proxy_maker.h"

#include "core/base/error.h"
#include "core/base/thread_priority.h"
#include "core/log/log.h"
#include "core/video/clip_proxy.h"

#include <utility>

namespace dailies::ui {

namespace {

/// Several walls: who scrolls over thousands of clips looks at the last of them.
constexpr std::size_t kMaxWanted = 256;

}  // namespace

ProxyMaker::ProxyMaker(video::ProxyFolder folder, QObject* parent)
    : QObject(parent),
      m_folder(std::move(folder)),
      m_thread([this](const std::stop_token& stop) { work(stop); }) {}

ProxyMaker::~ProxyMaker() {
    m_thread.request_stop();
    m_thread.join();
}

void ProxyMaker::make(Wanted wanted) {
    {
        const std::lock_guard lock(m_mutex);
        std::erase(m_wanted, wanted);
        m_wanted.push_back(std::move(wanted));
        if (m_wanted.size() > kMaxWanted) m_wanted.erase(m_wanted.begin());
    }
    m_wake.notify_one();
}

void ProxyMaker::work(const std::stop_token& stop) {
    minimizeThreadPriority();
    try {
        for (;;) {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, stop, [this] { return !m_wanted.empty(); })) return;
            const Wanted wanted = std::move(m_wanted.back());
            m_wanted.pop_back();
            lock.unlock();
            if (!makeOne(wanted, stop)) continue;
            QMetaObject::invokeMethod(
                this, [this, wanted] { emit made(wanted.clip, wanted.stamp, wanted.proxy); },
                Qt::QueuedConnection);
        }
    } catch (const Cancelled&) {
        // the program ends
    } catch (const std::exception& error) {
        log::warning("playback", std::string("No more proxies of clips are made: ") + error.what());
    }
}

bool ProxyMaker::makeOne(const Wanted& wanted, const std::stop_token& stop) const {
    std::error_code unknown;
    if (std::filesystem::exists(wanted.proxy, unknown)) return true;
    if (!m_folder.hasSpace()) throw Error("The disk is almost full.");
    // What changed since it was opened, or changes meanwhile, has another proxy.
    if (readStamp(wanted.clip) != wanted.stamp || !video::writeProxy(wanted.clip, wanted.proxy, stop))
        return false;
    m_folder.trim();
    return readStamp(wanted.clip) == wanted.stamp;
}

}  // namespace dailies::ui
