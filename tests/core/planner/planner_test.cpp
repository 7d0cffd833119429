#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/planner/activations.h"
#include "core/planner/clip_flops.h"
#include "core/planner/fit.h"
#include "tests/core/planner/latent_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::planner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The preset cosmos-7b on latents, which 80 GB do not hold.
config::TrainConfig cosmos() {
    return latentModel(4096, 28, 8, 8);
}

RankMemory memoryOf(const config::TrainConfig& config, Spread spread = {}) {
    return rankMemory(config, DataShape::expected(config), spread);
}

double part(const std::vector<MemoryPart>& parts, const std::string& name) {
    for (const auto& each : parts)
        if (each.name == name) return each.bytes;
    return -1;
}

TEST(Planner, CountsTheStatesOfAModelByTheByte) {
    auto config = cosmos();
    const auto elements = static_cast<double>(elementCount(weightSizes(config, DataShape::expected(config))));
    auto asPublished = DataShape::expected(config);
    asPublished.textWidth = 1024;
    EXPECT_NEAR(static_cast<double>(elementCount(weightSizes(config, asPublished))), 7.2e9, 0.1e9);
    const auto full = memoryOf(config, {.gpu = true});
    EXPECT_EQ(part(full.gpu, "weights"), 4 * elements);
    EXPECT_EQ(part(full.gpu, "gradients"), 4 * elements);
    EXPECT_EQ(part(full.gpu, "moments"), 8 * elements);
    EXPECT_EQ(part(full.gpu, "average"), 0);
    EXPECT_EQ(part(full.host, "checkpoint copy"), 12 * elements);
    config.optimizer.name = "adamw8bit";
    const auto moments = part(memoryOf(config, {.gpu = true}).gpu, "moments");
    EXPECT_NEAR(moments / elements, 2 + 8 / 256.0, 1e-3) << "Dettmers et al.: two bytes and two scales";
    config.optimizer.ema_decay = 0.99;
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).gpu, "average"), 4 * elements);
}

TEST(Planner, CountsTheFrozenEncodersOfAnAnimatedCharacter) {
    auto config = config::resolve(
        {{"model",
          {{"family", "animate"},
           {"patch_frames", 1},
           {"patch_size", 1},
           {"image_encoder", "/models/image_encoder"}}},
         {"data", {{"source", "figures"}, {"frames", 1}}},
         {"tokenizer",
          {{"kind", "sd_vae"}, {"weights", "/models/vae"}, {"frames_factor", 1}, {"channels", 4}}}});
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).gpu, "image encoder"), 4 * 303'966'208.0);
    EXPECT_GT(part(memoryOf(config, {.gpu = true}).gpu, "VAE"), 4 * 83'653'863.0);
    EXPECT_EQ(part(samplingMemory(config, DataShape::expected(config), {}, true).gpu, "image encoder"),
              4 * 303'966'208.0);
    const auto kept = part(memoryOf(config, {.gpu = true}).gpu, "activations");
    config.model.recompute = "full";
    EXPECT_LT(part(memoryOf(config, {.gpu = true}).gpu, "activations"), kept / 2);
    config.model.image_encoder.clear();
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).gpu, "image encoder"), 0);
}

