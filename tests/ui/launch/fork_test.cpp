#include "remote/launch/fork.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/schema.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/sweep_runs.h"
#include "ui/launch/presets.h"
#include "ui/launch/sweep_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What a run's resolved config becomes on its way through the store and the form.

namespace dailies::ui {
namespace {

using remote::makeFork;

class ForkTest : public testing::Test {
protected:
    /// The run as a launch records it.
    tracking::Run record(const sweep::Sweep& sweep, const sweep::PlannedRun& planned) {
        tracking::Run run;
        run.id = remote::runIdOf("sweep", m_runs++);
        run.name = planned.name;
        run.experiment = sweep.experiment.empty() ? "forks" : sweep.experiment;
        const Json flat = config::flatten(planned.config);
        run.params = remote::paramsOf(planned.config);
        EXPECT_EQ(run.params.size(), flat.size());
        m_store.createRun(run);
        return *m_store.run(run.id);
    }

    TemporaryFolder m_folder;
    tracking::Store m_store{m_folder.path() / "dailies.db"};
    std::size_t m_runs = 0;
};

sweep::Sweep throughTheForm(const sweep::Sweep& sweep) {
    SweepForm form;
    form.setSweep(sweep);
    EXPECT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    return form.sweep();
}

TEST_F(ForkTest, TheConfigOfEveryRunOfEveryPresetIsTheSameAfterTheForm) {
    for (const auto& preset : presets())
        for (const auto& planned : sweep::expand(preset.sweep)) {
            sweep::Sweep whole;
            whole.config = planned.config;
            const auto again = sweep::expand(throughTheForm(whole));
            ASSERT_EQ(again.size(), 1U);
            EXPECT_EQ(again[0].config, planned.config) << preset.title.toStdString() << " " << planned.name;
        }
}

TEST_F(ForkTest, AForkOfEveryRunOfEveryPresetIsThatRunAgain) {
    for (const auto& preset : presets())
        for (const auto& planned : sweep::expand(preset.sweep)) {
            const auto fork = makeFork(m_store, record(preset.sweep, planned));
            const auto again = sweep::expand(throughTheForm(fork));
            ASSERT_EQ(again.size(), 1U);
            EXPECT_EQ(again[0].config, planned.config) << preset.title.toStdString() << " " << planned.name;
            EXPECT_EQ(sweep::expand(sweep::parseSweep(sweep::toYaml(fork), "fork"))[0].config, planned.config)
                << "as YAML, too";
        }
}

TEST_F(ForkTest, HoldsWhatIsNotTheDefaultAlone) {
    sweep::Sweep sweep;
    config::setByKey(sweep.config, "optimizer.lr", 0.02);
    config::setByKey(sweep.config, "sampling.prompts", {"a dog, running", "two\nlines"});
    const auto fork = makeFork(m_store, record(sweep, sweep::expand(sweep).front()));
    EXPECT_EQ(config::flatten(fork.config), config::flatten(sweep.config));
}

TEST_F(ForkTest, OfARunThatSampledAnotherIsAForkOfThatOne) {
    sweep::Sweep sweep;
    config::setByKey(sweep.config, "steps", 77);
    const auto trained = record(sweep, sweep::expand(sweep).front());
    tracking::Run sampled;
    sampled.id = remote::runIdOf("sampling", 0);
    sampled.name = "guidance 2";
    sampled.experiment = trained.experiment;
    sampled.params = {{"checkpoint.run", "x"}, {"sampling.guidance", "2.0"}};
    sampled.tags = {{tracking::tag::kSampledRun, trained.id}};
    m_store.createRun(sampled);
    EXPECT_EQ(makeFork(m_store, *m_store.run(sampled.id)).config, Json({{"steps", 77}}));
}

TEST_F(ForkTest, SaysWhichKeysThisVersionDoesNotHaveAndRefusesARunOfAnotherProgram) {
    sweep::Sweep sweep;
    auto run = record(sweep, sweep::expand(sweep).front());
    run.params["model.gone"] = "1";
    std::vector<std::string> notices;
    makeFork(m_store, run, &notices);
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_THAT(notices[0], testing::HasSubstr("model.gone"));
    run.params = {{"learning_rate", "0.1"}};
    EXPECT_THROW(makeFork(m_store, run), InputError);
}

}  // namespace
}  // namespace dailies::ui
