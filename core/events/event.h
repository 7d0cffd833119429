#pragma once

#include "core/base/json.h"
#include "core/events/certificate.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace dailies::events {

/// The payloads of events.jsonl, one struct a type. All paths are relative to the run directory, with '/'.

struct Start {            ///< the trainer began; first event of every attempt
    std::string trainer;  ///< version of dailies-train
    std::string host;     ///< of rank 0
    std::int64_t ranks = 1;
    std::string job;            ///< Slurm's "<jobid>" or "<arrayjobid>_<task>"; empty outside Slurm
    std::int64_t restarts = 0;  ///< SLURM_RESTART_COUNT
    Json facts;  ///< an object for the run page: parameters, tokens, device, torch, threads, …
};
struct Resume {  ///< this attempt goes on from a checkpoint: points above `from_step` of earlier attempts are
                 ///< void
    std::int64_t fromStep = 0;
};
struct Metrics {  ///< values at the end of `step`
    std::int64_t step = 0;
    std::map<std::string, double> values;
};
struct Clip {
    std::int64_t step = 0;
    std::string prompt;
    std::int64_t seed = 0;
    std::string path;
    std::int64_t frames = 0, height = 0, width = 0;
    double fps = 0;
    std::optional<double> adherence;  ///< 0..1 where the data can be read back
    /// What the clip was made from beside its prompt: "reference", "poses", … → a clip in the run's
    /// directory.
    std::map<std::string, std::string> inputs = {};
    /// What is told of each frame: "pose_error" → a number a frame.
    std::map<std::string, std::vector<double>> perFrame = {};
};
/// What a scorer says of a clip of another run, or of all that run's clips of a step together. It takes the
/// place of what the scorer said of them before.
struct Score {
    std::string run;  ///< whose clips
    std::int64_t step = 0;
    std::string path;                      ///< of the clip, in that run's directory; empty: of the step
    std::string scorer;                    ///< its name
    std::map<std::string, double> values;  ///< by metric: "score/aesthetic", "score/clip/similarity"
    std::string problem;                   ///< why there are none, for a person
};
struct Checkpoint {
    std::int64_t step = 0;
    std::string path;
    std::int64_t bytes = 0;
};
struct Health {        ///< something a person should see: a non-finite loss, skipped input, a slow disk
    std::string kind;  ///< "non_finite", "bad_input", "disk_full", …
    std::string text;
    std::optional<std::int64_t> step;
};
struct Message {
    std::string level;  ///< "info", "warning", "error"
    std::string text;
};
struct End {
    std::string status;  ///< "finished", "failed", "stopped" (asked to stop; a checkpoint was written)
    std::int64_t step = 0;
    std::string reason;  ///< for failed and stopped: what and why, for a person
};

using Payload =
    std::variant<Start, Resume, Certificate, Metrics, Clip, Score, Checkpoint, Health, Message, End>;

struct Event {
    std::int64_t seq = 0;      ///< 1, 2, 3, … over the life of the file, through all attempts
    std::int64_t attempt = 0;  ///< 1, 2, …
    double time = 0;           ///< unix seconds
    Payload payload;
};

/// One line of events.jsonl, without the line feed.
std::string encode(const Event& event);

/// Reads one line back. Unknown keys are ignored (a newer trainer may add some); an unknown type gives
/// nullopt; a line that is not a well-formed event throws `InputError`.
std::optional<Event> decode(std::string_view line);

}  // namespace dailies::events