TEST(Planner, KeepsTheOtherExpertOfAPairInTheNodesMemoryButForOneBlock) {
    auto config =
        config::resolve({{"model",
                          {{"family", "wan"},
                           {"width", 5120},
                           {"depth", 40},
                           {"heads", 40},
                           {"mlp_width", 13824},
                           {"patch_frames", 1},
                           {"patch_size", 2},
                           {"conditioning", "image"},
                           {"image_encoder", "/models/image_encoder"},
                           {"init", "/models/high_noise_model"}}},
                         {"text", {{"encoder", "t5"}, {"weights", "/models/t5"}, {"width", 4096}}},
                         {"data", {{"frames", 33}, {"height", 480}, {"width", 832}, {"batch_size", 1}}},
                         {"tokenizer", {{"kind", "wan_vae"}, {"weights", "/models/vae"}}},
                         {"diffusion", {{"timestep_from", 0.9}}},
                         {"lora", {{"rank", 32}}},
                         {"runtime", {{"device", "cuda"}, {"precision", "bf16"}}}});
    // Wan 2.1's image to video, and CLIP's ViT-H/14 beside it
    EXPECT_EQ(elementCount(weightSizes(config, DataShape::expected(config))), 16'394'878'784);
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).gpu, "image encoder"), 4 * 632'076'800.0);
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).host, "other expert"), 0);
    config.sampling.other_expert = "/models/low_noise_model";
    const auto need = memoryOf(config, {.gpu = true});
    const auto base = part(need.gpu, "frozen weights");
    EXPECT_LT(part(need.host, "other expert"), base) << "its blocks, kept in the same types";
    EXPECT_GT(part(need.host, "other expert"), 0.97 * base);
    EXPECT_LT(part(need.gpu, "other expert"), base / 15);
    EXPECT_GT(part(need.gpu, "other expert"), base / 40);
    EXPECT_EQ(part(memoryOf(config).host, "other expert"), base) << "on CPUs there is one memory";
    config.layout.tp = 2;
    const auto divided = memoryOf(config, {.ranks = 2, .gpu = true});
    EXPECT_LT(part(divided.gpu, "frozen weights"), 0.52 * base);
    EXPECT_EQ(part(divided.host, "other expert"), part(need.host, "other expert"))
        << "ranks that divide the base each hold the whole other expert";
    config.layout.tp = 1;
    EXPECT_EQ(part(samplingMemory(config, DataShape::expected(config), {}, true).host, "other expert"),
              part(need.host, "other expert"));

    // blocks that are swapped: on the GPU the others, what is outside of blocks, and one of them
    EXPECT_EQ(part(need.host, "swapped blocks"), 0);
    const auto frozenAt = [&](std::int64_t blocks, bool gpu = true) {
        config.lora.blocks_to_swap = blocks;
        const auto at = memoryOf(config, {.gpu = gpu});
        return std::pair(part(gpu ? at.gpu : at.host, "frozen weights"), part(at.host, "swapped blocks"));
    };
    const auto [half, waits] = frozenAt(20);
    const double block = waits / 20;
    EXPECT_NEAR(half, base - 19 * block, 1);
    const auto [least, all] = frozenAt(40);
    EXPECT_NEAR(all, 40 * block, 1);
    EXPECT_NEAR(least, base - 39 * block, 1);
    EXPECT_LT(least, base / 15);

    // in 8 bits: half of what bfloat16 takes, and one block as it is read
    config.lora.base_precision = "int8";
    const auto [packed, none] = frozenAt(0);
    EXPECT_EQ(none, 0);
    EXPECT_NEAR(packed, base / 2 + block, 0.02 * base);
    const auto [outside, waiting] = frozenAt(40);
    EXPECT_NEAR(outside, least, 1) << "a block at a time is read all the same";
    EXPECT_NEAR(waiting, all / 2, 0.01 * all) << "and half as much is copied";
}

TEST(Planner, SwapsBlocksWhereAnAdaptersBaseIsTooLarge) {
    const auto config = config::resolve(
        {{"model",
          {{"family", "wan"},
           {"width", 5120},
           {"depth", 40},
           {"heads", 40},
           {"mlp_width", 13824},
           {"patch_frames", 1},
           {"patch_size", 2},
           {"recompute", "full"},
           {"init", "/models/transformer"}}},
         {"text", {{"encoder", "t5"}, {"weights", "/models/t5"}, {"width", 4096}, {"device", "cpu"}}},
         {"data", {{"frames", 17}, {"height", 256}, {"width", 256}, {"batch_size", 1}}},
         {"tokenizer", {{"kind", "wan_vae"}, {"weights", "/models/vae"}}},
         {"lora", {{"rank", 16}}},
         {"runtime", {{"device", "cuda"}, {"precision", "bf16"}}}});
    const JobMemory card{.gpuBytes = std::int64_t{24} << 30, .gpuName = "a card"};
    const auto fit = checkFit(config, DataShape::expected(config), {.gpu = true}, card);
    EXPECT_EQ(fit.verdict, FitVerdict::tooLarge);
    EXPECT_THAT(fit.remedy, HasSubstr("lora.blocks_to_swap 30"));
    auto changed = config;
    changed.lora.blocks_to_swap = 30;
    EXPECT_EQ(checkFit(changed, DataShape::expected(config), {.gpu = true}, card).verdict, FitVerdict::fits);
    const JobMemory larger{.gpuBytes = std::int64_t{30} << 30, .gpuName = "a larger card"};
    changed = config;
    EXPECT_EQ(checkFit(changed, DataShape::expected(config), {.gpu = true}, larger).verdict,
              FitVerdict::tooLarge);
    changed.lora.base_precision = "int8";
    EXPECT_EQ(checkFit(changed, DataShape::expected(config), {.gpu = true}, larger).verdict,
              FitVerdict::fits);
}

