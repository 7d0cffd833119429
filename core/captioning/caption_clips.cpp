#include "core/captioning/caption_clips.h"

#include "core/base/clock.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/captioning/caption_server.h"
#include "core/captioning/served_model.h"
#include "core/curation/clip_frames.h"
#include "core/curation/clip_work.h"
#include "core/curation/curated_folder.h"
#include "core/video/jpeg.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <vector>

namespace dailies::captioning {

namespace {

namespace fs = std::filesystem;
using curation::Caption;
using curation::CaptionStatus;
using curation::ClipRecord;

constexpr std::size_t kFailuresToGiveUp = 20;

/// Where no model is named, the command that serves one says which it is.
std::string keyOf(const CaptionJob& job) {
    auto settings = job.settings;
    if (settings.model.empty()) settings.model = job.serve;
    return settings.key();
}

class Captioning {
public:
    Captioning(const CaptionJob& job, const fs::path& log,
               const std::function<void(const CaptionProgress&)>& onProgress, const std::stop_token& stop,
               const CaptionLimits& limits)
        : m_job(job),
          m_settings(job.settings),
          m_onProgress(onProgress),
          m_stop(stop),
          m_limits(limits),
          m_key(keyOf(job)),
          m_clips(curation::keptClips(curation::loadCuratedFolder(job.folder, 0, stop))),
          m_captions(curation::loadCaptions(job.folder)),
          m_log(job.folder) {
        m_progress.clips = m_clips.size();
        m_progress.done = static_cast<std::size_t>(
            std::ranges::count_if(m_clips, [this](const ClipRecord& clip) { return !needsCaption(clip); }));
        if (m_progress.done < m_progress.clips) findServer(log);
    }

