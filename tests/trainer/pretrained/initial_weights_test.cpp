#include "trainer/pretrained/initial_weights.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "tests/trainer/serialization/float_file.h"
#include "trainer/models/ltx/ltx.h"
#include "trainer/models/wan/wan.h"
#include "trainer/pretrained/families/ltx.h"
#include "trainer/pretrained/families/wan.h"
#include "trainer/pretrained/families/wan_vae.h"
#include "trainer/pretrained/recognition.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>
#include <regex>

namespace dailies::trainer::pretrained {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Tensors = std::vector<std::pair<std::string, at::Tensor>>;

ModelShape tinyShape() {
    ModelShape shape;
    shape.model.family = "wan";
    shape.model.width = 64;
    shape.model.depth = 2;
    shape.model.heads = 2;
    shape.model.mlp_width = 128;
    shape.model.patch_frames = 1;
    shape.model.patch_size = 2;
    shape.model.activation = "gelu-tanh";
    shape.channels = 4;
    shape.textWidth = 64;
    shape.frames = 2;
    shape.height = shape.width = 4;
    return shape;
}

/// A small Wan with weights that no default hides, in each way that a file may have them.
class Initial : public testing::Test {
protected:
    Initial() {
        const auto shapes = model.weightsOnMeta();
        for (std::size_t i = 0; i < shapes.names().size(); ++i)
            weights.add(shapes.names()[i],
                        normalTensor(static_cast<std::int64_t>(i) + 1, shapes.tensors()[i].sizes()));
        const auto theirs = toDiffusers(model, weights);
        for (const auto& name : theirs.names()) diffusers.emplace_back(name, theirs[name]);
    }

    /// With Wan's own names.
    Tensors original(const std::string& prefix = "") const {
        NamedShapes names;
        for (const auto& [name, tensor] : diffusers) names.push_back({name, tensor.sizes().vec()});
        names = wanOriginal(std::move(names));
        Tensors renamed;
        for (std::size_t i = 0; i < names.size(); ++i)
            renamed.emplace_back(prefix + names[i].name, diffusers[i].second);
        return renamed;
    }

    static bool isMatrix(const std::pair<std::string, at::Tensor>& each) {
        return each.second.dim() == 2 && each.first.find("blocks.") != std::string::npos;
    }

    std::map<std::string, std::string> ours() const {
        return {{kOwnModelKey, model.shape().toJson().dump()}};
    }
    std::filesystem::path file(const std::string& name = "model.safetensors") const {
        return folder.path() / name;
    }