TEST(Planner, CountsThePublishedTextEncoderWhereItIs) {
    auto config =
        config::resolve({{"text", {{"encoder", "t5"}, {"weights", "/models/t5"}, {"width", 4096}}}});
    constexpr double kBytes = 2 * 5'680'910'336.0;
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).gpu, "text encoder"), kBytes);
    EXPECT_EQ(part(memoryOf(config).host, "text encoder"), kBytes);
    EXPECT_EQ(part(samplingMemory(config, DataShape::expected(config), {}, true).gpu, "text encoder"),
              kBytes);
    config.text.device = "cpu";
    EXPECT_LT(part(memoryOf(config, {.gpu = true}).gpu, "text encoder"), 0) << "not there";
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).host, "text encoder"), kBytes);
    config.text.encoder = "words";
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).host, "text encoder"), 0);
}

TEST(Planner, OffloadingMovesMomentsToTheHostOfAGpu) {
    auto config = cosmos();
    const auto elements = static_cast<double>(elementCount(weightSizes(config, DataShape::expected(config))));
    const auto kept = memoryOf(config, {.gpu = true}), onCpu = memoryOf(config);
    config.optimizer.offload = true;
    const auto moved = memoryOf(config, {.gpu = true});
    EXPECT_EQ(kept.gpuBytes() - moved.gpuBytes(), 8 * elements);
    EXPECT_EQ(moved.hostBytes() - kept.hostBytes(), (8 + 4 + 4) * elements)
        << "moments, and the weights and gradients that they are computed with";
    EXPECT_EQ(memoryOf(config).hostBytes(), onCpu.hostBytes());
}

TEST(Planner, TextPlacesOfWanTakeTheWorkAndMemoryOfSoManyTokens) {
    const auto wan = [](std::int64_t places, std::int64_t tokens) {
        return config::resolve({{"model", {{"family", "wan"}, {"text_places", places}}},
                                {"text", {{"encoder", "bytes"}, {"tokens", tokens}}}});
    };
    const auto placed = wan(512, 64), long_ = wan(0, 512), short_ = wan(0, 64);
    const auto work = [](const config::TrainConfig& config) {
        const auto clip = clipShapes(config).front();
        return clipFlops(config, DataShape::expected(config), clip).forward();
    };
    const auto kept = [](const config::TrainConfig& config) {
        const auto clip = clipShapes(config).front();
        return activations(config, DataShape::expected(config), clip, 1, true).kept;
    };
    EXPECT_EQ(work(placed), work(long_));
    EXPECT_GT(work(placed), 1.5 * work(short_));
    EXPECT_EQ(kept(placed), kept(long_));
    EXPECT_GT(kept(placed), kept(short_));
}

TEST(Planner, RecomputationAndAccumulationShrinkActivationsOnly) {
    auto config = cosmos();
    const auto bytes = [&] { return part(memoryOf(config, {.gpu = true}).gpu, "activations"); };
    const double none = bytes();
    config.model.recompute = "selective";
    const double selective = bytes();
    config.model.recompute = "full";
    const double full = bytes();
    EXPECT_LT(selective, 0.8 * none);
    EXPECT_LT(full, 0.2 * none);
    const auto waiting = [&](bool gpu) {
        return part(memoryOf(config, {.gpu = gpu}).host, "waiting activations");
    };
    EXPECT_EQ(waiting(true), 0);
    config.model.recompute = "offload";
    const double onHost = waiting(true), moved = full - bytes();
    EXPECT_GT(moved, 0.3 * full) << "all blocks' tokens but those of one";
    EXPECT_GT(onHost, moved);
    EXPECT_LT(onHost, 2.2 * moved) << "pinned memory comes in powers of two";
    EXPECT_EQ(waiting(false), 0) << "on CPUs there is one memory";
    config.model.recompute = "none";
    config.optimizer.accumulate = 4;
    EXPECT_NEAR(bytes(), none / 4, none / 1000);
    config.optimizer.accumulate = 1;
    const double batch = part(memoryOf(config, {.gpu = true}).gpu, "batch");
    config.runtime.prepare_ahead = true;
    EXPECT_EQ(part(memoryOf(config, {.gpu = true}).gpu, "batch"), 2 * batch);
    const auto alone = memoryOf(config, {.ranks = 1, .gpu = true}),
               four = memoryOf(config, {.ranks = 4, .gpu = true});
    EXPECT_NEAR(part(four.gpu, "activations"), part(alone.gpu, "activations") / 4,
                part(alone.gpu, "activations") / 1000);
    EXPECT_EQ(part(four.gpu, "moments"), part(alone.gpu, "moments")) << "each rank holds all states";
}

