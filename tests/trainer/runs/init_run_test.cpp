#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/rank_processes.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>

// Runs that begin with the weights of another: model.init.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Json wan() {
    return {{"model.family", "wan"}, {"model.depth", 2}, {"model.activation", "gelu-tanh"}};
}

const TrainingRun& trained() {
    static const TrainingRun run(wan());
    static const int status = run.train();
    EXPECT_EQ(status, 0) << run.output();
    return run;
}

std::filesystem::path checkpoint() {
    return trained().path() / "checkpoints/step-000000012";
}

/// Begins with weights, in the first steps of another run.
Json beginning(const std::filesystem::path& weights, const Json& changes = Json::object()) {
    auto config = wan();
    config["model.init"] = weights.string();
    config["steps"] = 2;
    config.update(changes);
    return config;
}

/// The same weights gone on with at step 0: a resumption, which reads what the checkpoint has.
const TrainingRun& continued() {
    static const TrainingRun run([] {
        auto config = wan();
        config["steps"] = 2;
        return config;
    }());
    static const int status = [] {
        const auto folder = run.path() / "checkpoints/step-000000000";
        std::filesystem::create_directories(folder.parent_path());
        std::filesystem::copy(checkpoint(), folder);
        auto manifest = Json::parse(readFile(folder / "manifest.json"));
        manifest["step"] = 0;
        writeFileAtomically(folder / "manifest.json", manifest.dump());
        return run.train();
    }();
    EXPECT_EQ(status, 0) << run.output();
    return run;
}

std::filesystem::path exported(const TemporaryFolder& folder) {
    const auto file = folder.path() / "weights.safetensors";
    const auto output = folder.path() / "output.txt";
    EXPECT_EQ(TrainerProcess({"export", checkpoint().string(), file.string()}, output).wait(), 0)
        << readFile(output);
    return file;
}

TEST(Init, AnExportOrACheckpointGivesTheFirstLossOfGoingOn) {
    const TemporaryFolder folder;
    const auto expected = continued().metric("loss").at(1);
    EXPECT_NE(expected, trained().metric("loss").at(1));
    for (const auto& weights : {exported(folder), checkpoint()}) {
        const TrainingRun run(beginning(weights));
        ASSERT_EQ(run.train(), 0) << run.output();
        EXPECT_EQ(run.metric("loss").at(1), expected);
        const auto said = run.all<events::Message>();
        EXPECT_TRUE(std::ranges::any_of(said, [&](const events::Message& message) {
            return message.text.find("The weights begin as those of " + weights.string()) !=
                   std::string::npos;
        }));
    }
}

TEST(Init, RanksThatShardWeightsReadTheSame) {
    const TemporaryFolder folder;
    const TrainingRun run(beginning(exported(folder), {{"layout.shard", "zero3"}}));
    ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
    const auto expected = continued().metric("loss").at(1);
    EXPECT_NEAR(run.metric("loss").at(1), expected, 1e-5 * expected);
}

/// A run on four clips, whose captions come as 1 to 4 embeddings.
Json onEmbeddings(const TemporaryFolder& folder) {
    Members members;
    for (int i = 0; i < 4; ++i) {
        members.emplace_back(std::to_string(i) + ".mp4", videoBytes(2, 16, 16));
        const auto tokens = static_cast<std::size_t>(i) + 1;
        members.emplace_back(std::to_string(i) + ".text.npy",
                             npyOf({i + 1, 6}, std::vector<float>(6 * tokens, 0.3F * static_cast<float>(i))));
    }
    writeFileAtomically(folder.path() / "0.tar", tarOf(members));
    auto config = wan();
    config.update({{"data.source", "webdataset"},
                   {"data.shards", {(folder.path() / "0.tar").string()}},
                   {"data.text_embeddings", "text.npy"},
                   {"data.batch_size", 2},
                   {"steps", 4}});
    return config;
}

// For captions as embeddings diffusers has the model: its names, there and back.
TEST(Init, AnExportForDiffusersGivesTheLossOfTheCheckpoint) {
    const TemporaryFolder folder;
    auto config = onEmbeddings(folder);
    const TrainingRun first(config);
    ASSERT_EQ(first.train(), 0) << first.output();
    const auto saved = first.path() / "checkpoints/step-000000004";
    const auto exported = folder.path() / "wan", output = folder.path() / "output.txt",
               inspected = folder.path() / "inspected.json";
    ASSERT_EQ(
        TrainerProcess({"export", saved.string(), exported.string(), "--format", "diffusers"}, output).wait(),
        0)
        << readFile(output);
    ASSERT_EQ(TrainerProcess({"inspect", exported.string(), "--json"}, inspected).wait(), 0)
        << readFile(inspected);
    const auto part = Json::parse(readFile(inspected)).at("parts").front();
    EXPECT_EQ(part.at("names"), "diffusers");
    EXPECT_TRUE(part.at("missing").empty() && part.at("unknown").empty());
    EXPECT_EQ(part.at("read_by"), (Json{"diffusers", "Dailies"}));
    std::vector<double> losses;
    for (const auto& weights : {saved, exported}) {
        config["model.init"] = weights.string();
        config["steps"] = 2;
        const TrainingRun run(config);
        ASSERT_EQ(run.train(), 0) << run.output();
        losses.push_back(run.metric("loss").at(1));
    }
    EXPECT_EQ(losses[0], losses[1]);
    EXPECT_NE(losses[0], first.metric("loss").at(1));
}