    void expectWeights(const std::filesystem::path& path, double tolerance) const {
        InitialWeights init(path);
        init.fit(model, diffusion);
        const auto read = model.weightsFrom([&](const std::string& name) { return init.read(name); });
        ASSERT_EQ(read.names(), weights.names());
        for (const auto& name : weights.names()) {
            ASSERT_EQ(read[name].sizes(), weights[name].sizes()) << name;
            ASSERT_EQ(read[name].scalar_type(), at::kFloat);
            const auto worst = (read[name] - weights[name]).abs().max().item<double>();
            EXPECT_LE(worst, tolerance * weights[name].abs().max().item<double>()) << name;
        }
    }
    std::string refusal(const std::filesystem::path& path) const { return refusal(path, model); }
    std::string refusal(const std::filesystem::path& path, const Model& wanted) const {
        return refusal(path, wanted, weights.names());
    }
    /// Of its names and sizes alone: of large files no weight is read.
    std::string refusalUnread(const std::filesystem::path& path, const Model& wanted) const {
        return refusal(path, wanted, {});
    }
    std::string refusal(const std::filesystem::path& path, const Model& wanted,
                        const std::vector<std::string>& read) const {
        try {
            InitialWeights init(path);
            init.fit(wanted, diffusion);
            for (const auto& name : read) init.read(name);
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    }

    config::TrainConfig::Diffusion diffusion;
    const Wan model{tinyShape(), at::kCPU};
    Params weights;
    Tensors diffusers;
    TemporaryFolder folder;
};

TEST_F(Initial, AreReadFromEverySpellingOfTheNames) {
    Tensors own;
    for (const auto& name : weights.names()) own.emplace_back(name, weights[name]);
    for (const auto& tensors : {own, diffusers, original(), original("model.diffusion_model.")}) {
        writeFloatFile(file(), tensors, ours());
        expectWeights(file(), 0);
    }
}

TEST_F(Initial, AreTurnedIntoFloat32FromEveryType) {
    for (const auto& [type, tolerance] :
         std::vector<std::pair<at::ScalarType, double>>{{at::kBFloat16, 4e-3}, {at::kHalf, 5e-4}}) {
        auto tensors = original();
        for (auto& [name, tensor] : tensors) tensor = tensor.to(type);
        writeFloatFile(file(), tensors, ours());
        expectWeights(file(), tolerance);
    }
}

TEST_F(Initial, AreScaledInEachOfTheThreeSpellingsOfFloat8) {
    struct Spelling {
        const char* scale;
        at::ScalarType type;
        std::function<at::Tensor(const at::Tensor& weight)>
            of;  ///< largest magnitudes, shaped as the scale is
    };
    const std::vector<Spelling> spellings = {
        {".scale_weight", at::kFloat8_e4m3fn, [](const at::Tensor& w) { return w.abs().max(); }},
        {".weight_scale", at::kFloat8_e4m3fn, [](const at::Tensor& w) { return w.abs().max(); }},
        {".weight_scale", at::kFloat8_e4m3fn, [](const at::Tensor& w) { return w.abs().amax({1}); }},
        {".scale_weight", at::kFloat8_e4m3fn,
         [](const at::Tensor& w) { return w.abs().amax({1}, /*keepdim=*/true); }},
        {".scale_weight", at::kFloat8_e4m3fn,
         [](const at::Tensor& w) {
             return w.view({w.size(0), -1, 64}).abs().amax({2}, /*keepdim=*/true);
         }},
        {".scale_weight", at::kFloat8_e5m2, [](const at::Tensor& w) { return w.abs().max(); }},
    };
    for (const auto& [ending, type, largest] : spellings) {
        Tensors tensors;
        for (const auto& each : original()) {
            if (!isMatrix(each)) {
                tensors.push_back(each);
                continue;
            }
            const auto& [name, weight] = each;
            const auto scale = largest(weight) / 448;
            const auto blocks = weight.view({scale.numel(), -1}) / scale.view({-1, 1});
            tensors.emplace_back(name, blocks.view(weight.sizes()).to(type));
            tensors.emplace_back(name.substr(0, name.size() - 7) + ending, scale);
        }
        writeFloatFile(file(), tensors, ours());
        expectWeights(file(), type == at::kFloat8_e5m2 ? 0.13 : 0.07);
    }
}

TEST_F(Initial, AreReadFromShardsWithTheirIndex) {
    const auto all = original();
    Json map = Json::object();
    for (std::size_t shard = 0; shard < 3; ++shard) {
        const auto name = "wan-0000" + std::to_string(shard + 1) + "-of-00003.safetensors";
        Tensors part;
        for (std::size_t i = shard; i < all.size(); i += 3) {
            part.push_back(all[i]);
            map[all[i].first] = name;
        }
        writeFloatFile(file(name), part, ours());
    }
    writeFileAtomically(file("wan.safetensors.index.json"), Json{{"weight_map", map}}.dump());
    expectWeights(folder.path(), 0);
    std::filesystem::remove(file("wan-00002-of-00003.safetensors"));
    EXPECT_THAT(refusal(folder.path()), HasSubstr("wan-00002-of-00003.safetensors is missing"));
}

TEST_F(Initial, NameWhatIsMissingLeftOverOrOfAnotherShape) {
    auto tensors = diffusers;
    std::erase_if(tensors, [](const auto& each) { return each.first.starts_with("blocks.1.attn1."); });
    tensors.emplace_back("blocks.0.extra.weight", at::zeros({3}));
    for (auto& [name, tensor] : tensors)
        if (name == "proj_out.bias") tensor = at::zeros({1});
    writeFloatFile(file(), tensors, ours());
    EXPECT_THAT(refusal(file()), AllOf(HasSubstr("10 are missing (blocks.1.attn1."), HasSubstr(", …)"),
                                       HasSubstr("1 has another shape (proj_out.bias)"),
                                       HasSubstr("1 is left over (blocks.0.extra.weight)")));
}

TEST_F(Initial, RefuseNumbersThatAreNotFinite) {
    auto tensors = diffusers;
    for (auto& [name, tensor] : tensors)
        if (name == "blocks.1.ffn.net.2.weight") {
            tensor = tensor.clone();
            tensor[3][5] = NAN;
        }
    writeFloatFile(file(), tensors, ours());
    EXPECT_THAT(refusal(file()), AllOf(HasSubstr("blocks.1.ffn.net.2.weight in model.safetensors"),
                                       HasSubstr("1 number that is not finite")));
}

TEST_F(Initial, RefuseFloat8WithoutScales) {
    auto tensors = original();
    for (auto& each : tensors)
        if (isMatrix(each)) each.second = each.second.to(at::kFloat8_e4m3fn);
    writeFloatFile(file(), tensors, ours());
    EXPECT_THAT(refusal(file()), AllOf(HasSubstr("float8 weights without scales"), HasSubstr("bf16")));
}

/// As tinyShape, with what published models compute.
ModelShape publishedShape() {
    auto shape = tinyShape();
    shape.model.text_places = 512;
    return shape;
}

TEST_F(Initial, TakeAPublishedModelOfTextToVideoByEachOfItsNames) {
    diffusion.prediction = "velocity";
    const Wan published(publishedShape(), at::kCPU);
    const Json sizes = {{"num_heads", 2}};
    writeFileAtomically(file("config.json"), sizes.dump());
    for (const auto& tensors : {diffusers, original(), original("model.diffusion_model.")}) {
        writeFloatFile(file(), tensors, {});
        InitialWeights init(folder.path());
        init.fit(published, diffusion);
        for (const auto& name : weights.names())
            EXPECT_TRUE(at::equal(init.read(name), weights[name])) << name;
        EXPECT_EQ(init.trainedWith(), Json::object()) << "of 4 channels no scale is known";
    }
}

TEST_F(Initial, RefuseAPublishedModelWithTheSettingsThatItNeeds) {
    writeFloatFile(file(), original(), {});
    EXPECT_THAT(refusal(file()),
                AllOf(HasSubstr("model.text_places is 512"), HasSubstr("diffusion.prediction is velocity"),
                      Not(HasSubstr("model.heads")), Not(HasSubstr("channels"))));
    diffusion.prediction = "velocity";
    diffusion.objective = "edm";
    auto other = publishedShape();
    other.model.rope_fps = 24;
    other.model.time_scale = 1;
    other.model.mlp_width = 96;
    other.channels = 3;
    other.textWidth = 32;
    other.text.encoder = "bytes";
    EXPECT_THAT(
        refusal(file(), Wan(other, at::kCPU)),
        AllOf(HasSubstr("model.mlp_width is 128"), HasSubstr("model.rope_fps is 0"),
              HasSubstr("model.time_scale is 1000"), HasSubstr("diffusion.objective is rectified_flow"),
              HasSubstr("the data's channels is 4"), HasSubstr("embeddings is 64"), HasSubstr("not bytes"),
              Not(HasSubstr("text_places"))));
}

constexpr std::int64_t kImageChannels = 36;
const WanSizes kFourteen{.width = 5120, .mlpWidth = 13824, .layers = 40};

TEST_F(Initial, SayForWhichNoiseAModelOfAPairIs) {
    struct Expert {
        const char* folder;
        std::int64_t inChannels;
        double from, to;  // of the run
        const char* refusal;
    };
    const Expert all[] = {
        {"high_noise_model", 16, 0.0, 1.0, "diffusion.timestep_from is 0.875"},
        {"high_noise_model", 16, 0.0, 0.9, "diffusion.timestep_from is 0.875"},
        {"high_noise_model", 16, 0.9, 1.0, "accepted"},
        {"low_noise_model", 16, 0.0, 1.0, "diffusion.timestep_to is 0.875"},
        {"low_noise_model", 16, 0.9, 1.0, "diffusion.timestep_to is 0.875"},
        {"low_noise_model", 16, 0.0, 0.875, "accepted"},
        {"somewhere", kImageChannels, 0.0, 1.0,
         "diffusion.timestep_from is 0.9 (for high noise) or diffusion.timestep_to is 0.9 (for low)"},
        {"somewhere", kImageChannels, 0.9, 1.0, "accepted"},
    };
    auto shape = publishedShape();
    shape.model.width = 5120;
    shape.model.depth = shape.model.heads = 40;
    shape.model.mlp_width = 13824;
    shape.channels = 16;
    shape.textWidth = 4096;
    diffusion.prediction = "velocity";
    for (const auto& [name, inChannels, from, to, expected] : all) {
        auto sizes = kFourteen;
        sizes.inChannels = inChannels;
        shape.model.conditioning = inChannels == kImageChannels ? "image" : "none";
        std::filesystem::create_directories(file(name));
        writeHollow(file(name) / "model.safetensors", wanOriginal(wanTensors(sizes)));
        diffusion.timestep_from = from;
        diffusion.timestep_to = to;
        EXPECT_THAT(refusalUnread(file(name), Wan(shape, at::kCPU)), HasSubstr(expected))
            << name << " " << from;
        EXPECT_EQ(InitialWeights(file(name)).trainedWith().at("expert"), true) << name;
    }
}

TEST_F(Initial, CoverThePublishedSizesNameByName) {
    struct Published {
        WanSizes sizes;
        std::int64_t heads;
        std::size_t tensors;
    };
    diffusion.prediction = "velocity";
    for (const auto& [sizes, heads, tensors] :
         {Published{{.width = 1536, .mlpWidth = 8960, .layers = 30}, 12, 825},
          Published{{.width = 5120, .mlpWidth = 13824, .layers = 40}, 40, 1095},
          Published{{.width = 5120, .mlpWidth = 13824, .layers = 40, .inChannels = 36, .imageWidth = 1280},
                    40,
                    1303},
          Published{{.width = 5120,
          .mlpWidth = 13824,
          .layers = 40,
          .inChannels = 36,
          .imageWidth = 1280,
          .imageTokens = 514},
                    40,
                    1304},
          Published{{.width = 3072, .mlpWidth = 14336, .layers = 30, .inChannels = 48, .outChannels = 48},
                    24,
                    825}}) {
        auto shape = publishedShape();
        shape.imageWidth = sizes.imageWidth;
        if (sizes.inChannels == 36) shape.model.conditioning = sizes.imageTokens > 0 ? "first_last" : "image";
        shape.model.width = sizes.width;
        shape.model.depth = sizes.layers;
        shape.model.heads = heads;
        shape.model.mlp_width = sizes.mlpWidth;
        shape.channels = sizes.outChannels;
        shape.textWidth = 4096;
        const auto names = wanOriginal(wanTensors(sizes));
        EXPECT_EQ(names.size(), tensors);
        writeHollow(file(), names);
        InitialWeights init(file());
        init.fit(Wan(shape, at::kCPU), diffusion);
        EXPECT_EQ(init.trainedWith().at("pixel_mean").size(), static_cast<std::size_t>(sizes.outChannels))
            << "of Wan's own VAE";
        EXPECT_FALSE(init.trainedWith().contains("expert"));
        // the 5B makes clips of text and of images
        shape.model.conditioning = "in_place";
        EXPECT_EQ(refusalUnread(file(), Wan(shape, at::kCPU)) == "accepted", sizes.outChannels == 48);
        EXPECT_THAT(init.text(), HasSubstr("data.latent_scale"));
    }
}

/// LTX-Video 2B as it is published.
ModelShape ltxShape() {
    ModelShape shape;
    auto& model = shape.model;
    model.family = "ltx";
    model.width = 2048;
    model.depth = 28;
    model.heads = 32;
    model.mlp_width = 8192;
    model.patch_frames = model.patch_size = 1;
    model.activation = "gelu-tanh";
    model.time_scale = 1000;
    shape.frames = shape.height = shape.width = 4;
    shape.channels = 128;
    shape.textWidth = 4096;
    shape.latentPixels = 32;
    shape.framesPerLatent = 8;
    return shape;
}

TEST_F(Initial, TakeThePublishedLtxByEachOfItsNames) {
    diffusion.prediction = "velocity";
    auto original = ltxTensors({});
    for (auto& [name, sizes] : original) {  // as Lightricks' own files have them
        name = std::regex_replace(name, std::regex("^proj_in\\."), "patchify_proj.");
        name = std::regex_replace(name, std::regex("^time_embed\\."), "adaln_single.");
        name = std::regex_replace(name, std::regex("norm_([qk])\\."), "$1_norm.");
        name = "model.diffusion_model." + name;
    }
    // with its autoencoder in one file
    original.push_back({"vae.encoder.conv_in.conv.weight", {128, 48, 3, 3, 3}});
    original.push_back({"vae.decoder.conv_in.conv.weight", {512, 128, 3, 3, 3}});
    for (const auto& names : {ltxTensors({}), original}) {
        writeHollow(file(), names);
        for (const auto* conditioning : {"none", "in_place"}) {
            auto shape = ltxShape();
            shape.model.conditioning = conditioning;
            InitialWeights init(file());
            init.fit(Ltx(shape, at::kCPU), diffusion);
            EXPECT_THAT(init.text(), HasSubstr("715 tensors"));
        }
    }
    auto other = ltxShape();
    other.model.depth = 30;
    other.model.patch_size = 2;
    other.latentPixels = 8;
    other.framesPerLatent = 4;
    other.model.conditioning = "frames";
    EXPECT_THAT(refusal(file(), Ltx(other, at::kCPU)),
                AllOf(HasSubstr("model.depth is 28"), HasSubstr("model.patch_size is 1"),
                      HasSubstr("tokenizer.kind is ltx_vae with space_factor 32 and frames_factor 8"),
                      HasSubstr("model.conditioning is none"), Not(HasSubstr("rope"))));
    EXPECT_THAT(refusal(file(), Wan(publishedShape(), at::kCPU)), HasSubstr("model.family is ltx"));
}

TEST_F(Initial, RefuseAnotherModelOfOurs) {
    auto other = tinyShape();
    other.model.heads = 4;  // no shape tells
    other.model.rope_fps = 24;
    writeFloatFile(file(), diffusers, {{kOwnModelKey, other.toJson().dump()}});
    EXPECT_THAT(refusal(file()), AllOf(HasSubstr("heads 4 there, 2 in the config"), HasSubstr("rope_fps")));
    writeFloatFile(file(), diffusers, {{kOwnModelKey, publishedShape().toJson().dump()}});
    EXPECT_THAT(refusal(file()), HasSubstr("text_places 512 there, 0 in the config"));
    writeFloatFile(file(), diffusers, ours());
    EXPECT_THAT(refusal(file(), Wan(publishedShape(), at::kCPU)),
                HasSubstr("text_places 0 there, 512 in the config"));
    for (const auto* hostile : {"[]", "{\"family\": \"wan\", \"depth\": 1000000000}", "{", "\"x\""}) {
        writeFloatFile(file(), diffusers, {{kOwnModelKey, hostile}});
        EXPECT_NE(refusal(file()), "accepted") << hostile;
    }
    writeFloatFile(
        file(), diffusers,
        {{kOwnModelKey, model.shape().toJson().dump()}, {kTrainedWithKey, R"({"vocabulary": 3})"}});
    EXPECT_THAT(refusal(file()), HasSubstr("damaged"));
}

TEST_F(Initial, RefuseWhatIsNoWholeModel) {
    writeFloatFile(file(),
                   {{"diffusion_model.blocks.0.self_attn.q.lora_A.weight", at::zeros({4, 64})},
                    {"diffusion_model.blocks.0.self_attn.q.lora_B.weight", at::zeros({64, 4})}},
                   {});
    EXPECT_THAT(refusal(file()), HasSubstr("an adapter (LoRA), not a model"));
    writeHollow(file(), wanVaeTensors({}));
    EXPECT_THAT(refusal(file()), HasSubstr("no model that a run can begin with: wan_vae"));
    writeFloatFile(file(), diffusers, ours());
    std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
    EXPECT_THAT(refusal(file()), AllOf(HasSubstr("cut short"), HasSubstr("again")));
    EXPECT_THAT(refusal(file("absent")), HasSubstr("is not there"));
    for (const auto* part : {"high_noise_model", "low_noise_model"}) {
        std::filesystem::create_directories(file("two") / part);
        writeFloatFile(file("two") / part / "model.safetensors", diffusers, ours());
    }
    EXPECT_THAT(refusal(file("two")), HasSubstr("several models: high_noise_model, low_noise_model"));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
