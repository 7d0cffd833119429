#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/rank_processes.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>
#include <torch/types.h>

// Runs that train an adapter on top of frozen weights: lora.rank.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Four clips, whose captions come as 1 to 4 embeddings.
const std::filesystem::path& fourClips() {
    static const TemporaryFolder folder;
    static const auto file = [] {
        Members members;
        for (int i = 0; i < 4; ++i) {
            members.emplace_back(std::to_string(i) + ".mp4", videoBytes(2, 16, 16));
            const auto tokens = static_cast<std::size_t>(i) + 1;
            members.emplace_back(
                std::to_string(i) + ".text.npy",
                npyOf({i + 1, 6}, std::vector<float>(6 * tokens, 0.3F * static_cast<float>(i))));
        }
        auto tar = folder.path() / "0.tar";
        writeFileAtomically(tar, tarOf(members));
        return tar;
    }();
    return file;
}

Json smallWan() {
    return {{"model.family", "wan"},
            {"model.depth", 2},
            {"model.text_places", 6},
            {"model.activation", "gelu-tanh"},
            {"data.source", "webdataset"},
            {"data.shards", {fourClips().string()}},
            {"data.text_embeddings", "text.npy"},
            {"data.batch_size", 4},
            {"optimizer.schedule", "constant"},
            {"checkpoint.keep", 10}};
}

std::filesystem::path savedAt(const TrainingRun& run, int step) {
    const auto digits = std::to_string(step);
    return run.path() / ("checkpoints/step-" + std::string(9 - digits.size(), '0') + digits);
}

/// What adapters are trained on top of: an export of a whole model.
const std::filesystem::path& frozenBase() {
    static const TemporaryFolder folder;
    static const auto file = [] {
        const TrainingRun run(smallWan());
        EXPECT_EQ(run.train(), 0) << run.output();
        auto out = folder.path() / "base.safetensors";
        const auto said = folder.path() / "output.txt";
        EXPECT_EQ(TrainerProcess({"export", savedAt(run, 12).string(), out.string()}, said).wait(), 0)
            << readFile(said);
        return out;
    }();
    return file;
}

Json adapterRun(const Json& changes = Json::object()) {
    auto config = smallWan();
    config.update({{"model.init", frozenBase().string()},
                   {"lora.rank", 4},
                   {"lora.alpha", 8},
                   {"steps", 20},
                   {"checkpoint.every", 5}});
    config.update(changes);
    return config;
}

const TrainingRun& trainedAdapter() {
    static const TrainingRun run(adapterRun());
    static const int status = run.train();
    EXPECT_EQ(status, 0) << run.output();
    return run;
}

class LoraRun : public testing::Test {
protected:
    int ran(const std::vector<std::string>& words) {
        return TrainerProcess(words, folder.path() / "output.txt").wait();
    }
    std::string output() { return readFile(folder.path() / "output.txt"); }
    Json inspected(const std::string& path) {
        const auto said = folder.path() / "inspected.json";
        std::filesystem::remove(said);
        EXPECT_EQ(TrainerProcess({"inspect", path, "--json"}, said).wait(), 0) << readFile(said);
        return Json::parse(readFile(said)).at("parts").front();
    }
    TemporaryFolder folder;
};

TEST_F(LoraRun, BeginsWithTheLossOfItsBaseAndLearns) {
    auto whole = smallWan();
    whole.update({{"model.init", frozenBase().string()}, {"steps", 2}});
    const TrainingRun run(whole);
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(trainedAdapter().metric("loss").at(1), run.metric("loss").at(1));
    EXPECT_NE(trainedAdapter().metric("loss").at(20), trainedAdapter().metric("loss").at(1));
    const auto said = trainedAdapter().all<events::Message>();
    EXPECT_TRUE(std::ranges::any_of(said, [](const events::Message& message) {
        return message.text.find("adapter (LoRA) of rank 4") != std::string::npos &&
               message.text.find("scale 2") != std::string::npos;
    }));
}

TEST_F(LoraRun, KeepsTheAdapterAloneInItsCheckpoints) {
    const auto state = Checkpoints(trainedAdapter().path(), {}).load(20);
    EXPECT_EQ(state.weights.names().size(), 2 * 10 * 2U);
    for (const auto& name : state.weights.names()) EXPECT_THAT(name, HasSubstr(".lora_"));
    for (const auto& name : state.optimizer.names()) EXPECT_THAT(name, HasSubstr(".lora_"));
    EXPECT_EQ(state.average.names(), state.weights.names());
    EXPECT_EQ(state.model.at("lora").at("scale"), 2);
}

