#include "core/tracking/sampling_settings.h"

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"

#include <charconv>

namespace dailies::tracking {

namespace {

std::string paramOf(const Run& run, const char* key) {
    const auto found = run.params.find(key);
    return found == run.params.end() ? std::string() : found->second;
}

/// "3.0" and "3" are the same number.
std::string oneSpelling(const std::string& text) {
    const auto value = parseAs<double>(text);
    return value ? shortNumber(*value) : text;
}

}  // namespace

SamplingSettings samplingOf(const Run& run, std::int64_t step) {
    SamplingSettings settings{step, oneSpelling(paramOf(run, "sampling.guidance")),
                              oneSpelling(paramOf(run, "sampling.steps")), paramOf(run, "sampling.sampler"),
                              oneSpelling(paramOf(run, "data.frames"))};
    if (!run.tags.contains(tag::kSampledRun)) return settings;
    const std::string sampled = tagOf(run, tag::kSampledStep);
    std::from_chars(sampled.data(), sampled.data() + sampled.size(), settings.step);
    settings.frames = oneSpelling(paramOf(run, "sampling.frames"));
    if (const auto strength = paramOf(run, "sampling.strength"); !strength.empty())
        settings.strength = oneSpelling(strength);
    return settings;
}

}  // namespace dailies::tracking
