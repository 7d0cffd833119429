#include "trainer/checkpoint/export.h"

#include "tests/trainer/runs/training_run.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

class Export : public testing::Test {
protected:
    static const TrainingRun& trained() {
        static const TrainingRun run;
        static const int status = run.train();
        EXPECT_EQ(status, 0) << run.output();
        return run;
    }
    static std::filesystem::path checkpoint() { return trained().path() / "checkpoints/step-000000012"; }

    int exported(std::vector<std::string> words) {
        words.insert(words.begin(), "export");
        return TrainerProcess(words, folder.path() / "output.txt").wait();
    }
    std::string output() { return readFile(folder.path() / "output.txt"); }

    TemporaryFolder folder;
};

TEST_F(Export, WritesOneFileOfTheWeightsOrTheirAverage) {
    const auto loaded = Checkpoints(trained().path(), {}).load(12);
    for (const bool average : {false, true}) {
        const auto file = folder.path() / (average ? "average.safetensors" : "weights.safetensors");
        std::vector<std::string> words{checkpoint().string(), file.string()};
        if (average) words.insert(words.begin(), "--average");
        ASSERT_EQ(exported(words), 0) << output();
        const auto read = readSafetensors(file);
        const auto& expected = average ? loaded.average : loaded.weights;
        ASSERT_EQ(read.names().size(), expected.names().size());
        for (const auto& name : expected.names()) EXPECT_TRUE(at::equal(read[name], expected[name])) << name;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3)
        << "nothing else is left";
}

TEST_F(Export, RoundsToBf16WhereAsked) {
    const auto file = folder.path() / "small.safetensors";
    ASSERT_EQ(exported({checkpoint().string(), file.string(), "--dtype", "bf16"}), 0) << output();
    const auto read = readSafetensors(file);
    const auto loaded = Checkpoints(trained().path(), {}).load(12);
    for (const auto& name : read.names())
        EXPECT_TRUE(at::equal(read[name], loaded.weights[name].to(at::kBFloat16))) << name;
}

TEST_F(Export, OfLargeModelsIsAFolderFullWithAMap) {
    Params tensors;
    for (int i = 0; i < 4; ++i) tensors.add("layer" + std::to_string(i), at::full({1000}, 0.5 * i));
    exportTensors(folder.path(), "model", tensors, 9'000);
    const auto map = Json::parse(readFile(folder.path() / "model.safetensors.index.json"));
    EXPECT_EQ(map.at("metadata").at("total_size"), 16'000);
    EXPECT_EQ(map.at("weight_map").at("layer3"), "model-00002-of-00002.safetensors");
    for (const auto& [name, file] : map.at("weight_map").items())
        EXPECT_TRUE(at::equal(readSafetensors(folder.path() / file.get<std::string>())[name], tensors[name]));
}

TEST_F(Export, RefusesWhatItCannotDoAndLeavesNothing) {
    const auto file = (folder.path() / "m.safetensors").string();
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
        {{checkpoint().string()}, "expected a checkpoint folder and what to write"},
        {{checkpoint().string(), file, "--fast"}, "unknown option \"--fast\""},
        {{checkpoint().string(), file, "--dtype", "fp8"}, "--dtype wants fp32 or bf16"},
        {{checkpoint().string(), (folder.path() / "m.bin").string()}, "ends with .safetensors"},
        {{folder.path().string(), file}, "is not a complete checkpoint"},
        {{checkpoint().string(), (folder.path() / "pipe").string(), "--format", "diffusers"},
         "diffusers has no model of this family and shape"},
    };
    for (const auto& [words, message] : wrong) {
        EXPECT_EQ(exported(words), 2) << message;
        EXPECT_THAT(output(), HasSubstr(message));
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "only this output";
    ASSERT_EQ(exported({checkpoint().string(), file}), 0);
    EXPECT_EQ(exported({checkpoint().string(), file}), 2) << "nothing is overwritten";
    EXPECT_THAT(output(), HasSubstr("exists already"));
}

}  // namespace
}  // namespace dailies::trainer
