// Our tokenizers for Python: tokenizers_tool module ENCODER.jit DECODER.jit FRAMES_FACTOR SPACE_FACTOR
// CHANNELS
//                              IN.safetensors OUT.safetensors
//                            tokenizers_tool layers IN.safetensors OUT.safetensors
//                            tokenizers_tool wan_vae PATH IN.safetensors OUT.safetensors
//                            tokenizers_tool ltx_vae PATH IN.safetensors OUT.safetensors
//                            tokenizers_tool sd_vae PATH IN.safetensors OUT.safetensors
// module: IN has clips [n, frames, height, width, 3], OUT latents and reconstruction. layers: IN has input
// and the weights of a convolution, two residual blocks and frame attention, OUT what comes of them whole,
// and in pieces of 1, 4, 2 and the remaining frames. wan_vae: PATH is a published VAE, IN has clips
// [n, 3, frames, height, width], OUT, the bits of float64, the latents and what comes back of them, whole
// and in pieces; with those of the tokenizer, in float32. sd_vae, ltx_vae: the same without
// pieces, what ltx_vae decodes at the noise 0.05.
#include "core/base/error.h"
#include "trainer/pretrained/published_model.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tokenizers/causal_vae/causal_layers.h"
#include "trainer/tokenizers/ltx_vae/ltx_vae.h"
#include "trainer/tokenizers/sd_vae/sd_vae.h"
#include "trainer/tokenizers/tokenizer.h"
#include "trainer/tokenizers/wan_vae/wan_vae.h"

#include <torch/types.h>

#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

int throughModule(char** words) {
    config::TrainConfig::Tokenizer config;
    config.kind = "torchscript";
    config.encoder = words[0];
    config.decoder = words[1];
    config.frames_factor = std::stoll(words[2]);
    config.space_factor = std::stoll(words[3]);
    config.channels = std::stoll(words[4]);
    const auto tokenizer = makeTokenizer(config, at::kCPU);
    Params out;
    out.add("latents", tokenizer->encode(readSafetensors(words[5])["clips"]));
    out.add("reconstruction", tokenizer->decode(out["latents"]));
    writeSafetensors(words[6], out);
    return 0;
}

int throughLayers(char** words) {
    const at::NoGradGuard noGradients;
    const auto in = readSafetensors(words[0]);
    const auto run = [&](const at::Tensor& piece, vae::StreamState& memory) {
        const auto narrow = in["a.conv1.weight"].size(1), wide = in["a.conv1.weight"].size(0);
        auto x = vae::convolution(in, "in", piece, {}, memory);
        x = vae::ResidualBlock{narrow, wide}(in, "a", x, memory);
        x = vae::FrameAttention{wide}(in, "attention", x);
        return vae::ResidualBlock{wide, wide}(in, "b", x, memory);
    };
    const auto input = in["input"];
    vae::StreamState whole, pieces;
    std::vector<at::Tensor> outs;
    for (const auto& piece : input.split_with_sizes({1, 4, 2, input.size(2) - 7}, 2))
        outs.push_back(run(piece, pieces));
    Params out;
    out.add("whole", run(input, whole));
    out.add("pieces", at::cat(outs, 2));
    writeSafetensors(words[1], out);
    return 0;
}

/// What the tokenizer of the published VAE at `config.weights` makes of clips [n, 3, frames, height, width].
void addTokenized(Params& out, const config::TrainConfig::Tokenizer& config, const at::Tensor& clips) {
    const auto tokenizer = makeTokenizer(config, at::kCPU);
    const auto latents = tokenizer->encode(clips.permute({0, 2, 3, 4, 1}).contiguous());
    const auto planesFirst = [](const at::Tensor& x) { return x.permute({0, 4, 1, 2, 3}).contiguous(); };
    out.add("tokenizer_latents", planesFirst(latents));
    out.add("tokenizer_back", planesFirst(tokenizer->decode(latents)));
}

