#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

/// What a run is told of captions, by name for the test's output.
struct Reading {
    std::string name;
    Json changes;
};

void PrintTo(const Reading& reading, std::ostream* out) {
    *out << reading.name;
}

class Learning : public testing::TestWithParam<Reading> {};

/// The demo's model for a tenth of its steps: colours are what it learns first, shapes and directions what it
/// learns last.
TEST_P(Learning, HearsTheColourOfItsCaptions) {
    TrainingRun run({{"steps", 150},
                     {"model.width", 64},
                     {"model.heads", 4},
                     {"model.depth", 2},
                     {"data.frames", 8},
                     {"data.height", 32},
                     {"data.width", 32},
                     {"data.batch_size", 16},
                     {"optimizer.warmup_steps", 30},
                     {"optimizer.ema_decay", 0.9},
                     {"sampling.steps", 10},
                     {"sampling.adherence_clips", 48},
                     {"runtime.log_every", 50}});
    run.configure(GetParam().changes);
    ASSERT_EQ(run.train(), 0) << run.output();
    const double colour = run.metric("adherence_colour").at(150);
    RecordProperty("colour", std::to_string(colour));
    EXPECT_GT(colour, 0.5) << "one of four colours is right by chance, and of 48 clips hardly ever half";
}

INSTANTIATE_TEST_SUITE_P(Captions, Learning,
                         testing::Values(Reading{"AsWords", Json::object()},
                                         Reading{"AsBytes", {{"text.encoder", "bytes"}}}),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace dailies::trainer
