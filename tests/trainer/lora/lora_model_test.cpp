#include "trainer/lora/lora_model.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/planner/clip_flops.h"
#include "core/planner/weight_sizes.h"
#include "tests/trainer/models/families.h"
#include "tests/trainer/parallel/divisible.h"
#include "trainer/lora/adapter_export.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/lora.h"
#include "trainer/optim/master_weights.h"
#include "trainer/pretrained/inspection.h"
#include "trainer/pretrained/own_tensors.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/int8_matrix.h"
#include "trainer/tensors/precision.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tensors/tensor_memory.h"

#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <set>

namespace dailies::trainer::lora {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

config::TrainConfig::Lora rankFour(double alpha = 8) {
    config::TrainConfig::Lora config;
    config.rank = 4;
    config.alpha = alpha;
    return config;
}

double largestOf(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

at::Tensor squares(const std::vector<at::Tensor>& groups) {
    at::Tensor sum = at::zeros({});
    for (const auto& group : groups) sum = sum + group.to(at::kFloat).square().sum();
    return sum;
}

/// Factors as training leaves them: no B is zero.
Params liveFactors(const Model& model) {
    Params live;
    const auto fresh = model.initialWeights(3);
    for (const auto& name : fresh.names())
        live.add(name, fresh[name] + 0.1 * normalTensor(hashText(name), fresh[name].sizes()));
    return live;
}

std::unique_ptr<LoraModel> adapted(const ModelShape& shape, const config::TrainConfig::Lora& config,
                                   const BaseStorage& storage = {}) {
    auto model = makeModel(shape, at::kCPU);
    const auto base = trainer::liveWeights(*model);
    const auto isBase = [&](const std::string& name) { return !model->isAdded(name); };
    auto read = loadBase(
        *model, [&](const std::string& name) { return base[name]; }, at::kCPU, storage, isBase);
    return std::make_unique<LoraModel>(std::move(model), config, std::move(read));
}

/// The base, and what the model adds to it, without the factors.
Params withoutFactors(const LoraModel& model, const Params& adapter) {
    Params weights;
    const auto& base = model.base().weights;
    for (const auto& name : base.names()) weights.add(name, base[name]);
    for (const auto& name : adapter.names())
        if (model.baseModel().isAdded(name)) weights.add(name, adapter[name]);
    return weights;
}

ModelShape wanShape() {
    return std::ranges::find(variants(), "wan", &Variant::name)->shape;
}

TEST(LoraLayer, AddsTheScaledProductOfItsFactorsToEachMatrix) {
    const auto options = at::TensorOptions(at::kDouble);
    const auto random = [&](std::uint64_t key, at::IntArrayRef sizes) {
        return normalTensor(key, sizes).to(options);
    };
    Params weights;
    weights.add("layer.weight", random(1, {9, 6}));
    weights.add("layer.bias", random(2, {9}));
    for (const auto* part : {"layer.q", "layer.v"}) {
        weights.add(std::string(part) + ".lora_A.weight", random(hashText(part), {2, 6}));
        weights.add(std::string(part) + ".lora_B.weight", random(hashText(part) + 1, {3, 2}));
    }
    const auto x = random(3, {2, 5, 6});
    const auto plain = layers::linear(weights, "layer", x);
    layers::Lora lora(1.5);
    lora.add("layer", {{3, "layer.q"}, {3, ""}, {3, "layer.v"}});
    auto with = weights;
    with.setLora(&lora);
    auto merged = weights["layer.weight"].clone();
    for (const auto& [part, row] : {std::pair<std::string, int>{"layer.q", 0}, {"layer.v", 6}})
        merged.narrow(0, row, 3) +=
            1.5 * at::matmul(weights[part + ".lora_B.weight"], weights[part + ".lora_A.weight"]);
    const auto expected = at::linear(x, merged, weights["layer.bias"]);
    EXPECT_LT(largestOf(layers::linear(with, "layer", x) - expected), 1e-13);
    EXPECT_GT(largestOf(expected - plain), 0.1);
    EXPECT_TRUE(at::equal(layers::linear(with, "layer", x).narrow(-1, 3, 3), plain.narrow(-1, 3, 3)));
}

/// Output, then the gradients of x and the factors, for a random gradient of the output.
std::vector<at::Tensor> throughLayer(const Params& weights, const at::Tensor& x) {
    auto leaf = x.clone().set_requires_grad(true);
    std::vector<at::Tensor> inputs = {leaf};
    Params leaves;
    for (const auto& name : weights.names()) {
        const bool isFactor = name.find("lora_") != std::string::npos;
        leaves.add(name, weights[name].detach().clone().set_requires_grad(isFactor ||
                                                                          weights[name].requires_grad()));
        if (isFactor) inputs.push_back(leaves[name]);
    }
    leaves.setLora(weights.lora());
    const auto y = layers::linear(leaves, "layer", leaf);
    auto all = torch::autograd::grad({y}, inputs, {normalTensor(99, y.sizes()).to(y.scalar_type())});
    all.insert(all.begin(), y.detach());
    return all;
}

TEST(LoraLayer, AddedInPlaceItGivesTheGradientsOfSingleOperations) {
    layers::Lora lora(1.5);
    lora.add("layer", {{4, "layer.q"}, {3, ""}, {3, "layer.v"}});
    Params weights;
    weights.add("layer.weight", normalTensor(1, {10, 6}));
    weights.add("layer.bias", normalTensor(2, {10}));
    for (const auto& [part, rows] : {std::pair<std::string, int>{"layer.q", 4}, {"layer.v", 3}}) {
        weights.add(part + ".lora_A.weight", normalTensor(hashText(part), {2, 6}));
        weights.add(part + ".lora_B.weight", normalTensor(hashText(part) + 1, {rows, 2}));
    }
    weights.setLora(&lora);
    auto single = weights;  // the layer's own weights learn: no way but by single operations
    single["layer.weight"].set_requires_grad(true);
    for (const bool bf16 : {false, true}) {
        const AutocastScope autocast(at::kCPU, bf16 ? "bf16" : "fp32");
        const auto x = normalTensor(3, {2, 5, 6});
        Params frozen;
        for (const auto& name : weights.names()) frozen.add(name, weights[name].detach());
        frozen.setLora(&lora);
        const auto found = throughLayer(frozen, x), wanted = throughLayer(single, x);
        ASSERT_EQ(found.size(), 6u);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].scalar_type(), wanted[i].scalar_type()) << i;
            const auto exact = wanted[i].to(at::kDouble);
            EXPECT_LT(((found[i].to(at::kDouble) - exact).norm() / exact.norm()).item<double>(),
                      bf16 ? 1e-2 : 1e-6)
                << i << (bf16 ? " in bfloat16" : "");
        }
    }
}