TEST(Planner, DividedWeightsLeaveARankItsShareAndTheUnitsThatAreGathered) {
    auto config = cosmos();
    config.optimizer.master_weights = true;
    const auto shape = DataShape::expected(config);
    const auto weights = weightSizes(config, shape);
    const auto elements = static_cast<double>(elementCount(weights));
    double outside = 0, matrices = 0, others = 0;
    for (const auto& weight : weights) {
        const auto each = static_cast<double>(weight.elements);
        if (!weight.inBlocks)
            outside += each * static_cast<double>(weight.count);
        else
            (weight.use == WeightUse::exact ? others : matrices) += each;
    }
    config.layout.shard = "zero3";
    const auto eight = memoryOf(config, {.ranks = 8, .gpu = true});
    EXPECT_EQ(part(eight.gpu, "weights"), 4 * elements / 8);
    EXPECT_EQ(part(eight.gpu, "moments"), 8 * elements / 8);
    EXPECT_NEAR(part(eight.gpu, "gathered weights"), 4 * outside + 2 * (2 * matrices + 4 * others), 1);
    EXPECT_NEAR(part(eight.gpu, "gradients"), 4 * elements / 8 + 4 * (outside + 2 * (matrices + others)), 1);
    EXPECT_EQ(part(eight.gpu, "bfloat16 copies"), 0) << "they are what is gathered";
    // in pairs that copy each other
    config.layout.shard_ranks = 2;
    EXPECT_EQ(part(memoryOf(config, {.ranks = 8, .gpu = true}).gpu, "weights"), 4 * elements / 2);
    config.layout.shard_ranks = 0;
    const auto one = memoryOf(config, {.ranks = 1, .gpu = true});
    EXPECT_EQ(part(one.gpu, "weights"), 4 * elements) << "nobody to divide with";
    EXPECT_EQ(part(one.gpu, "gathered weights"), -1);
}

TEST(Planner, SlicesLeaveARankItsShareOfWhatALayoutDivides) {
    auto config = cosmos();
    config.layout.tp = 4;
    const auto shape = DataShape::expected(config);
    double sliced = 0, whole = 0;
    for (const auto& weight : weightSizes(config, shape))
        (weight.sliced ? sliced : whole) += static_cast<double>(weight.elements * weight.count);
    EXPECT_LT(whole, 0.04 * sliced) << "all that is large";
    const auto one = memoryOf(cosmos(), {.ranks = 1, .gpu = true}),
               four = memoryOf(config, {.ranks = 4, .gpu = true});
    EXPECT_EQ(part(four.gpu, "weights"), 4 * (sliced / 4 + whole));
    EXPECT_EQ(part(four.gpu, "gradients"), 4 * (sliced / 4 + whole));
    EXPECT_EQ(part(four.gpu, "moments"), 8 * (sliced / 4 + whole));
    const auto activations = part(four.gpu, "activations") / part(one.gpu, "activations");
    EXPECT_GT(activations, 1.0 / 4) << "rows that ranks gather for matrices are whole";
    EXPECT_LT(activations, 1.0 / 2);
    EXPECT_EQ(part(four.gpu, "batch"), part(one.gpu, "batch")) << "they take the same clips";
    config.layout.shard = "zero1";
    EXPECT_EQ(part(memoryOf(config, {.ranks = 8, .gpu = true}).gpu, "moments"), 8 * (sliced / 4 + whole) / 2);
}

TEST(Planner, AStageHoldsItsBlocksAndAPassForEachStage) {
    auto config = cosmos();
    config.data.batch_size = 8;
    config.optimizer.accumulate = 8;
    const auto one = memoryOf(config, {.ranks = 1, .gpu = true});
    config.layout.pp = 4;
    const auto four = memoryOf(config, {.ranks = 4, .gpu = true});
    double blocks = 0, outside = 0;
    for (const auto& weight : weightSizes(config, DataShape::expected(config)))
        if (!weight.ofOutput)
            (weight.inBlocks ? blocks : outside) += static_cast<double>(weight.elements * weight.count);
    EXPECT_EQ(part(four.gpu, "weights"), 4 * (blocks / 4 + outside));
    EXPECT_EQ(part(four.gpu, "moments"), 8 * (blocks / 4 + outside));
    const auto activations = part(four.gpu, "activations") / part(one.gpu, "activations");
    EXPECT_NEAR(activations, 1, 0.1) << "four passes through a quarter of the blocks";
    EXPECT_EQ(part(four.gpu, "batch"), part(one.gpu, "batch")) << "every stage has the clips";
    config.optimizer.accumulate = 1;
    config.data.batch_size = 1;
    EXPECT_LT(part(memoryOf(config, {.ranks = 4, .gpu = true}).gpu, "activations"),
              0.4 * part(one.gpu, "activations"))
        << "only one is under way";
}

