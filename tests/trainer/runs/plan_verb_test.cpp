#include "core/config/schema.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// What `dailies-train plan` says of a run's configuration.
struct Planned {
    Planned(const TrainingRun& run, std::vector<std::string> words) {
        words.insert(words.begin(), {"plan", "--config", (run.path() / "config.json").string()});
        const auto output = run.path() / "plan.txt";
        std::filesystem::remove(output);
        status = TrainerProcess(words, output).wait();
        text = readFile(output);
    }
    int status = 0;
    std::string text;
};

TEST(PlanVerb, TellsWhatARankNeedsWithoutTraining) {
    const TrainingRun run;
    const Planned found(run, {"--ranks", "2", "--json"});
    ASSERT_EQ(found.status, 0) << found.text;
    const auto plan = Json::parse(found.text);
    EXPECT_GT(plan.at("parameters"), 1000);
    EXPECT_GT(plan.at("host").at("program"), 0);
    EXPECT_TRUE(plan.at("gpu").empty());
    const Planned refused(run, {"--ranks", "none"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.text, HasSubstr("--ranks"));
}

/// A model of 34 M weights that two GPUs can divide in many ways.
Json dividedModel() {
    return {{"model.width", 512},
            {"model.heads", 8},
            {"model.depth", 8},
            {"runtime.device", "cuda"},
            {"runtime.precision", "bf16"}};
}

TEST(PlanVerb, ShowsTheLayoutsOfNodesFastestFirstWithTheConfigurationsOwn) {
    const TrainingRun run(dividedModel());
    const Planned table(run,
                        {"--nodes", "1", "--gpus-per-node", "2", "--gpu-type", "h100", "--price", "2.5"});
    ASSERT_EQ(table.status, 0) << table.text;
    EXPECT_THAT(table.text, HasSubstr(" layouts of 1 node × 2 ranks, by published rates of h100.\n"));
    EXPECT_THAT(table.text, HasSubstr("The layout fits: "));
    for (const auto* head :
         {"tokens/s", "MFU", "memory", "sends", "bubble", "steps take", "price", "layout\n"})
        EXPECT_THAT(table.text, HasSubstr(head));
    EXPECT_THAT(table.text, HasSubstr("\n* ")) << "its own row";
    EXPECT_THAT(table.text, HasSubstr("* as configured"));
}

TEST(PlanVerb, GivesTheSameLayoutsToPrograms) {
    const TrainingRun run(dividedModel());
    const Planned found(run, {"--nodes", "1", "--gpus-per-node", "2", "--gpu-type", "h100", "--json"});
    ASSERT_EQ(found.status, 0) << found.text;
    const auto plan = Json::parse(found.text);
    const auto& layouts = plan.at("layouts");
    EXPECT_GT(plan.at("considered"), layouts.size());
    ASSERT_GT(layouts.size(), 3U);
    int own = 0;
    double fastest = layouts[0].at("tokens_per_second");
    for (const auto& layout : layouts) {
        own += layout.at("own").get<bool>() ? 1 : 0;
        double seconds = 0;
        for (const auto& part : layout.at("parts")) seconds += part.get<double>();
        EXPECT_NEAR(seconds, layout.at("step_seconds").get<double>(), 1e-9) << layout.at("text");
        EXPECT_GT(layout.at("bytes"), 0);
        EXPECT_LE(layout.at("tokens_per_second"), fastest) << "fastest first";
        Json config = parseJson(readFile(run.path() / "config.json"), "config.json");
        for (const auto& [key, value] : layout.at("settings").items())
            config[Json::json_pointer("/" + key.substr(0, key.find('.')) + "/" +
                                      key.substr(key.find('.') + 1))] = value;
        EXPECT_NO_THROW(config::resolve(config)) << "a configuration takes its settings as they are";
    }
    EXPECT_EQ(own, 1);
}

TEST(PlanVerb, OfRanksWhoseSpeedIsNotKnownSaysWhatWouldTellIt) {
    const TrainingRun run;
    const Planned unknown(run, {"--nodes", "1"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.text, StartsWith("dailies-train: plan: how fast these ranks are is not known."));
    EXPECT_THAT(unknown.text, HasSubstr("--gpu-type"));
    const Planned strange(run, {"--nodes", "1", "--gpu-type", "abacus"});
    EXPECT_EQ(strange.status, 2);
    EXPECT_THAT(strange.text, HasSubstr("expected h100, h200 or a100"));
}

}  // namespace
}  // namespace dailies::trainer