int throughSdVae(char** words) {
    const at::NoGradGuard noGradients;
    const auto model =
        pretrained::openPublished("PATH", words[0], {"autoencoder_kl"}, "Stable Diffusion VAE");
    const sd_vae::SdVae vae(pretrained::sdVaeSizes(model.found.family.sizes));
    Params weights, out;
    for (const auto& [name, shape] : model.found.family.expected)
        sd_vae::addPublished(weights, name, model.read(name).to(at::kDouble));
    const auto clips = readSafetensors(words[1])["clips"];
    const auto pictures = clips.transpose(1, 2).flatten(0, 1).to(at::kDouble);
    const auto latents = vae.encodeMean(weights, pictures);
    // our files hold no float64: its bits as whole numbers
    out.add("latents", latents.contiguous().view(at::kLong));
    out.add("back", vae.decode(weights, latents, clips.size(2)).contiguous().view(at::kLong));

    config::TrainConfig::Tokenizer config;
    config.kind = "sd_vae";
    config.weights = words[0];
    config.frames_factor = 1;
    config.space_factor = vae.sizes().spaceFactor();
    config.channels = vae.sizes().latents;
    addTokenized(out, config, clips);
    writeSafetensors(words[2], out);
    return 0;
}

int throughLtxVae(char** words) {
    const at::NoGradGuard noGradients;
    const auto model = pretrained::openPublished("PATH", words[0], {"ltx_vae"}, "LTX-Video VAE");
    const auto sizes = pretrained::ltxVaeSizes(pretrained::TensorTable(model.found.family.expected));
    const ltx_vae::LtxVae vae(*sizes);
    Params weights, out;
    for (const auto& [name, shape] : pretrained::ltxVaeTensors(*sizes))
        weights.add(name, model.read(name).to(at::kDouble));
    const auto clips = readSafetensors(words[1])["clips"];
    const auto latents = vae.encodeMean(weights, clips.to(at::kDouble));
    out.add("latents", latents.contiguous().view(at::kLong));
    out.add("back", vae.decode(weights, latents, 0.05).contiguous().view(at::kLong));

    config::TrainConfig::Tokenizer config;
    config.kind = "ltx_vae";
    config.weights = words[0];
    config.frames_factor = sizes->framesFactor();
    config.space_factor = sizes->spaceFactor();
    config.channels = sizes->latents;
    addTokenized(out, config, clips);
    writeSafetensors(words[2], out);
    return 0;
}

int throughWanVae(char** words) {
    const at::NoGradGuard noGradients;
    const auto model = pretrained::openPublished("PATH", words[0], {"wan_vae"}, "Wan VAE");
    const wan_vae::WanVae vae(pretrained::wanVaeSizes(model.found.family.sizes));
    Params weights;
    for (const auto& [name, shape] : model.found.family.expected)
        wan_vae::addPublished(weights, name, model.read(name).to(at::kDouble));
    const auto encode = [&](const at::Tensor& clips, vae::StreamState& memory) {
        return vae.encodeMean(weights, vae.encodeFine(weights, clips, memory), memory);
    };
    const auto decode = [&](const at::Tensor& latents, vae::StreamState& memory) {
        return vae.decodeFine(weights, vae.decodeCoarse(weights, latents, memory), memory);
    };
    const auto inPieces = [](const at::Tensor& x, std::int64_t frames, const auto& step) {
        vae::StreamState memory;
        std::vector<at::Tensor> outs;
        for (const auto& piece : x.split(frames, 2))
            if (auto out = step(piece, memory); out.defined()) outs.push_back(std::move(out));
        return at::cat(outs, 2).contiguous();
    };
    const auto pixels = readSafetensors(words[1])["clips"];
    const auto clips = pixels.to(at::kDouble);
    Params out;
    // our files hold no float64: its bits as whole numbers
    const auto add = [&](const char* name, const at::Tensor& x) { out.add(name, x.view(at::kLong)); };
    const auto whole = inPieces(clips, clips.size(2), encode);
    add("latents", whole);
    add("latents_pieces", inPieces(clips, 3, encode));
    add("back", inPieces(whole, clips.size(2), decode));
    add("back_pieces", inPieces(whole, 1, decode));

    config::TrainConfig::Tokenizer config;
    config.kind = "wan_vae";
    config.weights = words[0];
    config.space_factor = vae.spaceFactor();
    config.channels = vae.sizes().latents;
    addTokenized(out, config, pixels);
    writeSafetensors(words[2], out);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        const std::string verb = count > 1 ? words[1] : "";
        if (verb == "module" && count == 9) return throughModule(words + 2);
        if (verb == "layers" && count == 4) return throughLayers(words + 2);
        if (verb == "wan_vae" && count == 5) return throughWanVae(words + 2);
        if (verb == "ltx_vae" && count == 5) return throughLtxVae(words + 2);
        if (verb == "sd_vae" && count == 5) return throughSdVae(words + 2);
        std::cerr << "tokenizers_tool module|layers|wan_vae|ltx_vae|sd_vae …\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
