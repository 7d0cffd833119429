#include "ui/wall/wall_axes.h"

#include "core/tracking/sampled_run.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"
#include "ui/wall/wall_scene.h"

#include <QImage>
#include <QPainter>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::ElementsAre;

/// Four runs over lr and layers; two prompts of two seeds; steps 100 and 200. Every clip's file says which it
/// is.
class WallAxesTest : public testing::Test {
protected:
    WallAxesTest() {
        const char* lr[] = {"0.001", "1e-05", "0.001", "1e-05"};
        const char* layers[] = {"2", "2", "10", "10"};
        std::vector<tracking::ClipRecord> clips;
        for (int i = 0; i < 4; ++i) {
            tracking::Run run;
            run.id = "run" + std::to_string(i);
            run.name = run.id;
            run.params = {{"model.layers", layers[i]}, {"optimizer.lr", lr[i]}, {"steps", "200"}};
            run.metrics["fvd"] = {.value = 10.0 - i};
            m_data.runs.push_back(run);
            for (const char* prompt : {"cat", "dog"})
                for (const int seed : {7, 9})
                    for (const int step : {100, 200}) {
                        if (i == 3 && step == 200) continue;  // it goes on
                        tracking::ClipRecord clip;
                        clip.runId = run.id;
                        clip.prompt = prompt;
                        clip.seed = seed;
                        clip.step = step;
                        clip.frames = 4;
                        clip.localPath =
                            run.id + "/" + prompt + "/" + std::to_string(seed) + "/" + std::to_string(step);
                        clips.push_back(clip);
                    }
        }
        m_data.setClips(std::move(clips));
        m_data.differing = {"model.layers", "optimizer.lr"};
        m_data.metrics = {"fvd"};
        m_wall.step = 200;
    }

    WallScene scene(AxisChoice columns, AxisChoice rows) {
        m_wall.columns = columns;
        m_wall.rows = rows;
        return makeScene(m_data, m_wall);
    }

    static std::vector<std::string> names(const std::vector<WallScene::Heading>& headings) {
        std::vector<std::string> all;
        for (const auto& heading : headings) all.push_back(heading.name.toStdString());
        return all;
    }

    ReviewData m_data;
    WallArrangement m_wall;
};

TEST_F(WallAxesTest, ColumnsAreRunsAndRowsArePromptsAndSeedsAtFirst) {
    const WallScene wall = scene({WallAxis::Run}, {WallAxis::PromptAndSeed});
    EXPECT_THAT(names(wall.columns), ElementsAre("run0", "run1", "run2", "run3"));
    EXPECT_THAT(names(wall.rows), ElementsAre("cat", "cat", "dog", "dog"));
    EXPECT_EQ(wall.rows[1].note, "seed 9");
    EXPECT_EQ(wall.tile(2, 3).file, "run2/dog/9/200");
    EXPECT_EQ(wall.tile(3, 0).file, "run3/cat/7/100") << "the nearest earlier one";
    EXPECT_TRUE(wall.tile(3, 0).earlier);
    EXPECT_EQ(wall.tile(2, 3).params, "layers=10, lr=0.001") << "the params that differ, no others";
}

TEST_F(WallAxesTest, AnyTwoAxesCross) {
    EXPECT_EQ(scene({WallAxis::Step}, {WallAxis::Run}).tile(0, 2).file, "run2/cat/7/100");
    m_wall.runId = "run1";
    EXPECT_EQ(scene({WallAxis::Step}, {WallAxis::PromptAndSeed}).tile(1, 2).file, "run1/dog/7/200");
    EXPECT_EQ(scene({WallAxis::Seed}, {WallAxis::Prompt}).tile(1, 0).file, "run1/cat/9/200");
    m_wall.prompt = "dog";
    m_wall.seed = 9;
    EXPECT_EQ(scene({WallAxis::Run}, {WallAxis::Step}).tile(2, 0).file, "run2/dog/9/100");
    EXPECT_EQ(scene({WallAxis::Run}, {WallAxis::Seed}).tile(2, 0).file, "run2/dog/7/200");
}

TEST_F(WallAxesTest, ParamsAreInOrderOfTheirValues) {
    const WallScene wall = scene({WallAxis::Param, "optimizer.lr"}, {WallAxis::Param, "model.layers"});
    EXPECT_THAT(names(wall.columns), ElementsAre("lr = 1e-05", "lr = 0.001"));
    EXPECT_THAT(names(wall.rows), ElementsAre("layers = 2", "layers = 10"));
    EXPECT_EQ(wall.tile(0, 0).runId, "run1");
    EXPECT_EQ(wall.tile(1, 1).runId, "run2");
}

