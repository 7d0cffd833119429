#pragma once

#include "core/base/json.h"
#include "trainer/cli/verbs.h"
#include "trainer/runtime/run_log.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

namespace dailies::trainer {

// What the verbs of jobs on runs share (sample, score, batch).

/// The job that a file tells. Throws `InputError` where there is none, and as `parseJson`.
Json readJobFile(const std::string& verb, const std::filesystem::path& file);

/// Throws `InputError` where Slurm started several processes.
void requireOneProcess(const std::string& verb);

/// The one number that an option has. Throws `InputError` that begins with its name.
std::int64_t wholeNumber(const std::string& text, const std::string& option);

/// Does a `Job` (SampleRun, ScoreRun, BatchView) that is made from `parts` and the log; its end, or why it
/// failed, closes the log. Returns the exit status.
template <class Job, class... Parts>
int runJob(RunLog& log, const Parts&... parts) {
    std::unique_ptr<Job> job;
    try {
        job = std::make_unique<Job>(parts..., log);
        const auto end = job->run();
        log.append(end);
        return end.status == "failed" ? kFailed : kDone;
    } catch (const std::exception& error) {
        log.append(events::End{"failed", job ? job->step() : 0, messageOf(error)});
        return report(error);
    }
}

}  // namespace dailies::trainer