/// As others publish it: without what an export of ours says about itself.
void removeMetadata(const std::filesystem::path& file) {
    writeSafetensors(file, readSafetensors(file));
}

TEST(Init, APublishedWanIsGoneOnWithInEveryLayout) {
    const TemporaryFolder folder;
    auto config = onEmbeddings(folder);
    config.update({{"model.text_places", 512}, {"diffusion.prediction", "velocity"}});
    const TrainingRun first(config);
    ASSERT_EQ(first.train(), 0) << first.output();
    const auto saved = first.path() / "checkpoints/step-000000004";
    const auto published = folder.path() / "wan", output = folder.path() / "output.txt";
    ASSERT_EQ(TrainerProcess({"export", saved.string(), published.string(), "--format", "diffusers"}, output)
                  .wait(),
              0)
        << readFile(output);
    removeMetadata(published / "diffusion_pytorch_model.safetensors");
    config["steps"] = 2;
    config["model.init"] = saved.string();
    const TrainingRun goingOn(config);
    ASSERT_EQ(goingOn.train(), 0) << goingOn.output();
    const auto expected = goingOn.metric("loss").at(1);

    config["model.init"] = published.string();
    const TrainingRun alone(config);
    ASSERT_EQ(alone.train(), 0) << alone.output();
    EXPECT_EQ(alone.metric("loss").at(1), expected);
    for (const Json& layout :
         {Json{{"layout.shard", "zero2"}}, Json{{"layout.tp", 2}}, Json{{"layout.cp", 2}}}) {
        auto shared = config;
        shared.update(layout);
        const TrainingRun run(shared);
        ASSERT_EQ(trainOnRanks(run, 2), 0) << layout << readFile(run.path() / "output-0.txt");
        EXPECT_NEAR(run.metric("loss").at(1), expected, 1e-5 * expected) << layout;
    }

    config["model.text_places"] = 0;
    config["diffusion.prediction"] = "clip";
    const TrainingRun refused(config);
    EXPECT_EQ(refused.train(), 2);
    EXPECT_THAT(refused.all<events::End>().at(0).reason,
                AllOf(HasSubstr("of which model.text_places is 512, diffusion.prediction is velocity."),
                      HasSubstr("Give the run these settings")));
}

TEST(Init, ARunThatResumesGoesOnFromItsOwnCheckpoint) {
    const TemporaryFolder folder;
    TrainingRun run(beginning(exported(folder)));
    ASSERT_EQ(run.train(), 0) << run.output();
    std::filesystem::remove(folder.path() / "weights.safetensors");
    run.configure({{"steps", 4}});
    EXPECT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Resume>().size(), 1U);
}

TEST(Init, IsRefusedBeforeTrainingWithAReason) {
    const TemporaryFolder folder;
    const auto weights = exported(folder);
    const TrainingRun deeper(beginning(weights, {{"model.depth", 3}}));
    EXPECT_EQ(deeper.train(), 2);
    EXPECT_THAT(deeper.all<events::End>().at(0).reason,
                AllOf(HasSubstr("model.init"), HasSubstr("depth 2 there, 3 in the config")));
    EXPECT_TRUE(deeper.metric("loss").empty());
    const TrainingRun absent(beginning(folder.path() / "absent.safetensors"));
    EXPECT_EQ(absent.train(), 2);
    EXPECT_THAT(absent.all<events::End>().at(0).reason, HasSubstr("is not there"));
}

TEST(Init, AnExportTellsWhatItIs) {
    const TemporaryFolder folder;
    const auto output = folder.path() / "inspected.json";
    ASSERT_EQ(TrainerProcess({"inspect", exported(folder).string(), "--json"}, output).wait(), 0);
    const auto part = Json::parse(readFile(output)).at("parts").front();
    EXPECT_EQ(part.at("family"), "wan");
    EXPECT_EQ(part.at("names"), "dailies");
    EXPECT_EQ(part.at("sizes").at("depth"), 2);
    EXPECT_TRUE(part.at("missing").empty());
    EXPECT_TRUE(part.at("checked").get<bool>());
    EXPECT_EQ(part.at("read_by").front(), "Dailies");
}

}  // namespace
}  // namespace dailies::trainer
