#include "core/base/json.h"
#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

struct TracedPiece {
    std::string name;
    double began = 0, seconds = 0;
};

/// What a trace says of the step, as Perfetto reads it.
std::vector<TracedPiece> piecesOf(const std::filesystem::path& trace) {
    std::vector<TracedPiece> pieces;
    const auto json = parseJson(readFile(trace), trace.string());
    for (const auto& event : json.at("traceEvents"))
        if (event.value("ph", "") == "X")
            pieces.push_back({event.at("name").get<std::string>(), event.at("ts").get<double>() / 1e6,
                              event.at("dur").get<double>() / 1e6});
    std::ranges::sort(pieces, {}, &TracedPiece::began);
    return pieces;
}

/// A model of two buckets of gradients, in a few short steps.
Json tracedRun() {
    return {{"model.width", 256},
            {"model.depth", 12},
            {"model.heads", 4},
            {"steps", 3},
            {"runtime.trace_step", 2}};
}

TEST(StepTraces, ShowThatGradientsAreSummedWhileBackwardGoesOn) {
    const TrainingRun run(tracedRun());
    ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
    for (const auto* rank : {"0", "1"}) {
        const auto pieces = piecesOf(run.path() / "traces" / ("step-2-rank-" + std::string(rank) + ".json"));
        const auto firstSum = std::ranges::find(pieces, "gloo:all_reduce", &TracedPiece::name);
        ASSERT_NE(firstSum, pieces.end()) << "rank " << rank;
        const auto productsLater = std::count_if(firstSum, pieces.end(), [](const TracedPiece& piece) {
            return piece.name == "aten::mm" || piece.name == "aten::addmm";
        });
        EXPECT_GT(productsLater, 10) << "rank " << rank << ": of the blocks whose gradients come last";
    }
    std::vector<std::string> said;
    for (const auto& message : run.all<events::Message>()) said.push_back(message.text);
    EXPECT_THAT(
        said, testing::Contains(testing::AllOf(testing::HasSubstr("Step 2 was traced: rank 0 computed for "),
                                               testing::HasSubstr("of it while it computed"),
                                               testing::HasSubstr("traces/step-2-rank-0.json"))));
}

TEST(StepTraces, ChangeNothingOfTheRun) {
    auto changes = tracedRun();
    changes["model.depth"] = 2;
    const TrainingRun traced(changes);
    changes["runtime.trace_step"] = 0;
    const TrainingRun plain(changes);
    ASSERT_EQ(traced.train(), 0) << traced.output();
    ASSERT_EQ(plain.train(), 0) << plain.output();
    EXPECT_EQ(traced.metric("loss"), plain.metric("loss"));
    EXPECT_FALSE(std::filesystem::exists(plain.path() / "traces"));
}

TEST(StepTraces, ThatCannotBeWrittenDoNotStopTheRun) {
    auto changes = tracedRun();
    changes["model.depth"] = 2;
    const TrainingRun run(changes);
    writeFileAtomically(run.path() / "traces", "not a folder");
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::End>().at(0).status, "finished");
    std::vector<std::string> said;
    for (const auto& message : run.all<events::Message>()) said.push_back(message.text);
    EXPECT_THAT(said, testing::Contains(testing::HasSubstr("trace of a step could not be written")));
}

}  // namespace
}  // namespace dailies::trainer
