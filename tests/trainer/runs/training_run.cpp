#include "tests/trainer/runs/training_run.h"

#include "core/config/schema.h"
#include "core/events/event_log.h"
#include "core/video/clip_file.h"
#include "tests/support/folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace dailies::trainer {

TrainingRun::TrainingRun(const Json& changes) : m_folder("dailies-training") {
    configure({{"steps", 12},
               {"model.width", 24},
               {"model.heads", 2},
               {"model.depth", 1},
               {"data.frames", 2},
               {"data.height", 16},
               {"data.width", 16},
               {"data.batch_size", 4},
               {"sampling.every", 1000},
               {"sampling.steps", 2},
               {"sampling.adherence_clips", 0},
               {"checkpoint.every", 1000},
               {"optimizer.warmup_steps", 2},
               {"runtime.log_every", 1}});
    configure(changes);
}

void TrainingRun::configure(const Json& changes) {
    for (const auto& [key, value] : changes.items()) config::setByKey(m_config, key, value);
    writeFileAtomically(path() / "config.json", m_config.dump(2));
}

TrainerProcess TrainingRun::start(const TrainerProcess::Variables& variables, std::int64_t fileLimit) const {
    return TrainerProcess({"train", "--config", (path() / "config.json").string()}, path() / "output.txt",
                          variables, fileLimit);
}

int TrainingRun::train(const TrainerProcess::Variables& variables, std::int64_t fileLimit) const {
    return start(variables, fileLimit).wait();
}

int TrainingRun::train(TrainerProcess::LibTorch libtorch) const {
    return TrainerProcess({"train", "--config", (path() / "config.json").string()}, path() / "output.txt", {},
                          0, libtorch)
        .wait();
}

std::vector<events::Event> TrainingRun::events() const {
    if (!std::filesystem::exists(path() / "events.jsonl")) return {};
    return events::parseChunk(readFile(path() / "events.jsonl")).events;
}

std::map<std::int64_t, double> TrainingRun::metric(const std::string& name) const {
    std::map<std::int64_t, double> points;
    for (const auto& event : events()) {
        if (const auto* resume = std::get_if<events::Resume>(&event.payload))
            points.erase(points.upper_bound(resume->fromStep), points.end());
        if (const auto* metrics = std::get_if<events::Metrics>(&event.payload);
            metrics && metrics->values.contains(name))
            points[metrics->step] = metrics->values.at(name);
    }
    return points;
}

std::string TrainingRun::output() const {
    return std::filesystem::exists(path() / "output.txt") ? readFile(path() / "output.txt") : "";
}

bool TrainingRun::waitForStep(std::int64_t step, std::chrono::seconds patience) const {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
        const auto losses = metric("loss");
        if (!losses.empty() && losses.rbegin()->first >= step) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

void expectResumesAsIfItHadNotStopped(const TrainingRun& whole, const Json& config) {
    auto half = config;
    half["steps"] = config.at("steps").get<int>() / 2;
    TrainingRun resumed(half);
    ASSERT_EQ(whole.train(), 0) << whole.output();
    ASSERT_EQ(resumed.train(), 0) << resumed.output();
    resumed.configure(config);
    ASSERT_EQ(resumed.train(), 0) << resumed.output();
    for (const auto* metric : {"loss", "val/loss"})
        EXPECT_EQ(resumed.metric(metric), whole.metric(metric)) << metric;
    EXPECT_FALSE(whole.metric("loss").empty());
}

int furthestApart(const std::filesystem::path& one, const std::filesystem::path& other) {
    video::ClipReader first(one), second(other);
    if (first.info().frames != second.info().frames) return 256;
    int furthest = 0;
    for (int i = 0; i < first.info().frames; ++i) {
        const auto a = first.frame(i), b = second.frame(i);
        for (std::size_t j = 0; j < a.rgb.size(); ++j)
            furthest = std::max(furthest, std::abs(a.rgb[j] - b.rgb[j]));
    }
    return furthest;
}

}  // namespace dailies::trainer
