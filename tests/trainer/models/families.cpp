#include "tests/trainer/models/families.h"

#include "core/config/conditioning.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kWords = 5;
constexpr std::int64_t kTextTokens = 4;
constexpr std::int64_t kSeenTokens = 3;  // of the image that a clip begins with

ModelShape tinyShape() {
    ModelShape shape;
    shape.model.width = 24;
    shape.model.depth = 2;
    shape.model.heads = 2;
    shape.frames = 4;
    shape.height = 16;
    shape.width = 24;
    shape.captionTokens = kWords;
    return shape;
}

template <class Change>
Variant variant(const std::string& name, Change change) {
    auto shape = tinyShape();
    change(shape);
    return {name, shape};
}

}  // namespace

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = {
        variant("dit", [](ModelShape&) {}),
        variant("dit_that_reads_embeddings",
                [](ModelShape& s) {
                    s.textWidth = 12;
                    s.model.positions = "none";
                }),
        variant("dit_as_cosmos",
                [](ModelShape& s) {
                    s.textWidth = 12;
                    s.model.adaln = "lora";
                    s.model.adaln_rank = 8;
                    s.model.bias = false;
                    s.model.positions = "none";
                    s.model.activation = "gelu";
                    s.model.rope_fps = 24;
                    s.model.rope_time_scale = 2;
                }),
        variant("dit_with_words_and_lora",
                [](ModelShape& s) {
                    s.model.adaln = "lora";
                    s.model.adaln_rank = 8;
                    s.model.positions = "none";
                }),
        variant("dit_full_adaln_grouped_queries",
                [](ModelShape& s) {
                    s.model.adaln = "full";
                    s.model.kv_heads = 1;
                    s.model.positions = "none";
                }),
        variant("dit_given_frames",
                [](ModelShape& s) {
                    s.model.conditioning = "frames";
                    s.model.positions = "none";
                }),
        variant("st_dit",
                [](ModelShape& s) {
                    s.model.family = "st-dit";
                    s.model.positions = "none";
                }),
        variant("st_dit_with_full_attention",
                [](ModelShape& s) {
                    s.model.family = "st-dit";
                    s.model.depth = 3;
                    s.model.full_attention_every = 3;
                    s.model.positions = "none";
                    s.textWidth = 12;
                }),
        variant("wan",
                [](ModelShape& s) {
                    s.model.family = "wan";
                    s.textWidth = 12;
                    s.model.activation = "gelu-tanh";
                }),
        variant("wan_in_text_places",
                [](ModelShape& s) {
                    s.model.family = "wan";
                    s.textWidth = 12;
                    s.model.activation = "gelu-tanh";
                    s.model.text_places = 9;
                }),
        variant("wan_with_words_given_latent_frames",
                [](ModelShape& s) {
                    s.model.family = "wan";
                    s.model.conditioning = "frames";
                    s.channels = 4;
                }),
        variant("wan_that_begins_with_an_image",
                [](ModelShape& s) {
                    s.model.family = "wan";
                    s.model.conditioning = "image";
                    s.textWidth = 12;
                    s.imageWidth = 10;
                    s.channels = 4;
                    s.model.activation = "gelu-tanh";
                }),
        variant("wan_of_first_and_last_image",
                [](ModelShape& s) {
                    s.model.family = "wan";
                    s.model.conditioning = "first_last";
                    s.textWidth = 12;
                    s.imageWidth = 10;
                    s.channels = 4;
                    s.model.activation = "gelu-tanh";
                }),
        variant("unianimate",
                [](ModelShape& s) {
                    s.model.family = "unianimate";
                    s.model.conditioning = "image";
                    s.textWidth = 12;
                    s.imageWidth = 10;
                    s.channels = 4;
                    s.latentPixels = 2;
                    s.framesPerLatent = 2;
                    s.model.patch_frames = 1;
                    s.model.activation = "gelu-tanh";
                }),
        variant("wan_given_frames_in_place",
                [](ModelShape& s) {
                    s.model.family = "wan";
                    s.model.conditioning = "in_place";
                    s.textWidth = 12;
                    s.channels = 4;
                    s.model.activation = "gelu-tanh";
                }),
        variant("ltx",
                [](ModelShape& s) {
                    s.model.family = "ltx";
                    s.textWidth = 12;
                    s.channels = 4;
                    s.latentPixels = 32;
                    s.framesPerLatent = 8;
                    s.model.activation = "gelu-tanh";
                }),
        variant("ltx_with_words_given_frames_in_place",
                [](ModelShape& s) {
                    s.model.family = "ltx";
                    s.model.conditioning = "in_place";
                    s.model.causal_positions = true;
                    s.channels = 4;
                }),
        variant("st_dit_that_begins_with_an_image",
                [](ModelShape& s) {
                    s.model.family = "st-dit";
                    s.model.conditioning = "image";
                    s.model.positions = "none";
                }),
    };
    return all;
}