TEST_F(WallAxesTest, OfSeveralRunsWithOneValueTheBestIsShown) {
    m_wall.metric = "fvd";
    const WallScene wall = scene({WallAxis::Param, "model.layers"}, {WallAxis::Prompt});
    EXPECT_EQ(wall.columns[0].note, "best of 2 runs");
    EXPECT_EQ(wall.tile(0, 0).runId, "run1") << "the lower FVD of runs 0 and 1";
    EXPECT_EQ(wall.tile(1, 0).runId, "run3");
}

TEST_F(WallAxesTest, AStepThatARunLacksStaysEmptyWhereStepsAreAnAxis) {
    const WallScene wall = scene({WallAxis::Step}, {WallAxis::Run});
    EXPECT_TRUE(wall.tile(1, 3).file.empty());
    EXPECT_FALSE(wall.tile(1, 3).note.isEmpty());
    EXPECT_EQ(wall.tile(1, 3).runId, "run3");
}

TEST_F(WallAxesTest, AResampleIsInItsRunsPlaceAlsoWhereParamsAreAnAxis) {
    tracking::Run resample;
    resample.id = resample.name = "again";
    resample.tags = {{tracking::tag::kSampledRun, "run1"}, {tracking::tag::kSampledStep, "200"}};
    m_data.runs.push_back(resample);
    m_data.resamples = {"again"};
    const WallScene wall = scene({WallAxis::Param, "model.layers"}, {WallAxis::Prompt});
    EXPECT_THAT(names(wall.columns), ElementsAre("layers = 2", "layers = 10")) << "none for the lack of one";
    EXPECT_EQ(wall.columns[0].note, "best of 2 runs");
}

TEST_F(WallAxesTest, ThePinnedColumnStandsFirstInEveryOrder) {
    m_wall.pinned = "run2";
    WallScene wall = scene({WallAxis::Run}, {WallAxis::Prompt});
    EXPECT_THAT(names(wall.columns), ElementsAre("run2", "run0", "run1", "run3"));
    EXPECT_TRUE(wall.columns[0].pinned);
    EXPECT_EQ(wall.tile(0, 0).runId, "run2");
    m_wall.metric = "fvd";
    wall = scene({WallAxis::Run}, {WallAxis::Prompt});
    EXPECT_THAT(names(wall.columns), ElementsAre("run2", "run3", "run1", "run0"));
}

TEST_F(WallAxesTest, AxesThatSayTheSameDoNotCross) {
    EXPECT_FALSE(canCombine({WallAxis::Run}, {WallAxis::Run}));
    EXPECT_FALSE(canCombine({WallAxis::Run}, {WallAxis::Param, "lr"}));
    EXPECT_FALSE(canCombine({WallAxis::Prompt}, {WallAxis::PromptAndSeed}));
    EXPECT_FALSE(canCombine({WallAxis::Seed}, {WallAxis::PromptAndSeed}));
    EXPECT_TRUE(canCombine({WallAxis::Prompt}, {WallAxis::Seed}));
    EXPECT_TRUE(canCombine({WallAxis::Param, "lr"}, {WallAxis::Param, "layers"}));
    EXPECT_TRUE(canCombine({WallAxis::Step}, {WallAxis::Run}));
}

TEST(WallPaint, ASmallTileOfAnEarlierStepKeepsItsScore) {
    const auto painted = [](std::optional<double> adherence) {
        WallScene::Tile tile;
        tile.step = 12800;
        tile.earlier = true;
        tile.adherence = adherence;
        QImage image(88, 88, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintHud(painter, image.rect(), tile, {}, Hud::Everything);
        return image.copy(44, 60, 44, 28);
    };
    EXPECT_NE(painted(0.67), painted(std::nullopt));
    EXPECT_NE(painted(0.67), painted(0.1));
}

TEST_F(WallAxesTest, OffersTheParamsThatDiffer) {
    std::vector<std::string> offered;
    for (const AxisChoice& axis : axisChoices(m_data)) offered.push_back(axisName(axis).toStdString());
    EXPECT_THAT(offered,
                ElementsAre("Run", "Training step", "Prompt and seed", "Prompt", "Seed", "layers", "lr"));
}

}  // namespace
}  // namespace dailies::ui