TEST_F(LoraRun, ResumesBitForBit) {
    for (const double dropout : {0.0, 0.2}) {
        const TrainingRun whole(adapterRun({{"lora.dropout", dropout}, {"model.recompute", "full"}}));
        ASSERT_EQ(whole.train(), 0) << whole.output();
        TrainingRun parts(adapterRun({{"lora.dropout", dropout}, {"model.recompute", "full"}}));
        {
            auto process = parts.start();
            ASSERT_TRUE(parts.waitForStep(7)) << parts.output();
            process.signal(SIGKILL);
            ASSERT_EQ(process.wait(), 128 + SIGKILL);
        }
        ASSERT_EQ(parts.train(), 0) << parts.output();
        EXPECT_EQ(parts.metric("loss"), whole.metric("loss"));
        EXPECT_EQ(readFile(savedAt(parts, 20) / "weights.safetensors"),
                  readFile(savedAt(whole, 20) / "weights.safetensors"));
        if (dropout > 0) {
            EXPECT_NE(whole.metric("loss").at(2), trainedAdapter().metric("loss").at(2));
        }
    }
}

TEST_F(LoraRun, RanksTrainWhatOneProcessDoes) {
    for (const auto* shard : {"none", "zero2", "zero3"}) {
        const TrainingRun run(adapterRun({{"layout.shard", shard},
                                          {"layout.certificate", "always"},
                                          {"steps", 6},
                                          {"model.recompute", "full"}}));
        ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
        const auto certificates = run.all<events::Certificate>();
        ASSERT_EQ(certificates.size(), 1U);
        EXPECT_TRUE(certificates[0].proven);
        for (const auto& [step, loss] : run.metric("loss"))
            EXPECT_NEAR(loss, trainedAdapter().metric("loss").at(step), 1e-5 * loss)
                << shard << ", step " << step;
    }
    for (const auto* axis : {"layout.cp", "layout.tp"}) {
        const TrainingRun shared(adapterRun({{axis, 2}, {"layout.certificate", "always"}, {"steps", 6}}));
        ASSERT_EQ(trainOnRanks(shared, 2), 0) << readFile(shared.path() / "output-0.txt");
        EXPECT_TRUE(shared.all<events::Certificate>().at(0).proven) << axis;
        for (const auto& [step, loss] : shared.metric("loss"))
            EXPECT_NEAR(loss, trainedAdapter().metric("loss").at(step), 1e-5 * loss)
                << axis << ", step " << step;
    }
}

TEST_F(LoraRun, RanksThatDivideTheBaseTrainWhatOneProcessDoes) {
    const auto prompt = folder.path() / "prompt.npy";
    writeFileAtomically(prompt, npyOf({2, 6}, std::vector<float>(12, 0.5F)));
    const Json common = {{"lora.base_precision", "int8"},
                         {"lora.targets", {"to_q", "to_v", "ffn.net.2", "attn1.to_out.0"}},
                         {"sampling.prompts", {"a clip"}},
                         {"sampling.prompt_embeddings", {prompt.string()}},
                         {"validation.every", 5},
                         {"validation.clips", 1},
                         {"steps", 10}};
    const auto runOf = [&](const Json& changes) {
        auto config = adapterRun(common);
        config.update(changes);
        return config;
    };
    const TrainingRun alone(runOf(Json::object())),
        divided(runOf({{"layout.tp", 2}, {"model.recompute", "full"}}));
    ASSERT_EQ(alone.train(), 0) << alone.output();
    ASSERT_EQ(trainOnRanks(divided, 2), 0) << readFile(divided.path() / "output-0.txt");
    for (const auto* name : {"loss", "val/loss"})
        for (const auto& [step, value] : divided.metric(name))
            EXPECT_NEAR(value, alone.metric(name).at(step), 1e-5 * value) << name << ", step " << step;
    // its checkpoint is that of one process, which goes on with it
    const auto found = Checkpoints(divided.path(), {}).load(10).weights,
               expected = Checkpoints(alone.path(), {}).load(10).weights;
    ASSERT_EQ(found.names(), expected.names());
    for (const auto& name : found.names())
        EXPECT_TRUE(at::allclose(found[name], expected[name], 1e-3, 1e-5)) << name;
    ASSERT_EQ(ran({"sample", "--run-dir", folder.path().string(), "--checkpoint",
                   savedAt(divided, 10).string(), "--prompt", "a clip", "--embeddings", prompt.string()}),
              0)
        << output();
}

