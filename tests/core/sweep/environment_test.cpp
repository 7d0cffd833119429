#include "core/sweep/environment.h"

#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/sweep/nccl.h"
#include "core/sweep/resources.h"
#include "core/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dailies::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOneRun = "config: {steps: 10}\n";

std::string environmentRefusal(const std::string& yaml) {
    try {
        parseSweep(kOneRun + yaml, "s.yaml");
    } catch (const InputError& error) {
        return error.full();
    }
    ADD_FAILURE() << "was accepted:\n" << yaml;
    return {};
}

TEST(SweepFile, SaysWhichNodesAndWhatEnvironmentItsRunsNeedAndReadsItBack) {
    const Sweep sweep = parseSweep(std::string(kOneRun) + R"(resources:
  gpus_per_node: h100:8
  constraint: ib&nvme
  nodelist: n[1-4],gpu7
  exclude: n[2-3]
  exclusive: true
  reservation: paper
environment:
  modules: [gcc/12, cuda/12.4]
  venv: ~/envs/train
  container: {image: /images/torch.sif, mounts: ["/data:/data:ro"]}
  fabric: infiniband
  variables: {NCCL_DEBUG: INFO, LEADING: 010}
after: {sweep: stage-1, when: ended, from_checkpoint: true}
)",
                                   "s.yaml");
    EXPECT_EQ(sweep.resources.gpusPerNode, 8);
    EXPECT_EQ(sweep.resources.gpuType, "h100");
    EXPECT_EQ(sweep.resources.constraint, "ib&nvme");
    EXPECT_TRUE(sweep.resources.exclusive);
    EXPECT_THAT(sweep.environment.modules, ElementsAre("gcc/12", "cuda/12.4"));
    EXPECT_EQ(sweep.environment.container.image, "/images/torch.sif");
    EXPECT_EQ(sweep.environment.variables.at("LEADING"), "010") << "text stays as it was typed";
    ASSERT_TRUE(sweep.after);
    EXPECT_TRUE(sweep.after->afterAny && sweep.after->fromCheckpoint);
    const Sweep back = parseSweep(toYaml(sweep), "back.yaml");
    EXPECT_EQ(toYaml(back), toYaml(sweep));
    EXPECT_EQ(back.environment, sweep.environment);
    EXPECT_EQ(back.after->sweep, "stage-1");
    EXPECT_EQ(back.resources.nodeList, "n[1-4],gpu7");
}

TEST(SweepFile, BeginsWithTheWeightsOfTheBestRunOfAnother) {
    const std::string file = "config: {steps: 10, optimizer.freeze: ['*', '!motion_modules']}\n";
    const Sweep sweep = parseSweep(file + "after: {sweep: stage-1, init_from: best}\n", "s.yaml");
    ASSERT_TRUE(sweep.after);
    EXPECT_TRUE(sweep.after->initFromBest && !sweep.after->fromCheckpoint);
    EXPECT_TRUE(parseSweep(toYaml(sweep), "back.yaml").after->initFromBest);
    EXPECT_EQ(dailies::config::flatten(expand(sweep).at(0).config).at("model.init"), kInitLink)
        << "what asks for model.init is content";

    EXPECT_THAT(environmentRefusal("after: {sweep: a, init_from: worst}\n"), HasSubstr("expected best"));
    const auto refusal = [&](const std::string& text) -> std::string {
        try {
            expand(parseSweep(text, "s.yaml"));
        } catch (const InputError& error) {
            return error.full();
        }
        return "taken";
    };
    EXPECT_THAT(refusal("config: {model.init: /w}\nafter: {sweep: a, init_from: best}\n"),
                HasSubstr("beside model.init"));
    EXPECT_THAT(refusal("config: {steps: 10}\nafter: {sweep: a, init_from: best, from_checkpoint: true}\n"),
                HasSubstr("expected one of them"));
    EXPECT_THAT(refusal("program: train.py\nafter: {sweep: a, init_from: best}\n"),
                HasSubstr("dailies-train alone"));
}

