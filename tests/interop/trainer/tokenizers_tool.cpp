// Our tokenizers for Python: tokenizers_tool module ENCODER.jit DECODER.jit FRAMES_FACTOR SPACE_FACTOR
// CHANNELS
//                              IN.safetensors OUT.safetensors
//                            tokenizers_tool layers IN.safetensors OUT.safetensors
// module: IN has clips [n, frames, height, width, 3], OUT latents and reconstruction. layers: IN has input
// and the weights of a convolution, two residual blocks and frame attention, OUT what comes of them whole,
// and in pieces of 1, 4, 2 and the remaining frames.
#include "core/base/error.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tokenizers/causal_vae/causal_layers.h"
#include "trainer/tokenizers/tokenizer.h"

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

}  // namespace

int main(int count, char** words) {
    try {
        const std::string verb = count > 1 ? words[1] : "";
        if (verb == "module" && count == 9) return throughModule(words + 2);
        if (verb == "layers" && count == 4) return throughLayers(words + 2);
        std::cerr << "tokenizers_tool module|layers …\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