TEST_F(LoraRun, SwapsBlocksOfItsBaseWithoutAnotherResult) {
    const auto prompt = folder.path() / "prompt.npy";
    writeFileAtomically(prompt, npyOf({2, 6}, std::vector<float>(12, 0.5F)));
    const auto runOf = [&](int blocks, const char* recompute) {
        return adapterRun({{"lora.blocks_to_swap", blocks},
                           {"model.recompute", recompute},
                           {"sampling.prompts", {"a clip"}},
                           {"sampling.prompt_embeddings", {prompt.string()}},
                           {"validation.every", 5},
                           {"validation.clips", 1},
                           {"steps", 10}});
    };
    for (const auto* recompute : {"none", "full"}) {
        const TrainingRun held(runOf(0, recompute)), swapped(runOf(2, recompute));
        ASSERT_EQ(held.train(), 0) << held.output();
        ASSERT_EQ(swapped.train(), 0) << swapped.output();
        EXPECT_EQ(swapped.metric("loss"), held.metric("loss"));
        EXPECT_EQ(swapped.metric("val/loss"), held.metric("val/loss"));
        EXPECT_EQ(readFile(savedAt(swapped, 10) / "weights.safetensors"),
                  readFile(savedAt(held, 10) / "weights.safetensors"));
        const auto clipOf = [](const TrainingRun& run) {
            return readFile(run.path() / run.all<events::Clip>().front().path);
        };
        EXPECT_EQ(clipOf(swapped), clipOf(held));

        // its checkpoints are sampled, merged and gone on with as others are
        const TemporaryFolder made;
        ASSERT_EQ(ran({"sample", "--run-dir", made.path().string(), "--checkpoint",
                       savedAt(swapped, 10).string(), "--prompt", "a clip", "--embeddings", prompt.string()}),
                  0)
            << output();
        ASSERT_EQ(ran({"export", savedAt(swapped, 10).string(), (made.path() / "m.safetensors").string(),
                       "--merged"}),
                  0)
            << output();
    }
    TrainingRun parts(runOf(1, "none"));
    {
        auto process = parts.start();
        ASSERT_TRUE(parts.waitForStep(6)) << parts.output();
        process.signal(SIGKILL);
        ASSERT_EQ(process.wait(), 128 + SIGKILL);
    }
    parts.configure({{"lora.blocks_to_swap", 2}});  // a matter of memory alone
    ASSERT_EQ(parts.train(), 0) << parts.output();
    const TrainingRun whole(runOf(0, "none"));
    ASSERT_EQ(whole.train(), 0) << whole.output();
    EXPECT_EQ(parts.metric("loss"), whole.metric("loss"));
}

TEST_F(LoraRun, TrainsOnABaseInEightBits) {
    const auto prompt = folder.path() / "prompt.npy";
    writeFileAtomically(prompt, npyOf({2, 6}, std::vector<float>(12, 0.5F)));
    const auto runOf = [&](const char* precision, int blocks) {
        return adapterRun({{"lora.base_precision", precision},
                           {"lora.blocks_to_swap", blocks},
                           {"sampling.prompts", {"a clip"}},
                           {"sampling.prompt_embeddings", {prompt.string()}},
                           {"sampling.seed", 3},
                           {"steps", 10}});
    };
    const TrainingRun whole(runOf("run", 0)), packed(runOf("int8", 0));
    ASSERT_EQ(whole.train(), 0) << whole.output();
    ASSERT_EQ(packed.train(), 0) << packed.output();
    for (const auto& [step, loss] : packed.metric("loss")) {
        EXPECT_NEAR(loss, whole.metric("loss").at(step), 0.03 * loss) << step;
        EXPECT_NE(loss, whole.metric("loss").at(step)) << step;
    }
    TrainingRun parts(runOf("int8", 1));
    {
        auto process = parts.start();
        ASSERT_TRUE(parts.waitForStep(6)) << parts.output();
        process.signal(SIGKILL);
        ASSERT_EQ(process.wait(), 128 + SIGKILL);
    }
    ASSERT_EQ(parts.train(), 0) << parts.output();
    EXPECT_EQ(parts.metric("loss"), packed.metric("loss")) << "wherever the 8 bits wait";

    ASSERT_EQ(
        ran({"sample", "--run-dir", folder.path().string(), "--checkpoint", savedAt(packed, 10).string(),
             "--prompt", "a clip", "--embeddings", prompt.string(), "--seeds", "3"}),
        0)
        << output();
    EXPECT_EQ(readFile(folder.path() / "clips/step-000000010/a-clip-3.mp4"),
              readFile(packed.path() / packed.all<events::Clip>().front().path));
    // what is merged is the base as it lies in its file
    const auto merged = folder.path() / "merged.safetensors";
    ASSERT_EQ(ran({"export", savedAt(packed, 10).string(), merged.string(), "--merged"}), 0) << output();
    auto begun = smallWan();
    begun.update({{"model.init", merged.string()}, {"steps", 2}});
    const TrainingRun next(begun);
    ASSERT_EQ(next.train(), 0) << next.output();
}

