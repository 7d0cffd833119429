// The networks of Animate Anyone for Python: unet_tool SIZES.json IN.safetensors OUT.safetensors
// SIZES.json: channels, blocks, context, heads and groups of a U-Net; motion_places, motion_middle and
// norms_across_frames where it has motion modules; pose_widths where it has a pose guider, pose_groups where
// that attends, as one of Champ.
// IN: the U-Net's weights as diffusers names them, input.latents, input.times and input.context, and
// output.gradient; with input.reference also the weights of a ReferenceNet behind "reference.", which is
// given the same context at the time 0; with input.pose those of a pose guider behind "pose.".
// OUT: output, and the gradients of all weights under their names.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "trainer/models/unet/pose_guider.h"
#include "trainer/models/unet/unet.h"
#include "trainer/serialization/safetensors.h"

#include <torch/types.h>

#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

unet::UnetSizes sizesFrom(const Json& json) {
    unet::UnetSizes sizes;
    sizes.channels = json.at("channels").get<Extents>();
    sizes.blocks = json.at("blocks");
    sizes.context = json.at("context");
    sizes.heads = json.at("heads");
    sizes.groups = json.at("groups");
    sizes.motion = {.places = json.value("motion_places", 0), .middle = json.value("motion_middle", false)};
    return sizes;
}

/// Those weights of `given` that stand behind `prefix`, with room for gradients.
Params weightsBehind(const std::string& prefix, const Params& given) {
    Params weights;
    for (const auto& name : given.names())
        if (name.starts_with(prefix))
            weights.add(name.substr(prefix.size()), given[name].detach().clone().set_requires_grad(true));
    return weights;
}

Params unetWeights(const std::string& prefix, const Params& given, const unet::UnetSizes& sizes) {
    Params weights;
    for (const auto& [name, shape] : unet::unetTensors(sizes)) {
        const auto& value = given[prefix + name];
        if (value.sizes() != at::IntArrayRef(shape)) throw Error(prefix + name + " has another shape.");
        weights.add(name, value.detach().clone().set_requires_grad(true));
    }
    return weights;
}

void addGradients(Params& out, const std::string& prefix, const Params& weights) {
    for (const auto& name : weights.names()) {
        const auto& gradient = weights[name].grad();
        out.add(prefix + name, gradient.defined() ? gradient : at::zeros_like(weights[name]));
    }
}

void throughUnet(const Json& json, const Params& given, const std::string& file) {
    const unet::Unet unet(sizesFrom(json), json.value("norms_across_frames", false));
    auto plain = unet.sizes();
    plain.motion = {};
    const unet::Unet referenceNet(plain);
    const auto weights = unetWeights("", given, unet.sizes());
    Params reference, pose;
    unet::UnetInput input{
        .latents = given["input.latents"], .times = given["input.times"], .context = given["input.context"]};
    if (given.contains("input.reference")) {
        reference = unetWeights("reference.", given, plain);
        input.references = referenceNet.referencesOf(reference, {.latents = given["input.reference"],
                                                                 .times = at::zeros_like(input.times),
                                                                 .context = input.context});
    }
    if (given.contains("input.pose")) {
        pose = weightsBehind("pose.", given);
        unet::PoseGuider guider;
        guider.sizes.widths = json.at("pose_widths").get<Extents>();
        guider.sizes.outputs = unet.sizes().channels.front();
        guider.sizes.attends = json.contains("pose_groups");
        guider.groups = json.value("pose_groups", guider.groups);
        input.added = guider(pose, given["input.pose"]);
    }
    const auto output = unet(weights, input);
    output.backward(given["output.gradient"]);
    Params out;
    out.add("output", output.detach().contiguous());
    addGradients(out, "", weights);
    addGradients(out, "reference.", reference);
    addGradients(out, "pose.", pose);
    writeSafetensors(file, out);
}

}  // namespace

int main(int count, char** words) try {
    if (count != 4) throw InputError("unet_tool SIZES.json IN.safetensors OUT.safetensors");
    throughUnet(Json::parse(readFile(words[1])), readSafetensors(words[2]), words[3]);
} catch (const Error& error) {
    std::cerr << "unet_tool: " << error.full() << '\n';
    return 1;
}