TEST(Planner, TheLargestBucketDecides) {
    auto config = cosmos();
    const auto one = memoryOf(config, {.gpu = true}).gpuBytes();
    config.data.buckets = {"8x64x64", "2x32x32"};
    EXPECT_EQ(memoryOf(config, {.gpu = true}).gpuBytes(), one);
    config.data.buckets = {"2x32x32", "16x64x64"};
    EXPECT_GT(memoryOf(config, {.gpu = true}).gpuBytes(), one);
}

TEST(Planner, SaysWhatDoesNotFitByHowMuchAndTheLeastChangeThatDoes) {
    auto config = config::resolve({{"model", {{"width", 512}, {"depth", 12}, {"heads", 8}}},
                                   {"data", {{"batch_size", 64}, {"height", 128}, {"width", 128}}}});
    const JobMemory job{.nodeBytes = 4 * kGibibyte, .nodeSource = "--mem 4G"};
    const auto shape = DataShape::expected(config);
    const auto fit = checkFit(config, shape, {}, job);
    EXPECT_EQ(fit.verdict, FitVerdict::tooLarge);
    EXPECT_THAT(fit.text, AllOf(HasSubstr("Each rank needs about"), HasSubstr("activations"),
                                HasSubstr("--mem 4G gives 4.0 GiB"), HasSubstr("too little")));
    EXPECT_THAT(fit.remedy, HasSubstr("Set optimizer.accumulate"));
    // what it proposes fits
    const auto words = fit.remedy.substr(std::string("Set optimizer.accumulate ").size());
    config.optimizer.accumulate = std::stoll(words);
    EXPECT_EQ(checkFit(config, shape, {}, job).verdict, FitVerdict::fits);
    config.optimizer.accumulate = 1;
    auto larger = job;
    larger.wholeNode = 64 * kGibibyte;
    EXPECT_THAT(checkFit(config, shape, {}, larger).remedy,
                AllOf(HasSubstr("Ask for more (resources.memory"), HasSubstr("a node has 64.0 GiB")));
    EXPECT_EQ(checkFit(config, shape, {}, {}).verdict, FitVerdict::unknown);
}

TEST(Planner, SamplingHoldsNeitherGradientsNorMomentsAndGuidanceDoublesWhatAPassHolds) {
    const auto config = cosmos();
    const auto shape = DataShape::expected(config);
    const auto memory = [&](const SamplingLoad& load) { return samplingMemory(config, shape, load, true); };
    const auto plain = memory({.clips = 4}), guided = memory({.clips = 4, .guidance = 3});
    EXPECT_EQ(part(plain.gpu, "weights"), part(memoryOf(config, {.gpu = true}).gpu, "weights"));
    EXPECT_EQ(part(plain.gpu, "gradients"), -1);
    EXPECT_NEAR(part(guided.gpu, "activations"), 2 * part(plain.gpu, "activations"), 1);
    EXPECT_NEAR(part(memory({.clips = 1}).gpu, "activations"), part(plain.gpu, "activations") / 4, 1);
    EXPECT_EQ(memory({.clips = 800}).gpuBytes(), memory({.clips = 8}).gpuBytes()) << "eight at once";
    EXPECT_GT(plain.hostBytes(), part(plain.gpu, "weights")) << "they are read there first";
}

