#include "trainer/pretrained/published_settings.h"

#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "trainer/pretrained/families/wan.h"

#include <tuple>

namespace dailies::trainer::pretrained {

namespace {

/// wan/modules/model.py: every caption is read in so many places.
constexpr std::int64_t kPublishedTextPlaces = 512;
constexpr std::int64_t kLtxLatentPixels = 32, kLtxFramesPerLatent = 8;  // of its autoencoder

using Number = std::tuple<const char*, std::int64_t, std::int64_t>;  // key, found, wanted
using Word = std::tuple<const char*, std::string, std::string>;

struct Wanted {
    std::vector<Number> numbers;
    std::vector<Word> words;
    std::vector<std::string> others = {};  ///< what is set otherwise and neither
};

Wanted ofAll(const ModelShape& shape, const config::TrainConfig::Diffusion& diffusion, const Json& sizes) {
    const auto& model = shape.model;
    const auto mlp = model.mlp_width > 0 ? model.mlp_width : model.mlp_ratio * model.width;
    Wanted wanted{
        .numbers = {{"model.width", model.width, sizes.value("dim", model.width)},
                    {"model.depth", model.depth, sizes.value("layers", model.depth)},
                    {"model.heads", model.heads, sizes.value("heads", model.heads)},
                    {"model.mlp_width", mlp, sizes.value("ffn_dim", mlp)},
                    {"the width of the captions' embeddings", shape.textWidth,
                     sizes.value("text_dim", shape.textWidth)}},
        .words = {{"model.activation", model.activation, "gelu-tanh"},
                  {"diffusion.objective", diffusion.objective, "rectified_flow"},
                  {"diffusion.prediction", diffusion.prediction, "velocity"}},
    };
    if (shape.readsBytes())
        wanted.others.emplace_back(
            "the text is data.text_embeddings or text.encoder t5 or torchscript, not bytes");
    if (model.time_scale != 1000) wanted.others.emplace_back("model.time_scale is 1000");
    return wanted;
}

/// The setting that the noise of a run lacks for a model of a pair; empty where it is that model's.
std::string otherNoise(const WanExpert& expert, const config::TrainConfig::Diffusion& diffusion) {
    const bool muchNoise = diffusion.timestep_from > 0, littleNoise = diffusion.timestep_to < 1;
    const auto boundary = " is " + shortNumber(expert.boundary);
    const auto high = "diffusion.timestep_from" + boundary, low = "diffusion.timestep_to" + boundary;
    if (expert.noise == "high") return muchNoise ? "" : high;
    if (expert.noise == "low") return littleNoise && !muchNoise ? "" : low;
    return muchNoise != littleNoise ? "" : high + " (for high noise) or " + low + " (for low)";
}

void addWan(Wanted& wanted, const ModelShape& shape, const config::TrainConfig::Diffusion& diffusion,
            const Json& sizes, const std::string& called) {
    const auto& model = shape.model;
    const auto patch = sizes.value("patch", Extents{1, 2, 2});
    for (const auto& number : {
             Number{"model.patch_frames", model.patch_frames, patch[0]},
             Number{"model.patch_size", model.patch_size, patch[1]},
             Number{"model.text_places", model.text_places, kPublishedTextPlaces},
             Number{"the number of the data's channels", shape.channels,
                    sizes.value("out_channels", shape.channels)},
             Number{"the width of what model.image_encoder sees", shape.imageWidth,
                    sizes.value("image_dim", std::int64_t{0})},
         })
        wanted.numbers.push_back(number);
    const bool images =
        sizes.value("in_channels", std::int64_t{0}) > sizes.value("out_channels", std::int64_t{0});
    // the 5B makes clips of text and of images
    const bool inPlace = called.starts_with("Wan 2.2 ti2v") && model.conditioning == "in_place";
    const bool lastImages = sizes.contains("image_tokens");
    // without an encoder of pictures first and last image differ in the mask alone (Wan 2.2)
    const bool either = images && !sizes.contains("image_dim") && config::readsLastImages(model.conditioning);
    wanted.words.emplace_back("model.conditioning", model.conditioning,
                              lastImages || either ? "first_last"
                              : images             ? "image"
                              : inPlace            ? "in_place"
                                                   : "none");
    if (model.rope_fps != 0) wanted.others.emplace_back("model.rope_fps is 0");
    if (model.rope_time_scale != 1 || model.rope_space_scale != 1)
        wanted.others.emplace_back("both model.rope_*_scale are 1");
    if (const auto expert = wanExpert(called))
        if (auto noise = otherNoise(*expert, diffusion); !noise.empty())
            wanted.others.push_back(std::move(noise));
}

void addLtx(Wanted& wanted, const ModelShape& shape, const Json& sizes) {
    const auto& model = shape.model;
    for (const auto& number : {
             Number{"model.patch_frames", model.patch_frames, 1},
             Number{"model.patch_size", model.patch_size, 1},
             Number{"the number of the data's channels", shape.channels,
                    sizes.value("in_channels", shape.channels)},
         })
        wanted.numbers.push_back(number);
    // where tokens stand counts in pixels and frames, also of latents that stand in the data
    if (shape.latentPixels != kLtxLatentPixels || shape.framesPerLatent != kLtxFramesPerLatent)
        wanted.others.push_back("tokenizer.kind is ltx_vae with space_factor " +
                                std::to_string(kLtxLatentPixels) + " and frames_factor " +
                                std::to_string(kLtxFramesPerLatent));
    // it makes clips of text and of images
    wanted.words.emplace_back("model.conditioning", model.conditioning,
                              model.conditioning == "in_place" ? "in_place" : "none");
}

Wanted ofMimicMotion(const ModelShape& shape, const config::TrainConfig::Diffusion& diffusion,
                     const Json& sizes) {
    const auto& model = shape.model;
    Wanted wanted{.numbers = {{"model.width", model.width, sizes.value("dim", model.width)},
                              {"model.depth", model.depth, sizes.value("layers", model.depth)},
                              {"model.heads", model.heads, sizes.value("heads", model.heads)},
                              {"model.patch_size", model.patch_size, 1},
                              {"the number of the data's channels", shape.channels,
                               sizes.value("out_channels", shape.channels)},
                              {"the width of what model.image_encoder sees", shape.imageWidth,
                               sizes.value("image_dim", shape.imageWidth)}},
                  .words = {{"diffusion.objective", diffusion.objective, "edm"},
                            {"diffusion.prediction", diffusion.prediction, "velocity"}}};
    if (model.time_scale != 1) wanted.others.emplace_back("model.time_scale is 1");
    if (diffusion.sigma_data != 1) wanted.others.emplace_back("diffusion.sigma_data is 1");
    return wanted;
}

}  // namespace

std::vector<std::string> otherSettings(const ModelShape& shape,
                                       const config::TrainConfig::Diffusion& diffusion,
                                       const PublishedBase& published) {
    const bool isUnet = published.family == "mimic-motion";
    auto wanted = (isUnet ? ofMimicMotion : ofAll)(shape, diffusion, published.sizes);
    if (published.family == "ltx")
        addLtx(wanted, shape, published.sizes);
    else if (!isUnet)
        addWan(wanted, shape, diffusion, published.sizes, published.called);
    std::vector<std::string> others;
    // the U-Net of Stable Video Diffusion is a model by itself, too
    const bool isSvd = isUnet && shape.model.family == "svd" && !published.sizes.value("pose_net", false);
    // and UniAnimate-DiT begins with Wan's image to video
    const bool isUniAnimate = published.family == "wan" && config::isWan(shape.model);
    if (shape.model.family != published.family && !isSvd && !isUniAnimate)
        others.push_back("model.family is " + published.family);
    for (const auto& [key, found, needed] : wanted.numbers)
        if (found != needed) others.push_back(std::string(key) + " is " + std::to_string(needed));
    for (const auto& [key, found, needed] : wanted.words)
        if (found != needed) others.push_back(std::string(key) + " is " + needed);
    others.insert(others.end(), wanted.others.begin(), wanted.others.end());
    return others;
}

}  // namespace dailies::trainer::pretrained