TEST(LoraLayer, DropsValuesByTheKeyOfTheClip) {
    Params weights;
    weights.add("layer.weight", at::zeros({3, 50}));
    weights.add("layer.lora_A.weight", at::ones({1, 50}));
    weights.add("layer.lora_B.weight", at::ones({3, 1}));
    layers::Lora lora(1);
    lora.add("layer", {{3, "layer"}});
    weights.setLora(&lora);
    const auto x = at::ones({2, 200, 50});
    lora.setDropout(0.25, {7, 8});
    const auto both = layers::linear(weights, "layer", x);
    EXPECT_NEAR(both.mean().item<double>(), 50, 1);
    EXPECT_FALSE(at::equal(both[0], both[1]));
    EXPECT_TRUE(at::equal(layers::linear(weights, "layer", x), both)) << "a recomputed pass";
    lora.setDropout(0.25, {8});
    EXPECT_TRUE(at::equal(layers::linear(weights, "layer", x.narrow(0, 1, 1))[0], both[1]))
        << "on another rank";
    EXPECT_THROW(layers::linear(weights, "layer", x), Error);
    lora.setDropout(0.25, {});
    EXPECT_TRUE(at::equal(layers::linear(weights, "layer", x), at::full({2, 200, 3}, 50.F)));
}

class LoraSuite : public testing::TestWithParam<Variant> {
protected:
    const ModelShape& shape = GetParam().shape;
    ModelInput input = batchFor(shape);
};

