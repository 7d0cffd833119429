#include "trainer/models/model_shape.h"

#include "core/base/error.h"
#include "core/config/family_traits.h"
#include "core/config/latent_size.h"

namespace dailies::trainer {

ModelShape ModelShape::of(const config::TrainConfig& config) {
    const auto size =
        config::modelInputSize(config, {config.data.frames, config.data.height, config.data.width});
    ModelShape shape{config.model, size.frames, size.height, size.width};
    shape.text = config.text;
    shape.latentPixels = config::latentPixels(config);
    shape.framesPerLatent = config::framesPerLatent(config);
    return shape;
}

Json ModelShape::toJson() const {
    Json shape = {{"family", model.family},
                  {"width", model.width},
                  {"depth", model.depth},
                  {"heads", model.heads},
                  {"kv_heads", model.kv_heads},
                  {"mlp_ratio", model.mlp_ratio},
                  {"mlp_width", model.mlp_width},
                  {"patch_frames", model.patch_frames},
                  {"patch_size", model.patch_size},
                  {"activation", model.activation},
                  {"bias", model.bias},
                  {"adaln", model.adaln},
                  {"adaln_rank", model.adaln_rank},
                  {"full_attention_every", model.full_attention_every},
                  {"positions", model.positions},
                  {"rope_fps", model.rope_fps},
                  {"rope_time_scale", model.rope_time_scale},
                  {"rope_space_scale", model.rope_space_scale},
                  {"time_scale", model.time_scale},
                  {"conditioning", model.conditioning},
                  {"channels", channels}};
    if (textWidth > 0) shape["text_width"] = textWidth;
    if (const auto places = config::textPlaces(model); places > 0) shape["text_places"] = places;
    if (model.family == "ltx") shape["causal_positions"] = model.causal_positions;
    if (model.family == "ltx" || model.family == "unianimate")
        shape.update({{"latent_pixels", latentPixels}, {"frames_per_latent", framesPerLatent}});
    if (config::isUnet(model)) {
        if (model.family == "animate") shape["motion"] = model.motion;
        if (!model.guidance_types.empty()) shape["guidance_types"] = model.guidance_types;
        if (latentPixels > 1) shape["latent_pixels"] = latentPixels;
    }
    if (imageWidth > 0) shape["image_width"] = imageWidth;
    if (readsBytes())
        shape.update({{"text_encoder", text.encoder},
                      {"text_tokens", text.tokens},
                      {"text_depth", text.depth},
                      {"text_heads", text.heads}});
    if (textWidth == 0 && !config::isUnet(model)) shape["caption_tokens"] = captionTokens;
    // a table of positions fits one size of clips; without it a model goes on with clips of any
    if (config::hasPositionTable(model))
        shape.update({{"data_frames", frames}, {"data_height", height}, {"data_width", width}});
    return shape;
}

ModelShape ModelShape::fromJson(const Json& json) {
    const auto number = [&](const char* key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
        const auto value = json.value(key, Json(otherwise));
        if (!value.is_number_integer() || value < least || value > most)
            throw InputError(std::string("its ") + key + " is " + value.dump() + ", expected " +
                             std::to_string(least) + " to " + std::to_string(most));
        return value.get<std::int64_t>();
    };
    if (!json.is_object()) throw InputError("the shape of its model is no object");
    ModelShape shape;
    auto& model = shape.model;
    try {
        model.family = json.value("family", model.family);
        model.width = number("width", model.width, 8, 16384);
        model.depth = number("depth", model.depth, 1, 256);
        model.heads = number("heads", model.heads, 1, 256);
        model.kv_heads = number("kv_heads", model.kv_heads, 0, 256);
        model.mlp_ratio = number("mlp_ratio", model.mlp_ratio, 1, 16);
        model.mlp_width = number("mlp_width", model.mlp_width, 0, 262144);
        model.patch_frames = number("patch_frames", model.patch_frames, 1, 64);
        model.patch_size = number("patch_size", model.patch_size, 1, 64);
        model.activation = json.value("activation", model.activation);
        model.bias = json.value("bias", model.bias);
        model.adaln = json.value("adaln", model.adaln);
        model.adaln_rank = number("adaln_rank", model.adaln_rank, 1, 16384);
        model.full_attention_every = number("full_attention_every", model.full_attention_every, 0, 256);
        model.positions = json.value("positions", model.positions);
        model.rope_fps = json.value("rope_fps", model.rope_fps);
        model.rope_time_scale = json.value("rope_time_scale", model.rope_time_scale);
        model.rope_space_scale = json.value("rope_space_scale", model.rope_space_scale);
        model.time_scale = json.value("time_scale", model.time_scale);
        model.text_places = number("text_places", model.text_places, 0, 65536);
        model.causal_positions = json.value("causal_positions", model.causal_positions);
        model.conditioning = json.value("conditioning", model.conditioning);
        model.motion = json.value("motion", model.motion);
        model.guidance_types = json.value("guidance_types", model.guidance_types);
        shape.text.encoder = json.value("text_encoder", shape.text.encoder);
    } catch (const Json::exception&) {
        throw InputError("the shape of its model has a value of another type");
    }
    shape.channels = number("channels", shape.channels, 1, 4096);
    shape.textWidth = number("text_width", 0, 0, 65536);
    shape.captionTokens = number("caption_tokens", 0, 0, 10'000'000);
    shape.latentPixels = number("latent_pixels", 1, 1, 64);
    shape.framesPerLatent = number("frames_per_latent", 1, 1, 64);
    shape.imageWidth = number("image_width", 0, 0, 65536);
    shape.text.tokens = number("text_tokens", shape.text.tokens, 1, 65536);
    shape.text.depth = number("text_depth", shape.text.depth, 1, 256);
    shape.text.heads = number("text_heads", shape.text.heads, 1, 256);
    shape.frames = number("data_frames", model.patch_frames, 1, 100'000);
    shape.height = number("data_height", model.patch_size, 1, 100'000);
    shape.width = number("data_width", model.patch_size, 1, 100'000);
    if (model.width % model.heads != 0 || (model.kv_heads > 0 && model.heads % model.kv_heads != 0))
        throw InputError("the heads of its model do not divide its width");
    return shape;
}

std::vector<std::string> shapeDifferences(Json saved, Json wanted) {
    // models without it do not write it, nor did versions that lacked it
    for (auto* shape : {&saved, &wanted}) {
        shape->emplace("text_places", 0);
        shape->emplace("latent_pixels", 1);
        shape->emplace("image_width", 0);
        shape->emplace("lora", nullptr);
        shape->emplace("frozen", nullptr);
    }
    std::vector<std::string> differences;
    for (const auto& [key, value] : wanted.items())
        if (const auto found = saved.value(key, Json()); found != value)
            differences.push_back(key + " " + found.dump() + " there, " + value.dump() + " in the config");
    return differences;
}

}  // namespace dailies::trainer
