#include "tests/trainer/runs/training_run.h"
#include "trainer/checkpoint/checkpoints.h"

#include <gmock/gmock.h>

// Pairs of models, each for a part of the noise, as Wan 2.2's A14B.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Json wanOfSeed(int seed) {
    return {{"model.family", "wan"}, {"model.depth", 2}, {"seed", seed}};
}

class ExpertRun : public testing::Test {
protected:
    ExpertRun() {
        for (const auto* run : {&m_high, &m_low, &m_another}) EXPECT_EQ(run->train(), 0) << run->output();
        // as the published files of a pair are known by their folders
        auto manifest = Json::parse(readFile(high() / "manifest.json"));
        manifest["data"]["expert"] = true;
        writeFileAtomically(high() / "manifest.json", manifest.dump());
    }

    static std::filesystem::path last(const TrainingRun& run) {
        return run.path() / "checkpoints/step-000000012";
    }
    std::filesystem::path high() const { return last(m_high); }
    std::filesystem::path low() const { return last(m_low); }
    std::filesystem::path another() const { return last(m_another); }

    /// Goes on with the expert for much noise.
    Json goingOn(const std::filesystem::path& other) const {
        auto config = wanOfSeed(1);
        config.update({{"model.init", high().string()},
                       {"steps", 2},
                       {"optimizer.lr", 0},
                       {"optimizer.min_lr", 0},
                       {"diffusion.timestep_from", 0.875},
                       {"sampling.every", 2},
                       {"sampling.prompts", {"red square left"}}});
        if (!other.empty()) config["sampling.other_expert"] = other.string();
        return config;
    }
    static std::filesystem::path clipOf(const TrainingRun& run) {
        const auto clips = run.all<events::Clip>();
        EXPECT_EQ(clips.size(), 1U) << run.output();
        return clips.empty() ? run.path() : run.path() / clips.front().path;
    }

private:
    const TrainingRun m_high{wanOfSeed(1)}, m_low{wanOfSeed(2)}, m_another{wanOfSeed(3)};
};

TEST_F(ExpertRun, ShowsNoClipsWithoutTheOtherModelAndSaysHowItWould) {
    const TrainingRun run(goingOn({}));
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_TRUE(run.all<events::Clip>().empty());
    const auto said = run.all<events::Message>();
    EXPECT_TRUE(std::ranges::any_of(said, [](const events::Message& message) {
        return message.level == "warning" &&
               message.text.find("This run samples no clips. Its model is one of two") != std::string::npos &&
               message.text.find("sampling.other_expert") != std::string::npos;
    })) << run.output();
    const auto checkpoint = run.path() / run.all<events::Checkpoint>().back().path;
    EXPECT_EQ(inspectCheckpoint(checkpoint).at("data").at("expert"), true) << "whoever goes on knows it, too";
    const TemporaryFolder made;
    const auto output = made.path() / "output.txt";
    EXPECT_EQ(TrainerProcess({"sample", "--run-dir", made.path().string(), "--checkpoint",
                              checkpoint.string(), "--prompt", "red square left"},
                             output)
                  .wait(),
              2);
    EXPECT_THAT(readFile(output),
                AllOf(HasSubstr("is one of two models"), HasSubstr("sampling.other_expert")));
}

TEST_F(ExpertRun, GivesTheRestOfTheNoiseToTheOtherModel) {
    const TrainingRun withLow(goingOn(low())), again(goingOn(low())), withAnother(goingOn(another()));
    for (const auto* run : {&withLow, &again, &withAnother}) ASSERT_EQ(run->train(), 0) << run->output();
    EXPECT_EQ(furthestApart(clipOf(withLow), clipOf(again)), 0);
    EXPECT_GT(furthestApart(clipOf(withLow), clipOf(withAnother)), 0);

    // a pair of equal models is one model
    auto single = goingOn({});
    single["diffusion.timestep_from"] = 0;
    single["model.init"] = low().string();
    auto pair = goingOn(low());
    pair["model.init"] = low().string();
    const TrainingRun one(single), two(pair);
    for (const auto* run : {&one, &two}) ASSERT_EQ(run->train(), 0) << run->output();
    EXPECT_EQ(furthestApart(clipOf(one), clipOf(two)), 0);

    // and a job over its checkpoint has both
    const TemporaryFolder made;
    const auto output = made.path() / "output.txt";
    const auto checkpoint = withLow.path() / withLow.all<events::Checkpoint>().back().path;
    ASSERT_EQ(TrainerProcess({"sample", "--run-dir", made.path().string(), "--checkpoint",
                              checkpoint.string(), "--prompt", "red square left"},
                             output)
                  .wait(),
              0)
        << readFile(output);
    EXPECT_EQ(furthestApart(made.path() / "clips/step-000000002/red-square-left-1.mp4", clipOf(withLow)), 0);
}

TEST_F(ExpertRun, GuidesTheOtherModelByAScaleOfItsOwn) {
    // a pair of equal models differs from one model by what each is guided by
    const auto at = [&](double own, double other) {
        auto config = goingOn(low());
        config.update({{"model.init", low().string()},
                       {"sampling.guidance", own},
                       {"sampling.other_guidance", other},
                       {"diffusion.caption_drop", 0.1}});
        return config;
    };
    const TrainingRun same(at(3, 0)), said(at(3, 3)), more(at(3, 6)), none(at(1, 6));
    for (const auto* run : {&same, &said, &more, &none}) ASSERT_EQ(run->train(), 0) << run->output();
    EXPECT_EQ(furthestApart(clipOf(same), clipOf(said)), 0);
    EXPECT_GT(furthestApart(clipOf(same), clipOf(more)), 0);
    EXPECT_GT(furthestApart(clipOf(more), clipOf(none)), 0) << "its own part has its own scale, too";
}

TEST_F(ExpertRun, RefusesAnotherModelThatIsNoneOfThePair) {
    TrainingRun run(goingOn("/no/such/expert"));
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("sampling.other_expert"), HasSubstr("/no/such/expert")));
    const TrainingRun larger(Json{{"model.family", "wan"}, {"model.depth", 3}});
    ASSERT_EQ(larger.train(), 0) << larger.output();
    run.configure({{"sampling.other_expert", last(larger).string()}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("depth 3 there, 2 in the config"));
    run.configure({{"diffusion.timestep_from", 0}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("expected the noise of one of two models"));
}

}  // namespace
}  // namespace dailies::trainer
