#include "remote/follow/mirror_budget.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/base/size_text.h"
#include "core/judging/judgement_records.h"
#include "core/video/clip_part.h"
#include "core/video/proxy_folder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sys/stat.h>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKey = "clip_mirror_gib";
constexpr std::int64_t kAbandoned =
    3600;  ///< seconds after which no program writes to a partial file any more

fs::path settingsFile() {
    return userConfigFolder() / "settings.json";
}

Json readSettings() {
    try {
        Json json = parseJson(readFile(settingsFile()), "settings.json");
        if (json.is_object()) return json;
    } catch (const Error&) {
        // None yet, or damaged: the defaults do.
    }
    return Json::object();
}

bool isPart(const fs::path& file) {
    return file.extension() == ".part";
}

/// Every regular file below the clips folders of runs, links aside.
void eachFile(const fs::path& mirror,
              const std::function<void(const std::string& runId, const fs::path& file)>& take) {
    std::error_code problem;
    for (fs::directory_iterator run(mirror, problem), end; !problem && run != end; run.increment(problem)) {
        const auto runId = run->path().filename().string();
        if (!isId(runId)) continue;
        std::error_code none;
        for (fs::recursive_directory_iterator at(run->path() / "clips", none), last; !none && at != last;
             at.increment(none)) {
            std::error_code gone;
            if (!at->is_symlink(gone) && at->is_regular_file(gone)) take(runId, at->path());
        }
    }
}

video::ProxyUsage proxiesOf(const fs::path& mirror) {
    // Only looked at: the desktop that makes them keeps them to their share.
    return video::ProxyFolder(video::ProxyFolder::below(mirror), 0, 0).use();
}

/// Files that the store has as clips; a person may have put others there.
std::set<std::string> recordedFiles(const tracking::Store& store, const fs::path& mirror) {
    std::vector<std::string> runIds;
    std::error_code problem;
    for (fs::directory_iterator run(mirror, problem), end; !problem && run != end; run.increment(problem))
        if (isId(run->path().filename().string())) runIds.push_back(run->path().filename().string());
    std::set<std::string> files;
    for (tracking::ClipRecord& clip : store.clips(runIds)) files.insert(std::move(clip.localPath));
    for (tracking::ClipInput& input : store.clipInputs(runIds)) files.insert(std::move(input.localPath));
    return files;
}

}  // namespace

MirrorLimits loadMirrorLimits() {
    MirrorLimits limits;
    const Json settings = readSettings();
    if (const auto size = settings.find(kKey); size != settings.end() && size->is_number())
        if (const double gibibytes = size->get<double>(); gibibytes > 0 && gibibytes < 1e9)
            limits.bytes = static_cast<std::uint64_t>(std::ldexp(gibibytes, 30));
    return limits;
}

void saveMirrorSize(double gibibytes) {
    if (!(gibibytes >= 0 && gibibytes < 1e9))
        throw InputError(
            "Invalid size for the clip mirror.",
            "Give it GiB, or 0 for the usual " + std::to_string(MirrorLimits::kDefaultBytes >> 30) + ".");
    Json settings = readSettings();
    settings[kKey] = gibibytes;
    writeFileAtomically(settingsFile(), settings.dump(2) + "\n");
}

std::string describe(const MirrorUsage& use, const MirrorLimits& limits) {
    std::string text =
        sizeText(use.bytes) + " of " + sizeText(limits.bytes) + ": " + std::to_string(use.clips) +
        (use.clips == 1 ? " clip" : " clips") +
        (use.heads > 0 ? ", and the beginnings of " + std::to_string(use.heads) + " that are on the cluster."
                       : ".");
    if (use.proxies > 0)
        text += " " + std::to_string(use.proxies) + (use.proxies == 1 ? " has" : " have") +
                " a proxy for seeking.";
    return text;
}

MirrorBudget::MirrorBudget(const tracking::Store& store, fs::path mirror, std::optional<MirrorLimits> limits)
    : m_store(store), m_mirror(std::move(mirror)), m_limits(limits) {}

MirrorLimits MirrorBudget::limits() const {
    return m_limits ? *m_limits : loadMirrorLimits();
}

MirrorUsage MirrorBudget::use() const {
    MirrorUsage use;
    eachFile(m_mirror, [&](const std::string&, const fs::path& file) {
        std::error_code gone;
        const auto bytes = fs::file_size(file, gone);
        if (gone) return;
        use.bytes += bytes;
        ++(isPart(file) ? use.heads : use.clips);
    });
    const auto proxies = proxiesOf(m_mirror);
    use.bytes += proxies.bytes;
    use.proxies = proxies.files;
    return use;
}

void MirrorBudget::refresh() {
    m_candidates.clear();
    std::uint64_t held = 0;
    const auto judged = judging::judgedClips(m_store);
    const auto known = recordedFiles(m_store, m_mirror);
    eachFile(m_mirror, [&](const std::string& runId, const fs::path& file) {
        struct stat found {};
        if (::stat(file.c_str(), &found) != 0) return;
        const auto bytes = static_cast<std::uint64_t>(found.st_size);
        held += bytes;
        const auto used = std::max<std::int64_t>(found.st_atim.tv_sec, found.st_mtim.tv_sec);
        const bool goes =
            isPart(file) ? used + kAbandoned < unixMillis() / 1000
                         : known.contains(fs::absolute(file).string()) &&
                               !judged.contains({runId, file.lexically_relative(m_mirror / runId).string()});
        if (goes) m_candidates.push_back({file, bytes, used});
    });
    std::ranges::sort(m_candidates, [](const Candidate& a, const Candidate& b) {
        return std::tie(a.used, a.file) > std::tie(b.used, b.file);
    });
    const auto chosen = limits();
    held += proxiesOf(m_mirror).bytes;  // clips make room for them, and not they for clips: they are few
    m_room = static_cast<std::int64_t>(chosen.bytes) - static_cast<std::int64_t>(held);
    std::error_code unknown;
    fs::path there = fs::absolute(m_mirror);
    while (!fs::exists(there, unknown) && there.has_relative_path()) there = there.parent_path();
    if (const auto disk = fs::space(there, unknown); !unknown)
        m_room = std::min(m_room, static_cast<std::int64_t>(disk.available) -
                                      static_cast<std::int64_t>(chosen.minFreeBytes));
}

bool MirrorBudget::makeRoom(std::uint64_t bytes, std::int64_t usedBefore) {
    const auto wanted = static_cast<std::int64_t>(bytes);
    std::int64_t reach = m_room;
    for (auto next = m_candidates.rbegin();
         next != m_candidates.rend() && reach < wanted && next->used < usedBefore; ++next)
        reach += static_cast<std::int64_t>(next->bytes);
    if (reach < wanted) return false;
    while (m_room < wanted && !m_candidates.empty() && m_candidates.back().used < usedBefore) {
        m_room += static_cast<std::int64_t>(video::shrinkToHead(m_candidates.back().file));
        m_candidates.pop_back();
    }
    if (m_room < wanted) return false;  // the first pictures of those that went take the rest
    m_room -= wanted;
    return true;
}

}  // namespace dailies::remote