TEST_P(LoraSuite, FreshFactorsChangeNothing) {
    const auto model = adapted(shape, rankFour());
    const auto factors = model->initialWeights(3);
    for (const auto& layer : model->layers()) {
        EXPECT_EQ(largestOf(factors[layer.upperName()]), 0);
        const auto bound = 1 / std::sqrt(static_cast<double>(layer.inputs));
        EXPECT_LE(largestOf(factors[layer.lowerName()]), bound);
        EXPECT_GT(largestOf(factors[layer.lowerName()]), 0.8 * bound);
    }
    const auto expected = model->baseModel().forward(withoutFactors(*model, factors), input);
    EXPECT_TRUE(at::equal(model->forward(factors, input).front(), expected.front()));
}

TEST_P(LoraSuite, ComputesWhatTheMergedWeightsCompute) {
    auto config = rankFour();
    config.rslora = true;
    const auto model = adapted(shape, config);
    EXPECT_DOUBLE_EQ(model->scale(), 4);
    const auto factors = liveFactors(*model);
    const auto found = model->forward(factors, input).front();
    const auto expected = model->baseModel().forward(merged(*model, factors), input).front();
    const auto plain = model->baseModel().forward(withoutFactors(*model, factors), input).front();
    EXPECT_LT(largestOf(found - expected) / largestOf(expected), 2e-5);
    EXPECT_GT(largestOf(found - plain) / largestOf(expected), 1e-2);
}

TEST_P(LoraSuite, AtTwiceItsStrengthComputesWhatTwiceTheScaleComputes) {
    auto twice = rankFour();
    twice.alpha *= 2;
    const auto model = adapted(shape, rankFour()), other = adapted(shape, twice);
    const auto factors = liveFactors(*model);
    const auto input = batchFor(shape);
    const at::NoGradGuard noGradients;
    const auto expected = other->forward(factors, input).front();
    EXPECT_LT(largestOf(model->forward(model->atStrength(factors, 2), input).front() - expected), 1e-5);
    EXPECT_GT(largestOf(model->forward(factors, input).front() - expected), 1e-3);
    const auto base = model->baseModel().forward(withoutFactors(*model, factors), input).front();
    EXPECT_LT(largestOf(model->forward(model->atStrength(factors, 0), input).front() - base), 1e-6);
}

TEST_P(LoraSuite, EachFactorGetsAGradientAndTheBaseNone) {
    std::vector<Params> all;
    for (const auto* mode : {"none", "selective", "full"}) {
        auto changed = shape;
        changed.model.recompute = mode;
        const auto model = adapted(changed, rankFour());
        const auto factors = liveFactors(*model);
        for (const auto& factor : factors.tensors()) at::Tensor(factor).set_requires_grad(true);
        const auto before = model->base().weights.clone();
        if (input.text.words.defined()) input.text.words = at::ones_like(input.text.words);
        squares(model->forward(factors, input)).backward();
        Params gradients;
        for (const auto& name : factors.names()) {
            ASSERT_TRUE(factors[name].grad().defined()) << name << " with recompute " << mode;
            EXPECT_GT(largestOf(factors[name].grad()), 0) << name;
            gradients.add(name, factors[name].grad());
        }
        for (const auto& name : before.names()) {
            EXPECT_FALSE(model->base().weights[name].requires_grad()) << name;
            EXPECT_FALSE(model->base().weights[name].grad().defined()) << name;
            EXPECT_TRUE(at::equal(model->base().weights[name], before[name])) << name;
        }
        all.push_back(gradients);
    }
    for (const auto& name : all[0].names())
        for (const auto& other : all) EXPECT_TRUE(at::equal(other[name], all[0][name])) << name;
}