TEST_F(LoraRun, LearnsAtTheRatesOfItsFactors) {
    const auto runOf = [](const std::vector<std::string>& factors) {
        return adapterRun({{"optimizer.lr_factors", factors}, {"steps", 6}});
    };
    const TrainingRun faster(runOf({"lora_B=16"})), wrong(runOf({"lora_C=16"}));
    ASSERT_EQ(faster.train(), 0) << faster.output();
    EXPECT_EQ(faster.metric("loss").at(1), trainedAdapter().metric("loss").at(1));
    EXPECT_NE(faster.metric("loss").at(6), trainedAdapter().metric("loss").at(6));
    TrainingRun parts(
        adapterRun({{"optimizer.lr_factors", {"lora_B=16"}}, {"layout.shard", "zero2"}, {"steps", 6}}));
    ASSERT_EQ(trainOnRanks(parts, 2), 0) << readFile(parts.path() / "output-0.txt");
    for (const auto& [step, loss] : parts.metric("loss"))
        EXPECT_NEAR(loss, faster.metric("loss").at(step), 1e-5 * loss) << step;
    EXPECT_NE(wrong.train(), 0);
    EXPECT_THAT(wrong.output(), HasSubstr("lora_C=16, which no trained weight matches"));
}

TEST_F(LoraRun, TrainsTheLayersThatAreNamed) {
    const TrainingRun run(
        adapterRun({{"lora.targets", {"blocks.1.attn1.to_q", "self_attn.v"}}, {"layout.shard", "zero3"}}));
    ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
    EXPECT_THAT(
        Checkpoints(run.path(), {}).load(20).weights.names(),
        testing::UnorderedElementsAre("blocks.0.qkv.v.lora_A.weight", "blocks.0.qkv.v.lora_B.weight",
                                      "blocks.1.qkv.q.lora_A.weight", "blocks.1.qkv.q.lora_B.weight",
                                      "blocks.1.qkv.v.lora_A.weight", "blocks.1.qkv.v.lora_B.weight"));
}

TEST_F(LoraRun, SamplesFromACheckpointWhatTheRunSampled) {
    const auto prompt = folder.path() / "prompt.npy";
    writeFileAtomically(prompt, npyOf({2, 6}, std::vector<float>(12, 0.5F)));
    const TrainingRun run(adapterRun({{"sampling.prompts", {"a clip"}},
                                      {"sampling.prompt_embeddings", {prompt.string()}},
                                      {"sampling.seed", 3},
                                      {"lora.dropout", 0.1},
                                      {"optimizer.lr", 0.1},
                                      {"steps", 6}}));
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto own = run.all<events::Clip>();
    ASSERT_FALSE(own.empty()) << run.output();
    ASSERT_EQ(ran({"sample", "--run-dir", folder.path().string(), "--checkpoint", savedAt(run, 6).string(),
                   "--prompt", "a clip", "--embeddings", prompt.string(), "--seeds", "3"}),
              0)
        << output();
    std::vector<std::filesystem::path> clips;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "clips"))
        if (entry.path().extension() == ".mp4") clips.push_back(entry.path());
    ASSERT_EQ(clips.size(), 1U);
    EXPECT_EQ(readFile(clips.front()), readFile(run.path() / own.front().path));

    const TemporaryFolder several;
    ASSERT_EQ(
        ran({"sample", "--run-dir", several.path().string(), "--checkpoint", savedAt(run, 6).string(),
             "--prompt", "a clip", "--embeddings", prompt.string(), "--seeds", "3", "--strength", "0,1,4"}),
        0)
        << output();
    const auto at = [&](const char* strength) {
        return several.path() / "clips/step-000000006" / ("a-clip-3-a" + std::string(strength) + ".mp4");
    };
    EXPECT_EQ(readFile(at("1")), readFile(clips.front())) << "as it was trained";
    EXPECT_TRUE(std::filesystem::exists(at("0")));
    EXPECT_GT(furthestApart(at("4"), at("1")), 0);
    EXPECT_EQ(parseJson(readFile(at("4").replace_extension(".json")), "note").at("strength"), 4);

    const TemporaryFolder together;
    for (const auto& rank : startRanks(
             {"sample", "--run-dir", together.path().string(), "--checkpoint", savedAt(run, 6).string(),
              "--prompt", "a clip", "--embeddings", prompt.string(), "--seeds", "3"},
             together.path(), 2))
        ASSERT_EQ(rank->wait(), 0) << readFile(together.path() / "output-0.txt");
    const auto name = clips.front().lexically_relative(folder.path());
    EXPECT_LE(furthestApart(clips.front(), together.path() / name), 2) << "ranks that share the clip";
}

