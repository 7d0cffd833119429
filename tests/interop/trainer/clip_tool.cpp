// Our CLIP for Python: clip_tool vision|text PATH IN.safetensors OUT.safetensors
//                      clip_tool pictures SIDE crop|squeeze antialiased|bare IN.safetensors OUT.safetensors
// vision, text: PATH is a published encoder, IN has input (pictures [n, 3, side, side]; ids [n, tokens]) and
// for each output that has a gradient gradient.last, .penultimate, .pooled and .projected. OUT has those
// outputs, and the gradients of all weights under their names. pictures: IN has input, OUT output.
#include "core/base/error.h"
#include "trainer/models/clip/clip_pictures.h"
#include "trainer/models/clip/clip_text.h"
#include "trainer/models/clip/clip_vision.h"
#include "trainer/pretrained/published_clip.h"
#include "trainer/serialization/safetensors.h"

#include <torch/types.h>

#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

Params withGradients(const Params& weights) {
    Params all;
    for (const auto& name : weights.names())
        all.add(name, weights[name].detach().clone().set_requires_grad(true));
    return all;
}

template <class Encode>
void encode(const Params& published, const Params& given, const std::string& file, const Encode& encoder) {
    const auto weights = withGradients(published);
    const auto output = encoder(weights, given["input"]);
    Params out;
    at::Tensor loss;
    for (const auto& [name, value] : {std::pair("last", output.last),
                                      {"penultimate", output.penultimate},
                                      {"pooled", output.pooled},
                                      {"projected", output.projected}}) {
        if (!value.defined()) continue;
        out.add(name, value.detach().contiguous());
        const auto part = (value * given[std::string("gradient.") + name]).sum();
        loss = loss.defined() ? loss + part : part;
    }
    loss.backward();
    for (const auto& name : weights.names()) out.add(name, weights[name].grad());
    writeSafetensors(file, out);
}

}  // namespace

int main(int count, char** words) try {
    const std::string verb = count > 1 ? words[1] : "";
    if (verb == "vision" && count == 5) {
        const auto model = pretrained::readPublishedClipVision("clip_tool", words[2]);
        encode(model.weights, readSafetensors(words[3]), words[4], clip::VisionTower(model.sizes));
    } else if (verb == "text" && count == 5) {
        const auto model = pretrained::readPublishedClipText("clip_tool", words[2]);
        encode(model.weights, readSafetensors(words[3]), words[4], clip::TextTower(model.sizes));
    } else if (verb == "pictures" && count == 7) {
        const clip::PictureFit fit{.crop = words[3] == std::string("crop"),
                                   .antialias = words[4] == std::string("antialiased")};
        Params out;
        out.add("output", clip::encoderPictures(readSafetensors(words[5])["input"], std::stoll(words[2]), fit)
                              .contiguous());
        writeSafetensors(words[6], out);
    } else {
        throw InputError("clip_tool vision|text|pictures …");
    }
} catch (const Error& error) {
    std::cerr << "clip_tool: " << error.full() << '\n';
    return 1;
}