TEST_P(LoraSuite, ABaseWhoseBlocksAreSwappedGivesTheSameGradientsAndHoldsOneOfThem) {
    for (const auto* mode : {"none", "full"}) {
        auto changed = shape;
        changed.model.recompute = mode;
        if (input.text.words.defined()) input.text.words = at::ones_like(input.text.words);
        std::vector<std::vector<at::Tensor>> found;
        for (const std::int64_t swapped : {std::int64_t{0}, std::int64_t{1}, changed.model.depth}) {
            const auto model = adapted(changed, rankFour(), {.swappedBlocks = swapped});
            const auto factors = liveFactors(*model);
            for (const auto& factor : factors.tensors()) at::Tensor(factor).set_requires_grad(true);
            auto& tensors = found.emplace_back();
            for (int step = 0; step < 2; ++step) {
                const auto loss = squares(model->forward(factors, input));
                loss.backward();
                tensors.push_back(loss.detach());
                const at::NoGradGuard noGradients;  // as samples are made between steps
                tensors.push_back(squares(model->forward(factors, input)));
            }
            for (const auto& factor : factors.tensors()) tensors.push_back(factor.grad());
            std::set<std::string> held;
            const auto& base = model->base().weights;
            for (std::size_t i = 0; i < base.names().size(); ++i)
                if (base.tensors()[i].storage().nbytes() > 0) held.insert(blockOf(base.names()[i]));
            held.erase("");
            EXPECT_LE(held.size(), static_cast<std::size_t>(changed.model.depth - swapped) + 1) << mode;
        }
        for (std::size_t i = 0; i < found[0].size(); ++i)
            for (const auto& other : found)
                EXPECT_TRUE(at::equal(other[i], found[0][i])) << i << " with recompute " << mode;
    }
}

TEST_P(LoraSuite, HasTheWeightsAndOperationsThatThePlannerCounts) {
    constexpr std::int64_t kWordsOfCaption = 4;
    const auto model = adapted(shape, rankFour());
    config::TrainConfig config;
    config.model = shape.model;
    config.text = shape.text;
    config.tokenizer = tokenizerOf(shape);
    config.lora = rankFour();
    const planner::DataShape data{shape.channels, shape.captionTokens, shape.textWidth, kWordsOfCaption,
                                  shape.imageWidth};
    EXPECT_EQ(planner::elementCount(planner::trainedSizesOfRank(config, data)),
              model->weightsOnMeta().elementCount());
    const ClipSize size{shape.frames, shape.height, shape.width};
    const auto counted = model->flops(size, kWordsOfCaption);
    const planner::ClipShape clip{shape.frames, shape.height, shape.width, model->tokensPerClip(size)};
    const auto planned = planner::clipFlops(config, data, clip);
    EXPECT_EQ(planned.forward(), static_cast<double>(counted.forward()));
    EXPECT_EQ(planned.backward(), static_cast<double>(counted.backward()));
}

TEST_P(LoraSuite, RanksThatDivideItHoldWhatThePlannerCounts) {
    const auto divided = divisible(shape);
    auto model = makeModel(divided, at::kCPU);
    if (model->tpPlan().empty()) GTEST_SKIP() << "no rules";
    const LoraModel adapter(std::move(model), rankFour(), {});
    const auto weights = adapter.weightsOnMeta();
    std::int64_t held = 0;
    for (const auto& name : weights.names()) {
        const auto sizes = weights[name].sizes().vec();
        const auto cut = tpShardOf(adapter.tpPlan(), name, sizes, /*rank=*/1, /*ranks=*/2);
        held += weights[name].numel() / (cut ? 2 : 1);
    }
    config::TrainConfig config;
    config.model = divided.model;
    config.text = divided.text;
    config.tokenizer = tokenizerOf(divided);
    config.lora = rankFour();
    config.layout.tp = 2;
    const planner::DataShape data{divided.channels, divided.captionTokens, divided.textWidth, 4,
                                  divided.imageWidth};
    EXPECT_EQ(planner::elementCount(planner::trainedSizesOfRank(config, data)), held);
}

// The matrices that autocast rounds in every pass are rounded once, to the same bits.
TEST_P(LoraSuite, ABaseInHalfTheMemoryComputesTheSame) {
    const AutocastScope autocast(at::kCPU, "bf16");
    const auto whole = adapted(shape, rankFour()), half = adapted(shape, rankFour(), {.bf16 = true});
    const auto factors = liveFactors(*whole);
    EXPECT_TRUE(at::equal(whole->forward(factors, input).front(), half->forward(factors, input).front()));
    EXPECT_EQ(whole->base().identity, half->base().identity);
    EXPECT_EQ(half->base().weights["blocks.0.mlp_in.weight"].scalar_type(), at::kBFloat16);
}

