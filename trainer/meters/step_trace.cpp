#include "trainer/meters/step_trace.h"

#include "core/base/error.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

/// Stretches of time in nanoseconds, in order and apart from each other.
using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Stretches joined(Stretches stretches) {
    std::ranges::sort(stretches);
    Stretches result;
    for (const auto& [begin, end] : stretches) {
        if (result.empty() || begin > result.back().second)
            result.emplace_back(begin, end);
        else
            result.back().second = std::max(result.back().second, end);
    }
    return result;
}

Stretches common(const Stretches& one, const Stretches& other) {
    Stretches result;
    for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
        const auto begin = std::max(a->first, b->first), end = std::min(a->second, b->second);
        if (begin < end) result.emplace_back(begin, end);
        a->second < b->second ? ++a : ++b;
    }
    return result;
}

double secondsOf(const Stretches& stretches) {
    double sum = 0;
    for (const auto& [begin, end] : stretches) sum += static_cast<double>(end - begin);
    return sum / 1e9;
}

bool startsWithAny(const std::string& name, std::initializer_list<const char*> beginnings) {
    return std::ranges::any_of(beginnings,
                               [&](const char* beginning) { return name.starts_with(beginning); });
}

}  // namespace

StepTrace::StepTrace(at::Device device) : m_device(device) {
    const ProfilerConfig config(ProfilerState::KINETO);
    std::set<ActivityType> activities = {ActivityType::CPU};
    if (device.is_cuda()) activities.insert(ActivityType::CUDA);
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities);
}

StepTrace::~StepTrace() {
    if (m_recording) profiler::disableProfiler();
}

TracedStep StepTrace::finish(const std::filesystem::path& file) {
    m_recording = false;
    const auto result = profiler::disableProfiler();
    Stretches computing, communicating;
    for (const auto& event : result->events()) {
        const auto name = event.name();
        const bool onGpu = event.deviceType() == c10::DeviceType::CUDA;
        // a GPU's own time is that of its kernels; the host's part is only how they were asked for
        if (onGpu != m_device.is_cuda()) continue;
        if (startsWithAny(name, {"gloo:", "nccl"}))
            communicating.emplace_back(event.startNs(), event.endNs());
        else if (onGpu ? !startsWithAny(name, {"Mem"}) : startsWithAny(name, {"aten::"}))
            computing.emplace_back(event.startNs(), event.endNs());
    }
    computing = joined(std::move(computing));
    communicating = joined(std::move(communicating));
    std::error_code refused;
    std::filesystem::create_directories(file.parent_path(), refused);
    result->save(file.string());
    if (refused || !std::filesystem::is_regular_file(file))
        throw Error("The trace of a step could not be written to " + file.string() + ".",
                    "Make room on that disk, or leave runtime.trace_step at 0.");
    return {secondsOf(computing), secondsOf(communicating), secondsOf(common(computing, communicating))};
}

}  // namespace dailies::trainer