    CaptionSummary run() {
        const auto begin = std::chrono::steady_clock::now();
        curation::workOnClips(m_clips,
                              {.parent = fs::path(m_job.folder) / curation::kCaptionFolder,
                               .sharedBy = m_job.sharedBy,
                               .threads = static_cast<unsigned>(m_job.parallel),
                               .work = [this](const curation::ClipShare& share) { describeShare(share); },
                               .finish = [this] { writeCaptions(); },
                               .onWaiting =
                                   [this](std::size_t open) {
                                       report([&](CaptionProgress& progress) { progress.waiting = open; });
                                   }},
                              m_stop);
        if (!m_job.sharedBy.empty()) {
            m_log.discard();
            m_captions = curation::loadCaptions(m_job.folder);  // another task may have written it
        }
        return summary(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }

private:
    bool needsCaption(const ClipRecord& clip) const {
        const auto found = m_captions.find(clip.id);
        if (found == m_captions.end()) return clip.caption.empty() || m_job.again;
        const auto& caption = found->second;
        if (caption.status == CaptionStatus::ByHand) return false;
        if (caption.status == CaptionStatus::Failed) return true;
        return caption.settings != m_key && (!caption.isUsable() || m_job.again);
    }

    void findServer(const fs::path& log) {
        m_url = m_job.server.empty() ? kServedAt : m_job.server;
        if (!m_job.serve.empty()) {
            tell("starting the caption server: " + m_job.serve);
            m_served.emplace(m_job.serve, m_url, log);
            m_url = m_served->url();
            m_served->waitUntilReady(m_limits.start, m_stop);
        }
        if (m_settings.model.empty()) m_settings.model = firstModel();
    }

    std::string firstModel() const {
        const auto models = CaptionServer(m_url, m_limits.patience, m_stop).models();
        if (models.empty())
            throw Error("The caption server " + m_url + " names no model.", "Name the one to ask.");
        return models.front();
    }

    void describeShare(const curation::ClipShare& share) {
        curation::ClipFrames frames(m_job.folder);
        std::optional<CaptionServer> server;
        for (std::size_t i = share.first; i < share.first + share.count; ++i) {
            if (m_stop.stop_requested()) throw Cancelled();
            if (!needsCaption(m_clips[i])) continue;
            if (!server) server.emplace(m_url, m_limits.patience, m_stop, [this] { throwIfServerEnded(); });
            describe(m_clips[i], frames, *server);
        }
    }

    void describe(const ClipRecord& clip, curation::ClipFrames& frames, CaptionServer& server) {
        Caption caption{.text = {}, .status = CaptionStatus::Failed};
        std::int64_t tokens = 0;
        const auto jpegs = picturesOf(clip, frames, caption);
        if (!jpegs.empty()) {
            try {
                const auto answer = server.describe(m_settings, jpegs);
                caption = captionOf(answer);
                tokens = answer.tokens;
            } catch (const ClipRefused& refused) {
                caption.text = refused.full();
            }
        }
        caption.settings = m_key;
        caption.timeMs = unixMillis();
        m_log.add(clip.id, caption);
        count(clip, caption, tokens);
    }

    /// As the bytes of JPEG files.
    std::vector<std::string> picturesOf(const ClipRecord& clip, curation::ClipFrames& frames,
                                        Caption& caption) const {
        try {
            std::vector<std::string> jpegs;
            for (const auto& frame : frames.read(clip, m_settings.frames, m_settings.maxSide))
                jpegs.push_back(video::encodeJpeg(frame));
            return jpegs;
        } catch (const Error& error) {
            caption.text = error.full();
            return {};
        }
    }

    void throwIfServerEnded() const {
        if (!m_served) return;
        if (const auto end = m_served->endReason())
            throw Error("The caption server ended while it was asked: " + *end + ".",
                        "Its log says why. Captions are kept; the same job goes on.");
    }

    void count(const ClipRecord& clip, const Caption& caption, std::int64_t tokens) {
        bool isHopeless = false;
        report([&](CaptionProgress& progress) {
            ++progress.done;
            ++progress.asked;
            progress.tokens += tokens;
            m_failed += caption.status == CaptionStatus::Failed;
            isHopeless = m_failed == kFailuresToGiveUp && progress.asked == m_failed;
            if (!caption.isUsable())
                progress.told = clip.id + ": " + toText(caption.status) + ": " + caption.text;
        });
        if (isHopeless)
            throw Error("The first " + std::to_string(kFailuresToGiveUp) +
                        " clips all failed, the last because of this: " + caption.text);
    }

    void writeCaptions() {
        m_captions = m_log.merge();
        curation::writeCaptionFiles(m_job.folder, m_clips, m_captions);
        curation::saveChanges(m_job.folder, {.rules = curation::loadCurationConfig(m_job.folder).verdict},
                              m_stop);
    }

    CaptionSummary summary(double seconds) const {
        CaptionSummary all{.kept = m_clips.size(),
                           .asked = m_progress.asked,
                           .tokens = m_progress.tokens,
                           .seconds = seconds};
        for (const auto& clip : m_clips) {
            const auto found = m_captions.find(clip.id);
            const bool isKnown = found != m_captions.end();
            if (isKnown) ++all.statuses[static_cast<std::size_t>(found->second.status)];
            all.captioned += isKnown ? found->second.isUsable() : !clip.caption.empty();
        }
        return all;
    }

    void tell(const std::string& text) {
        report([&](CaptionProgress& progress) { progress.told = text; });
    }

    template <class Change>
    void report(const Change& change) {
        const std::lock_guard lock(m_mutex);
        m_progress.waiting = 0;
        m_progress.told.clear();
        change(m_progress);
        m_onProgress(m_progress);
    }

    const CaptionJob& m_job;
    CaptionSettings m_settings;  ///< with the model that is asked
    const std::function<void(const CaptionProgress&)>& m_onProgress;
    const std::stop_token& m_stop;
    const CaptionLimits& m_limits;
    std::string m_key;  ///< of what is asked, and of whom
    std::vector<ClipRecord> m_clips;
    curation::Captions m_captions;
    curation::CaptionLog m_log;
    std::optional<ServedModel> m_served;
    std::string m_url;

    std::mutex m_mutex;  ///< of what follows
    CaptionProgress m_progress;
    std::size_t m_failed = 0;
};

}  // namespace

std::string CaptionSummary::text() const {
    const auto number = [](std::size_t count) { return grouped(static_cast<long long>(count)); };
    std::string text = number(captioned) + " of " + pluralize(static_cast<long long>(kept), "clip", "clips") +
                       " have a caption; " + number(asked) + " asked for now";
    if (seconds > 0 && tokens > 0)
        text += ", " + number(static_cast<std::size_t>(static_cast<double>(tokens) / seconds)) +
                " tokens a second";
    text += "\n";
    for (const auto status : {CaptionStatus::ByHand, CaptionStatus::Truncated, CaptionStatus::Refused,
                              CaptionStatus::Repeats, CaptionStatus::Empty, CaptionStatus::Failed})
        if (const auto count = statuses[static_cast<std::size_t>(status)]; count > 0)
            text += std::string("  ") + toText(status) + ": " + number(count) + "\n";
    return sanitizedText(text);
}

CaptionSummary captionClips(const CaptionJob& job, const fs::path& log,
                            const std::function<void(const CaptionProgress&)>& onProgress,
                            const std::stop_token& stop, const CaptionLimits& limits) {
    throwIfInvalid(job);
    return Captioning(job, log, onProgress, stop, limits).run();
}

}  // namespace dailies::captioning
