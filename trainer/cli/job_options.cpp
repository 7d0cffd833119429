#include "trainer/cli/job_options.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/sampling_job.h"
#include "trainer/parallel/dist_env.h"

#include <cstdlib>

namespace dailies::trainer {

Json readJobFile(const std::string& verb, const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file))
        throw InputError(verb + ": there is no file " + file.string() + ".");
    return parseJson(readFile(file), file.string());
}

void requireOneProcess(const std::string& verb) {
    const auto ranks = distEnvFrom([](const char* name) { return std::getenv(name); });
    if (ranks.size > 1)
        throw InputError(verb + ": found " + std::to_string(ranks.size) + " processes, expected one.",
                         "Ask Slurm for one task; array tasks share a job's work.");
}

std::int64_t wholeNumber(const std::string& text, const std::string& option) {
    const auto numbers = config::parseWholeNumbers(text, option);
    if (numbers.size() != 1) throw InputError(option + ": found " + text + ", expected a whole number.");
    return numbers.front();
}

}  // namespace dailies::trainer
