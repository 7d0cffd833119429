#include "app/terminal/launch_preview.h"

#include "core/base/text.h"

#include <cmath>
#include <cstdio>
#include <iostream>

namespace dailies::app {

namespace {

std::string hours(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 10 ? "%.2g" : "%.0f", value);
    return text;
}

void printCost(const remote::Forecast& forecast) {
    std::cout << '\n';
    if (!forecast.known) {
        std::cout << inertText(forecast.basis) << '\n';
        return;
    }
    std::cout << "About " << durationText(std::llround(forecast.seconds * 1000))
              << " in all: " << (forecast.gpuHours > 0 ? hours(forecast.gpuHours) + " GPU-hours, " : "")
              << hours(forecast.cpuHours) << " CPU-hours";
    if (forecast.savedShare > 0)
        std::cout << ", of which early stopping should spare " << std::lround(100 * forecast.savedShare)
                  << " %";
    std::cout << ".\n" << inertText(forecast.basis) << '\n';
}

Json toJson(const remote::Forecast& forecast) {
    if (!forecast.known) return {{"known", false}, {"basis", forecast.basis}};
    return {{"known", true},
            {"basis", forecast.basis},
            {"gpu_hours", forecast.gpuHours},
            {"cpu_hours", forecast.cpuHours},
            {"seconds", forecast.seconds},
            {"saved_share", forecast.savedShare}};
}

constexpr const char* word(planner::Verdict verdict) {
    switch (verdict) {
        case planner::Verdict::fits:
            return "fits";
        case planner::Verdict::tight:
            return "tight";
        case planner::Verdict::tooLarge:
            return "too large";
        case planner::Verdict::unknown:
            break;
    }
    return "unknown";
}

Json orNull(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json toJson(const remote::MemoryCheck& memory) {
    return {
        {"verdict", word(memory.verdict)}, {"text", orNull(memory.text)}, {"remedy", orNull(memory.remedy)}};
}

}  // namespace

void printPlan(const remote::LaunchPlan& plan, const remote::Forecast& forecast,
               const remote::MemoryCheck& memory, const std::vector<std::string>& notices,
               const std::string& format) {
    if (format == "json") {
        Json runs = Json::array();
        for (std::size_t i = 0; i < plan.runs.size(); ++i)
            runs.push_back({{"name", plan.runs[i].name},
                            {"varied", plan.runs[i].varied},
                            {"config", plan.runs[i].config},
                            {"repeats", orNull(forecast.sameAsEarlierInSweep[i])},
                            {"ran_before", orNull(forecast.sameAsRunInStore[i])}});
        const Json document{{"sweep", plan.sweep.name}, {"run_count", forecast.runs},
                            {"runs", std::move(runs)},  {"estimate", toJson(forecast)},
                            {"memory", toJson(memory)}, {"notices", notices},
                            {"script", plan.script}};
        std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        return;
    }
    const auto later = forecast.runs - plan.runs.size();
    std::cout << "Sweep " << inertText(plan.sweep.name) << " would make " << forecast.runs
              << (forecast.runs == 1 ? " run" : " runs") << ", at most " << plan.sweep.resources.parallelRuns
              << " at once:\n";
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        std::cout << "  " << inertText(plan.runs[i].name);
        if (!forecast.sameAsEarlierInSweep[i].empty())
            std::cout << "   repeats " << inertText(forecast.sameAsEarlierInSweep[i]);
        else if (!forecast.sameAsRunInStore[i].empty())
            std::cout << "   ran before as " << inertText(forecast.sameAsRunInStore[i]);
        std::cout << '\n';
    }
    if (later > 0)
        std::cout << "  and " << later << " more that follow from the results, while Dailies is connected\n";
    if (forecast.repeats() > 0)
        std::cout << forecast.repeats() << (forecast.repeats() == 1 ? " run repeats" : " runs repeat")
                  << " another; --skip-repeats leaves them out.\n";
    printCost(forecast);
    std::cout << inertText(memory.text) << (memory.remedy.empty() ? "" : " ") << inertText(memory.remedy)
              << '\n';
    std::cout << "\nThe sbatch script:\n\n" << plan.script;
}

void saySummary(const remote::SweepSummary& summary) {
    std::cerr << "Sweep " << inertText(summary.name) << ", " << summary.text() << '\n';
    for (const auto& stopped : summary.stopped)
        std::cerr << "  " << inertText(stopped.run) << ": " << inertText(stopped.why) << '\n';
}

}  // namespace dailies::app
