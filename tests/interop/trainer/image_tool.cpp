// What a model is told of an image, for Python: image_tool CONFIG.json IN.safetensors OUT.safetensors
// CONFIG.json: the configuration's model and tokenizer groups. IN has picture [height, width, 3] of whole
// numbers 0 … 255, with conditioning first_last also last, and frames [1], how many the clip has; OUT given
// [frames, height, width, mask and latents] as the model reads it, latents scaled by the tokenizer's own
// scale, and tokens [tokens, width].
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/train_config.h"
#include "trainer/denoising/image_condition.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tokenizers/condition_encoder.h"

#include <torch/types.h>

#include <cstring>
#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

int main(int count, char** words) try {
    if (count != 4) throw InputError("image_tool CONFIG.json IN.safetensors OUT.safetensors");
    const auto config = config::resolve(Json::parse(readFile(words[1])));
    const auto in = readSafetensors(words[2]);
    std::vector<at::Tensor> all = {in["picture"]};
    if (in.contains("last")) all.push_back(in["last"]);
    const auto bytes = at::stack(all).to(at::kByte).contiguous();
    RgbClip picture{static_cast<int>(bytes.size(0)), static_cast<int>(bytes.size(1)),
                    static_cast<int>(bytes.size(2)), std::vector<std::uint8_t>(bytes.nbytes())};
    std::memcpy(picture.rgb.data(), bytes.const_data_ptr(), picture.rgb.size());

    const auto tokenizer = makeTokenizer(config.tokenizer, at::kCPU);
    const auto encoder = makeConditionEncoder(config.model, tokenizer.get(), at::kCPU);
    const auto image = encoder->imageOf(picture, in["frames"].item<std::int64_t>());
    const auto tensors = imageTensors({&image}, tokenizer->latentScale().value(), at::kCPU);
    Params out;
    out.add("given", tensors.conditioning.squeeze(0).contiguous());
    out.add("tokens", tensors.tokens.squeeze(0).contiguous());
    writeSafetensors(words[3], out);
    return 0;
} catch (const Error& error) {
    std::cerr << "image_tool: " << error.full() << '\n';
    return 1;
}
