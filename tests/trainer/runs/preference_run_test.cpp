#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

// Runs that learn which clips people prefer: data.source preferences.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A trained model, the clips that it made, and of each prompt a dark clip that nobody prefers.
class PreferenceRun : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_base = std::make_unique<TrainingRun>(Json{{"data.height", 16}, {"data.width", 16}, {"steps", 12}});
        ASSERT_EQ(s_base->train(), 0) << s_base->output();
        const auto checkpoint = s_base->path() / s_base->all<events::Checkpoint>().back().path;
        const auto said = s_base->path() / "export.txt";
        ASSERT_EQ(TrainerProcess({"export", checkpoint.string(), weights()}, said).wait(), 0)
            << readFile(said);
        std::string lines;
        for (const auto& clip : s_base->all<events::Clip>()) {
            const auto dark = std::filesystem::path(clip.path).replace_extension(".dark.mp4");
            writeFileAtomically(s_base->path() / dark, videoBytes(4, 16, 16));
            lines +=
                Json{{"prompt", clip.prompt}, {"better", clip.path}, {"worse", dark.string()}}.dump() + "\n";
        }
        writeFileAtomically(s_base->path() / "pairs.jsonl", lines);
    }
    static void TearDownTestSuite() { s_base.reset(); }

    static std::string weights() { return (s_base->path() / "base.safetensors").string(); }
    static std::string pairs() { return (s_base->path() / "pairs.jsonl").string(); }

    static Json config(const Json& changes = Json::object()) {
        Json all = {{"data.source", "preferences"},
                    {"data.folder", pairs()},
                    {"data.height", 16},
                    {"data.width", 16},
                    {"data.batch_size", 8},
                    {"model.init", weights()},
                    {"lora.rank", 4},
                    {"optimizer.lr", 0.003},
                    {"optimizer.schedule", "constant"},
                    {"optimizer.ema_decay", 0},
                    {"diffusion.dpo_beta", 200},
                    {"steps", 40},
                    {"runtime.log_every", 1},
                    {"checkpoint.every", 10}};
        all.update(changes);
        return all;
    }

    static std::string refusal(const Json& changes) {
        const TrainingRun run(config(changes));
        EXPECT_EQ(run.train(), 2);
        return run.output();
    }

    static inline std::unique_ptr<TrainingRun> s_base;
};

TEST_F(PreferenceRun, BeginsUndecidedAndLearnsToPreferAsPeopleDid) {
    const TrainingRun run(config());
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto loss = run.metric("loss"), accuracy = run.metric("preference_accuracy");
    EXPECT_NEAR(loss.at(1), std::numbers::ln2, 1e-6) << "an adapter begins as its base";
    EXPECT_LT(loss.rbegin()->second, 0.8 * std::numbers::ln2);
    double ofLast = 0;
    for (std::int64_t step = 31; step <= 40; ++step) ofLast += accuracy.at(step) / 10;
    EXPECT_GT(ofLast, 0.8);
    EXPECT_FALSE(run.all<events::Clip>().empty()) << "of the prompts of its pairs";
}

TEST_F(PreferenceRun, ResumesAsIfItHadNotStopped) {
    const TrainingRun whole(config({{"steps", 20}}));
    expectResumesAsIfItHadNotStopped(whole, config({{"steps", 20}}));
}

TEST_F(PreferenceRun, IsTheSameOnTwoRanksAndInParts) {
    const TrainingRun one(config({{"steps", 6}})), two(config({{"steps", 6}})),
        parts(config({{"steps", 6}, {"optimizer.accumulate", 2}}));
    ASSERT_EQ(one.train(), 0) << one.output();
    ASSERT_EQ(parts.train(), 0) << parts.output();
    ASSERT_EQ(trainOnRanks(two, 2), 0) << two.output();
    for (const auto& [step, loss] : one.metric("loss")) {
        EXPECT_NEAR(two.metric("loss").at(step), loss, 1e-4) << step;
        EXPECT_NEAR(parts.metric("loss").at(step), loss, 1e-4) << step;
    }
}

TEST_F(PreferenceRun, LeavesOutPairsThatItCannotReadAndNamesThem) {
    const auto list = s_base->path() / "broken.jsonl";
    writeFileAtomically(list, readFile(pairs()) +
                                  "{\"prompt\": \"red circle left\", \"better\": \"gone.mp4\", " +
                                  "\"worse\": \"gone too.mp4\"}\n{\"prompt\": 7}\n");
    const TrainingRun run(config({{"data.folder", list.string()}, {"steps", 2}}));
    ASSERT_EQ(run.train(), 0) << run.output();
    std::string told;
    for (const auto& health : run.all<events::Health>()) told += health.text + "\n";
    EXPECT_THAT(told, AllOf(HasSubstr("gone.mp4"), HasSubstr("no text as \"better\"")));
}

TEST_F(PreferenceRun, IsRefusedWithoutAnAdapterOrWithHalfAPair) {
    EXPECT_THAT(refusal({{"lora.rank", 0}, {"data.batch_size", 5}, {"validation.every", 5}}),
                AllOf(HasSubstr("lora.rank: found 0"), HasSubstr("data.batch_size: found 5"),
                      HasSubstr("validation.every: found 5")));
    EXPECT_THAT(refusal({{"data.folder", "/no/such/pairs.jsonl"}}),
                AllOf(HasSubstr("/no/such/pairs.jsonl"), HasSubstr("dailies export --what preferences")));
}

}  // namespace
}  // namespace dailies::trainer