TEST(SweepFile, RefusesWhatNoJobCouldBeMadeOf) {
    EXPECT_THAT(environmentRefusal("resources: {constraint: 'ib; rm -rf /'}\n"),
                AllOf(HasSubstr("line 2"), HasSubstr("resources.constraint")));
    EXPECT_THAT(environmentRefusal("resources: {exclude: 'n1 n2'}\n"),
                HasSubstr("names of nodes such as n[1-4],gpu7"));
    EXPECT_THAT(environmentRefusal("resources: {gpu_type: h100}\n"),
                HasSubstr("a number of GPUs per node, too"));
    EXPECT_THAT(environmentRefusal("resources: {gpus_per_node: h100}\n"), HasSubstr("whole number"));
    EXPECT_THAT(environmentRefusal("environment: {fabric: infinband}\n"),
                AllOf(HasSubstr("environment.fabric"), HasSubstr("infiniband")));
    EXPECT_THAT(environmentRefusal("environment: {module: [a]}\n"), HasSubstr("did you mean modules?"));
    EXPECT_THAT(environmentRefusal("environment: {venv: a, conda: b}\n"), HasSubstr("one of the two"));
    EXPECT_THAT(environmentRefusal("environment: {modules: ['-x']}\n"), HasSubstr("environment.modules"));
    EXPECT_THAT(environmentRefusal("environment: {container: {image: a, runtime: docker}}\n"),
                HasSubstr("apptainer"));
    EXPECT_THAT(environmentRefusal("environment: {container: {image: a, mounts: ['relative']}}\n"),
                HasSubstr("/there:/inside"));
    EXPECT_THAT(environmentRefusal("environment: {variables: {'1A': x}}\n"),
                HasSubstr("begin with no digit"));
    EXPECT_THAT(environmentRefusal("after: {sweep: a, when: sometimes}\n"), HasSubstr("finished"));
}

TEST(Environments, ASweepsStandsOverThatOfTheCluster) {
    const auto site = environmentFromJson({{"modules", {"cuda/12"}},
                                           {"conda", "base"},
                                           {"fabric", "ethernet"},
                                           {"variables", {{"A", "1"}, {"B", "1"}}}});
    const auto ours = environmentFromJson({{"venv", "/v"}, {"variables", {{"B", "2"}}}});
    const auto both = overlay(ours, site);
    EXPECT_THAT(both.modules, ElementsAre("cuda/12"));
    EXPECT_EQ(both.venv, "/v");
    EXPECT_EQ(both.conda, "") << "one Python environment takes the other's place";
    EXPECT_EQ(both.variables, (std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}}));
    EXPECT_FALSE(sameSoftware(both, site));
    EXPECT_TRUE(sameSoftware(overlay(environmentFromJson({{"variables", {{"B", "2"}}}}), site), site));
}

TEST(Fabrics, EachVariableIsOneThatNcclReadsAndIsExplained) {
    for (const auto& fabric : fabrics()) {
        EXPECT_FALSE(fabric.about.empty()) << fabric.name;
        std::map<std::string, std::string> variables;
        for (const auto& variable : fabric.variables) {
            EXPECT_GT(variable.why.size(), 20u) << variable.name;
            variables[std::string(variable.name)] = variable.value;
        }
        EXPECT_THAT(ncclVariableWarnings({}, variables), IsEmpty()) << fabric.name;
    }
}

TEST(Variables, ThatNothingReadsAreNamedWithWhatWasMeant) {
    EXPECT_THAT(ncclVariableWarnings({"export NCCL_BLOCKING_WAIT=1"}, {}),
                ElementsAre("NCCL_BLOCKING_WAIT is an old name: set TORCH_NCCL_BLOCKING_WAIT instead."));
    EXPECT_THAT(ncclVariableWarnings({"module load x && export NCCL_SOCKET_IFNAMES=eth0 A=1"}, {}),
                ElementsAre(HasSubstr("did you mean NCCL_SOCKET_IFNAME?")));
    EXPECT_THAT(ncclVariableWarnings({}, {{"TORCH_NCCL_BLOKING_WAIT", "1"}}),
                ElementsAre(HasSubstr("PyTorch reads no variable TORCH_NCCL_BLOKING_WAIT")));
    EXPECT_THAT(ncclVariableWarnings({"# export NCCL_NONSENSE=1", "export NCCL_DEBUG=INFO OMP_NUM_THREADS=1"},
                                     {{"NCCL_IB_HCA", "mlx5"}, {"MY_NCCL_THING", "1"}}),
                IsEmpty());
}

TEST(Times, AreReadInSeconds) {
    EXPECT_EQ(secondsOf("30"), 1800);
    EXPECT_EQ(secondsOf("1:30"), 90);
    EXPECT_EQ(secondsOf("1-02:03:04"), 93784);
    EXPECT_EQ(secondsOf("UNLIMITED"), 0);
}

}  // namespace
}  // namespace dailies::sweep
