#pragma once

#include "core/curation/clip_scoring_job.h"

#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

namespace dailies::trainer {

struct ClipScoringProgress {
    std::size_t clips = 0;    ///< to be scored, and those that were
    std::size_t done = 0;     ///< that need nothing more, as far as is known
    std::size_t asked = 0;    ///< by this call
    std::size_t failed = 0;   ///< of those
    std::size_t waiting = 0;  ///< shares that other tasks are at, while this call has nothing to do
    std::string told;         ///< news for a person; empty mostly
};

struct ClipScoringSummary {
    struct Range {
        double low = 0, median = 0, high = 0;  ///< the outer ones: 10th and 90th percentile
    };
    std::size_t clips = 0, scored = 0, failed = 0;
    std::size_t asked = 0;                     ///< by this call
    std::string firstProblem = {};             ///< of those that failed; empty: none did
    std::map<std::string, Range> values = {};  ///< by key: "aesthetic", "aesthetic/blur"

    std::string text() const;  ///< a few lines for a person, made harmless for a terminal
};

/// Asks a scorer about each clip that FOLDER keeps by its other rules and corrections, unless it has answered
/// for the same frames and caption. Each answer is kept as soon as it is known, so that a call ended at any
/// moment goes on when it is made again. At the end they stand in scores.jsonl and clips.jsonl, where a rule
/// (`VerdictRules::scores`) may drop clips by them.
///
/// Of a scorer that gives features each clip also gets `nearest`: the cosine similarity of its features
/// (their mean, of several windows) to those of the clip that they are most alike, among those that have more
/// pixels in all their frames, or as many and come first. A rule for at most so much of it drops near
/// duplicates and keeps the best of each. The features stay in FOLDER/features.
///
/// A clip that cannot be read or scored fails alone, and is tried again by the next call; where the first
/// twenty do, it is the work that fails. Several processes may share it (`ClipWork`).
///
/// `onProgress` is called from several threads, one at a time. Throws as `loadCuratedFolder`, `InputError`
/// for what is no scorer, `Error` where the folder cannot be written, and `Cancelled`.
ClipScoringSummary scoreClips(const curation::ClipScoringJob& job,
                              const std::function<void(const ClipScoringProgress&)>& onProgress,
                              const std::stop_token& stop = {});

}  // namespace dailies::trainer
