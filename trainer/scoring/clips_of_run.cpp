#include "trainer/scoring/clips_of_run.h"

#include "core/base/error.h"

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace dailies::trainer {

namespace {

using Clips = std::map<std::pair<std::int64_t, std::string>, events::Clip>;

std::optional<events::Event> eventOf(const std::string& line) {
    try {
        return events::decode(line);
    } catch (const InputError&) {
        return std::nullopt;  // torn by a kill, or being written
    }
}

/// What the tracking store does with the same events (core/tracking/ingestion.cpp).
class Gathering {
public:
    void add(const events::Event& event) {
        if (const auto* resume = std::get_if<events::Resume>(&event.payload)) {
            retractAbove(resume->fromStep);
            m_settledAttempt = event.attempt;
        }
        const auto* clip = std::get_if<events::Clip>(&event.payload);
        if (!clip) return;
        if (event.attempt > m_settledAttempt) {
            if (event.attempt > 1) m_clips.clear();  // it did not resume: it began anew
            m_settledAttempt = event.attempt;
        }
        m_clips[{clip->step, clip->path}] = *clip;
    }
    const Clips& clips() const { return m_clips; }

private:
    void retractAbove(std::int64_t step) {
        std::erase_if(m_clips, [&](const auto& entry) { return entry.first.first > step; });
    }

    Clips m_clips;
    std::int64_t m_settledAttempt = 0;
};

}  // namespace

std::vector<events::Clip> clipsOfRun(const std::filesystem::path& runFolder) {
    const auto file = runFolder / "events.jsonl";
    std::ifstream lines(file);
    if (!lines)
        throw InputError("run_folder: found " + runFolder.string() +
                         ", expected the directory of a run; it has no events.jsonl.");
    Gathering gathering;
    for (std::string line; std::getline(lines, line);)  // never the whole file: long runs log gigabytes
        if (const auto event = eventOf(line)) gathering.add(*event);
    std::vector<events::Clip> clips;
    for (const auto& [place, clip] : gathering.clips()) clips.push_back(clip);
    return clips;
}

}  // namespace dailies::trainer