TEST(Planner, LongClipsTakeNoMoreMemoryUnlessTheirChunksAreJoinedAtEveryStep) {
    auto config = config::resolve({{"tokenizer", {{"kind", "vae"}, {"checkpoint", "vae"}}},
                                   {"data", {{"frames", 17}, {"height", 512}, {"width", 512}}},
                                   {"model", {{"patch_frames", 1}, {"patch_size", 2}}}});
    const auto shape = DataShape::expected(config);
    const auto bytes = [&](const SamplingLoad& load) {
        return samplingMemory(config, shape, load, false).hostBytes();
    };
    EXPECT_EQ(bytes({.frames = 120}), bytes({.frames = 1200}));
    EXPECT_GT(bytes({.frames = 1200, .joinsAtEachStep = true}),
              bytes({.frames = 120, .joinsAtEachStep = true}));
    EXPECT_GT(bytes({.frames = 120}), bytes({})) << "its frames are decoded whole, not in tiles";

    const double few = bytes({.frames = 1200}) * 1.05;
    const auto fit = checkSamplingFit(config, shape, {.frames = 40000, .joinsAtEachStep = true}, false,
                                      {.nodeBytes = few, .nodeSource = "--mem 4G"});
    EXPECT_EQ(fit.verdict, FitVerdict::tooLarge) << fit.text;
    EXPECT_THAT(fit.text, AllOf(HasSubstr("Sampling needs about"), HasSubstr("the whole clip"),
                                HasSubstr("too little")));
    EXPECT_EQ(fit.remedy, "Join the chunks when they are finished (blend linear).");
    EXPECT_EQ(
        checkSamplingFit(config, shape, {}, false, {.nodeBytes = 1 << 20, .nodeSource = "--mem 1M"}).remedy,
        "Choose nodes with more memory.");
}

TEST(Planner, APublishedVaeStaysInMemoryBesideTheModel) {
    const auto bytes = [](const char* kind, std::int64_t space, std::int64_t channels) {
        const auto config = config::resolve({{"tokenizer",
                                              {{"kind", kind},
                                               {"checkpoint", "vae"},
                                               {"weights", "vae"},
                                               {"space_factor", space},
                                               {"channels", channels}}},
                                             {"data", {{"frames", 17}, {"height", 256}, {"width", 256}}},
                                             {"model", {{"patch_frames", 1}, {"patch_size", 2}}}});
        return samplingMemory(config, DataShape::expected(config), {}, false).hostBytes();
    };
    constexpr double kParameters21 = 126'892'531, kParameters22 = 704'688'668;  // of 4 bytes
    EXPECT_GT(bytes("wan_vae", 8, 16), bytes("vae", 8, 16) + 4 * kParameters21);
    EXPECT_GT(bytes("wan_vae", 16, 48), bytes("vae", 16, 48) + 4 * kParameters22);
    constexpr double kParametersOfStableDiffusion = 83'653'863, kPixels = 256.0 * 256;
    EXPECT_GT(bytes("sd_vae", 8, 4), 4 * (kParametersOfStableDiffusion + 3 * 256 * kPixels))
        << "one picture at a time, at full sides";
}

TEST(Planner, KnowsTheMemoryOfGpusBySlurmsNames) {
    const JobMemory h200{.gpuBytes = gpuMemory("nvidia_h200_141gb"), .gpuName = "h200"};
    const auto config = cosmos();
    const auto fit = checkFit(config, DataShape::expected(config), {.gpu = true}, h200);
    EXPECT_EQ(fit.verdict, FitVerdict::tooLarge);
    EXPECT_THAT(fit.text, HasSubstr("a GPU of type h200 has 140 GiB"));
    EXPECT_THAT(fit.remedy, HasSubstr("optimizer.offload true")) << "which changes no result";
    EXPECT_GT(gpuMemory("H200"), gpuMemory("H100"));
    EXPECT_FALSE(gpuMemory("some_card"));
}

TEST(Planner, AModelThatNothingHelpsIsToldSo) {
    auto config = cosmos();
    config.model.depth = 120;
    const JobMemory a10{.gpuBytes = gpuMemory("a10"), .gpuName = "a10"};
    EXPECT_THAT(checkFit(config, DataShape::expected(config), {.gpu = true}, a10).remedy,
                AllOf(HasSubstr("Neither"), HasSubstr("GPUs with more memory")));
}

TEST(Planner, SharesANodeAmongItsRanks) {
    const auto config = config::resolve({{"data", {{"batch_size", 4}}}});
    const auto shape = DataShape::expected(config);
    const std::int64_t given = 600 << 20;
    const auto one = checkFit(config, shape, {.ranks = 4}, {.nodeBytes = given, .nodeSource = "--mem 600M"});
    EXPECT_EQ(one.verdict, FitVerdict::fits) << one.text;
    const auto four = checkFit(config, shape, {.ranks = 4},
                               {.ranksPerNode = 4, .nodeBytes = given, .nodeSource = "--mem 600M"});
    EXPECT_NE(four.verdict, FitVerdict::fits) << four.text;
    EXPECT_THAT(four.text, HasSubstr("the 4 ranks of a node"));
}

}  // namespace
}  // namespace dailies::planner
