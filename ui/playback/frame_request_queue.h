#pragma once

#include "ui/playback/frame_cache.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

/// Who wants frames: each requester replaces its own jobs only.
using Requester = const void*;

/// Some frames of one clip that are wanted, in the order in which to decode them.
struct DecodeJob {
    std::string file;
    QSize box;
    std::vector<int> frames;
    double due = 0;  ///< seconds until the first of them is shown; 0: it is under the play head
    Requester requester = nullptr;  ///< the queue's own, as is
    std::uint64_t round = 0;        ///< the replacement that it came with
};

/// What is to be decoded, the most urgent first. Not added to but replaced whenever a play head moves: what
/// is no longer wanted is never decoded. One thread at a time.
class FrameRequestQueue {
public:
    using IsBusy = std::function<bool(const std::string& file)>;

    void replace(std::vector<DecodeJob> jobs, Requester requester = nullptr);

    /// Takes out the most urgent job whose clip is free; nullopt when there is none.
    std::optional<DecodeJob> take(const IsBusy& isBusy);

    /// Whether a job that was taken goes on with this frame: not when a later replacement asks for it no
    /// longer, and not when a picture under a play head, which this is not, waits for a free thread or for
    /// this very clip.
    bool shouldContinue(const DecodeJob& job, int frame, const IsBusy& isBusy) const;

    /// The frame is there, or on its way: it is not asked for any more.
    void drop(const FrameKey& key);

private:
    std::vector<DecodeJob> m_jobs;  ///< by due
    std::uint64_t m_round = 0;
    std::unordered_map<Requester, std::uint64_t> m_latest;  ///< each requester's last replacement
};

}  // namespace dailies::ui