config::TrainConfig::Tokenizer tokenizerOf(const ModelShape& shape) {
    config::TrainConfig::Tokenizer tokenizer;
    if (shape.latentPixels == 1) return tokenizer;
    tokenizer.kind = "wan_vae";
    tokenizer.space_factor = shape.latentPixels;
    tokenizer.frames_factor = shape.framesPerLatent;
    return tokenizer;
}

Params liveWeights(const Model& model) {
    Params live;
    const auto initial = model.initialWeights(1);
    for (const auto& name : initial.names())
        live.add(name, initial[name] + 0.1 * normalTensor(hashText(name), initial[name].sizes()));
    return live;
}

ModelInput batchFor(const ModelShape& shape, std::size_t groups) {
    const ClipSize sizes[] = {{4, 16, 24}, {2, 24, 8}, {6, 8, 8}};
    ModelInput input;
    std::int64_t clips = 0;
    for (std::size_t i = 0; i < groups; ++i) {
        const auto& size = sizes[i];
        ClipGroup group;
        group.clips = normalTensor(10 + i, {2, size.frames, size.height, size.width, shape.channels});
        group.fps = 8 + 8 * static_cast<double>(i);
        if (shape.model.conditioning != "none") {
            const bool inPlace = shape.model.conditioning == "in_place";
            const auto channels =
                inPlace ? 1 + shape.channels : config::conditioningChannels(shape.model, shape.channels);
            group.conditioning = at::zeros({2, size.frames, size.height, size.width, channels});
            auto first = group.conditioning.narrow(1, 0, 1);
            first.copy_(normalTensor(20 + i, first.sizes()));
            first.narrow(-1, 0, channels - shape.channels).fill_(1);
        }
        if (shape.imageWidth > 0)
            group.imageTokens = normalTensor(
                50 + i, {2,
                         config::readsLastImages(shape.model.conditioning) ? config::imageTokens(shape.model)
                                                                           : kSeenTokens,
                         shape.imageWidth});
        if (config::readsReferencePose(shape.model.family)) {
            const auto height = size.height * shape.latentPixels, width = size.width * shape.latentPixels;
            group.character.poses =
                uniformTensor(60 + i, {2, 1 + (size.frames - 1) * shape.framesPerLatent, height, width, 3});
            group.character.referencePose =
                at::cat({at::ones({2, height, width, 1}), uniformTensor(70 + i, {2, height, width, 3})}, -1);
        }
        clips += group.clips.size(0);
        input.groups.push_back(std::move(group));
    }
    input.times = at::linspace(0.2, 0.8, clips);
    if (shape.textWidth > 0) {
        input.text.embeddings = normalTensor(30, {clips, kTextTokens, shape.textWidth});
        input.text.mask = at::ones({clips, kTextTokens}, at::kBool);
        input.text.mask[0][kTextTokens - 1] = false;
    } else {
        input.text.words = at::zeros({clips, shape.captionTokens});
        input.text.words.select(1, 1).fill_(1);
        input.text.words.select(1, 3).fill_(1);
    }
    return input;
}

std::vector<at::Tensor*> rowsOfClips(ModelInput& input) {
    auto& group = input.groups.at(0);
    auto& text = input.text;
    std::vector<at::Tensor*> rows = {&group.clips,
                                     &group.conditioning,
                                     &group.imageTokens,
                                     &group.character.poses,
                                     &group.character.referencePose,
                                     &input.times,
                                     &text.words,
                                     &text.embeddings,
                                     &text.mask};
    std::erase_if(rows, [](const at::Tensor* each) { return !each->defined(); });
    return rows;
}

ModelInput someClips(ModelInput input, std::int64_t first, std::int64_t count) {
    for (auto* rows : rowsOfClips(input)) *rows = rows->narrow(0, first, count);
    return input;
}

}  // namespace dailies::trainer