TEST_F(LoraRun, IsExportedAsAnAdapterOrMergedIntoItsBase) {
    const auto checkpoint = savedAt(trainedAdapter(), 20).string();
    const auto file = folder.path() / "adapter.safetensors", merged = folder.path() / "merged.safetensors";
    ASSERT_EQ(ran({"export", checkpoint, file.string()}), 0) << output();
    auto part = inspected(file.string());
    EXPECT_EQ(part.at("adapter").at("rank"), 4);
    EXPECT_EQ(part.at("adapter").at("scale"), 1);
    EXPECT_EQ(part.at("names"), "comfyui");
    ASSERT_EQ(ran({"export", checkpoint, merged.string(), "--merged"}), 0) << output();
    const auto whole = readSafetensors(merged), below = readSafetensors(frozenBase()),
               factors = readSafetensors(file);
    const auto name = std::string("diffusion_model.blocks.1.ffn.2.");
    EXPECT_TRUE(at::allclose(whole["blocks.1.mlp_out.weight"],
                             below["blocks.1.mlp_out.weight"] +
                                 at::matmul(factors[name + "lora_B.weight"], factors[name + "lora_A.weight"]),
                             1e-5, 1e-6));
    EXPECT_TRUE(at::equal(whole["blocks.1.mlp_out.bias"], below["blocks.1.mlp_out.bias"]));

    // the merged model goes on as the adapter does
    auto config = smallWan();
    config.update({{"model.init", merged.string()}, {"steps", 2}});
    const TrainingRun run(config);
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto fromBase = [] {
        auto plain = smallWan();
        plain.update({{"model.init", frozenBase().string()}, {"steps", 2}});
        const TrainingRun first(plain);
        EXPECT_EQ(first.train(), 0) << first.output();
        return first.metric("loss").at(1);
    }();
    EXPECT_NE(run.metric("loss").at(1), fromBase);

    part = inspected(checkpoint);
    EXPECT_EQ(part.at("adapter").at("rank"), 4);
    EXPECT_EQ(part.at("adapter").at("scale"), 2);
}

TEST_F(LoraRun, RefusesWhatItCannotTrain) {
    const auto refusal = [](const Json& changes) {
        const TrainingRun run(adapterRun(changes));
        EXPECT_EQ(run.train(), 2);
        return run.output();
    };
    EXPECT_THAT(refusal({{"model.init", ""}}), HasSubstr("lora.rank: found 4 without model.init"));
    EXPECT_THAT(refusal({{"lora.rank", 0}}), HasSubstr("lora.alpha: found 8 with lora.rank 0"));
    EXPECT_THAT(refusal({{"model.init", savedAt(trainedAdapter(), 20).string()}}),
                AllOf(HasSubstr("is a checkpoint of an adapter (LoRA)"), HasSubstr("export --merged")));
    EXPECT_THAT(refusal({{"layout.pp", 2}}), HasSubstr("layout.pp: found 2 with lora.rank 4, expected 1"));
    EXPECT_THAT(refusal({{"lora.targets", {"to_query"}}}),
                AllOf(HasSubstr("to_query names no layer of the model"), HasSubstr("blocks.*.attn1.to_q")));
}

TEST_F(LoraRun, RefusesToGoOnWithAnotherRankOrBase) {
    TrainingRun run(adapterRun({{"steps", 5}}));
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"steps", 8}, {"lora.rank", 2}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("has another model: lora"));
    auto other = readSafetensors(frozenBase());
    other["blocks.0.mlp_in.weight"].add_(1);
    const auto file = folder.path() / "other.safetensors";
    const auto metadata = readSafetensorsHeader(frozenBase()).metadata;
    writeSafetensors(file, other, {metadata.begin(), metadata.end()});
    run.configure({{"lora.rank", 4}, {"model.init", file.string()}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("are others than those that the checkpoint was trained on"));
}

}  // namespace
}  // namespace dailies::trainer