TEST_P(LoraSuite, ABaseInEightBitsComputesWhatItsRoundedWeightsCompute) {
    if (input.text.words.defined()) input.text.words = at::ones_like(input.text.words);
    for (const auto* mode : {"none", "full"}) {
        auto changed = shape;
        changed.model.recompute = mode;
        const auto whole = adapted(changed, rankFour());
        const auto factors = liveFactors(*whole);
        for (const auto& factor : factors.tensors()) at::Tensor(factor).set_requires_grad(true);
        const auto gradientsOf = [&](const LoraModel& model) {
            std::vector<at::Tensor> found = {model.forward(factors, input).front().detach()};
            squares(model.forward(factors, input)).backward();
            for (const auto& factor : factors.tensors()) {
                found.push_back(factor.grad().clone());
                at::Tensor(factor).mutable_grad().reset();
            }
            return found;
        };
        const auto exact = gradientsOf(*whole);
        for (const auto& name : whole->base().weights.names()) {
            const at::Tensor& weight = whole->base().weights[name];
            if (computesInBf16(name) && !blockOf(name).empty()) fromInt8(toInt8(weight), weight);
        }
        const auto rounded = gradientsOf(*whole);
        EXPECT_GT(largestOf(rounded[0] - exact[0]), 0);
        EXPECT_LT(((rounded[0] - exact[0]).norm() / exact[0].norm()).item<double>(), 0.03);
        for (const std::int64_t swapped : {std::int64_t{0}, changed.model.depth}) {
            const auto packed = adapted(changed, rankFour(), {.int8 = true, .swappedBlocks = swapped});
            EXPECT_EQ(packed->base().identity, adapted(changed, rankFour())->base().identity);
            const auto found = gradientsOf(*packed);
            for (std::size_t i = 0; i < found.size(); ++i)
                EXPECT_TRUE(at::equal(found[i], rounded[i])) << i << " with recompute " << mode;
        }
    }
}

TEST_P(LoraSuite, DropsTheSameWhenABlockIsComputedAgain) {
    auto config = rankFour();
    config.dropout = 0.5;
    std::vector<at::Tensor> gradients;
    input.dropoutKeys = {5, 6};
    for (const auto* mode : {"none", "full"}) {
        auto changed = shape;
        changed.model.recompute = mode;
        const auto model = adapted(changed, config);
        const auto factors = liveFactors(*model);
        const auto& name = model->layers().front().lowerName();
        for (const auto& factor : factors.tensors()) at::Tensor(factor).set_requires_grad(true);
        squares(model->forward(factors, input)).backward();
        gradients.push_back(factors[name].grad());
    }
    EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
}

INSTANTIATE_TEST_SUITE_P(All, LoraSuite, testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

TEST(LoraTargets, AreNamedAsDiffusersTheOriginalOrWeDo) {
    const auto model = makeModel(wanShape(), at::kCPU);
    const auto count = [&](const std::vector<std::string>& targets) {
        requireTargets(*model, targets);
        return std::ranges::count_if(loraLayers(*model),
                                     [&](const auto& layer) { return isTargeted(layer, targets); });
    };
    EXPECT_EQ(count({}), 2 * 10);
    EXPECT_EQ(count({"to_q"}), 2 * 2);
    EXPECT_EQ(count({"attn1.to_q", "attn1.to_v"}), 2 * 2);
    EXPECT_EQ(count({"self_attn.*"}), 2 * 4);
    EXPECT_EQ(count({"blocks.1.*"}), 10);
    EXPECT_EQ(count({"ffn.0", "ffn.net.2"}), 2 * 2);
    EXPECT_EQ(count({"qkv"}), 2 * 3);
}

TEST(LoraTargets, ThatNameNothingAreRefusedWithWhatThereIs) {
    const auto model = makeModel(wanShape(), at::kCPU);
    const auto refusal = [&](const std::vector<std::string>& targets) -> std::string {
        try {
            requireTargets(*model, targets);
        } catch (const InputError& error) {
            return error.full();
        }
        return "";
    };
    EXPECT_THAT(refusal({"to_q", "to_query"}),
                AllOf(HasSubstr("lora.targets: to_query names no layer of the model"),
                      HasSubstr("blocks.*.attn1.to_q")));
    EXPECT_THAT(refusal({"patch_embedding"}),
                HasSubstr("patch_embedding, which is no linear layer of attention or the MLP"));
    EXPECT_THAT(refusal({"norm_q"}), HasSubstr("which is no linear layer"));
}

Json inspectedFile(const std::filesystem::path& file) {
    return pretrained::inspectWeights(file, pretrained::ownTensors).at("parts").front();
}

TEST(LoraExport, IsAnAdapterOfItsRankAndScaleForWhoeverReadsIt) {
    const TemporaryFolder folder;
    const auto model = adapted(wanShape(), rankFour());
    const auto factors = liveFactors(*model);
    const auto file = folder.path() / "adapter.safetensors";
    const auto tensors = adapterTensors(model->baseModel(), rankFour(), factors, AdapterNames::original);
    writeSafetensors(file, tensors,
                     adapterMetadata(rankFour(), "wan.safetensors", tensors, AdapterNames::original));
    const auto part = inspectedFile(file);
    EXPECT_EQ(part.at("family"), "lora");
    EXPECT_EQ(part.at("names"), "comfyui");
    const auto& adapter = part.at("adapter");
    EXPECT_EQ(adapter.at("rank"), 4);
    EXPECT_EQ(adapter.at("smallest_rank"), 4);
    EXPECT_EQ(adapter.at("scale"), 1) << "2 is folded into B";
    EXPECT_EQ(adapter.at("modules"), 20);
    EXPECT_EQ(adapter.at("base"), "wan");
    EXPECT_TRUE(part.at("missing").empty() && part.at("unknown").empty());
    EXPECT_THAT(part.at("read_by").get<std::vector<std::string>>(),
                ::testing::IsSupersetOf({"ComfyUI", "diffusers"}));

    const auto product = [](const Params& of, const std::string& lower, const std::string& upper) {
        return at::matmul(of[upper], of[lower]);
    };
    EXPECT_TRUE(at::allclose(product(tensors, "diffusion_model.blocks.1.cross_attn.v.lora_A.weight",
                                     "diffusion_model.blocks.1.cross_attn.v.lora_B.weight"),
                             2 * product(factors, "blocks.1.cross.key_value.v.lora_A.weight",
                                         "blocks.1.cross.key_value.v.lora_B.weight")));

    const auto forDiffusers =
        adapterTensors(model->baseModel(), rankFour(), factors, AdapterNames::diffusers);
    EXPECT_TRUE(forDiffusers.contains("transformer.blocks.0.attn1.to_out.0.lora_B.weight"));
    writeSafetensors(folder.path() / "other.safetensors", forDiffusers,
                     adapterMetadata(rankFour(), "wan.safetensors", forDiffusers, AdapterNames::diffusers));
    const auto other = inspectedFile(folder.path() / "other.safetensors").at("adapter");
    EXPECT_EQ(other.at("scale"), 1);
    EXPECT_EQ(other.at("rank"), 4);
}

TEST(LoraExport, RefusesWhatAddsNothingOrIsNotFinite) {
    const auto model = adapted(wanShape(), rankFour());
    const auto refusal = [&](const Params& factors) -> std::string {
        try {
            adapterTensors(model->baseModel(), rankFour(), factors, AdapterNames::original);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal(model->initialWeights(1)), HasSubstr("adds nothing"));
    const auto factors = liveFactors(*model);
    factors["blocks.1.mlp_in.lora_A.weight"][0][0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(refusal(factors),
                HasSubstr("not finite in 1 of 40 tensors, the first of them blocks.1.mlp_in"));
}

}  // namespace
}  // namespace dailies::trainer::lora
