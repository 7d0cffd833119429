// The networks of Animate Anyone for Python: unet_tool SIZES.json IN.safetensors OUT.safetensors
// SIZES.json: channels, blocks, context, heads and groups of a U-Net; motion_places, motion_middle and
// norms_across_frames where it has motion modules; pose_widths where it has a pose guider, pose_groups where
// that attends, as one of Champ.
// IN: the U-Net's weights as diffusers names them, input.latents, input.times and input.context, and
// output.gradient; with input.reference also the weights of a ReferenceNet behind "reference.", which is
// given the same context at the time 0; with input.pose those of a pose guider behind "pose.".
// With label_width it is the U-Net of Stable Video Diffusion, of head_width and groups, which is given
// input.labels, too; with pose_widths its pose is read by the PoseNet of MimicMotion.
// With shape it is a model of the trainer, whose weights stand under their own names: clips of input.noised
// at the levels input.sigma of EDM, with input.picture, input.embedding and, where it animates a character,
// input.pose. OUT has what is left of their noise, output, and the levels of input.steps steps, grid. OUT
// otherwise: output, and the gradients of all weights under their names.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/config/family_traits.h"
#include "trainer/diffusion/objective.h"
#include "trainer/models/model_family.h"
#include "trainer/models/unet/pose_guider.h"
#include "trainer/models/unet/pose_net.h"
#include "trainer/models/unet/spatio_temporal_unet.h"
#include "trainer/models/unet/unet.h"
#include "trainer/serialization/safetensors.h"

#include <torch/types.h>

#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

unet::UnetSizes sizesFrom(const Json& json) {
    unet::UnetSizes sizes;
    sizes.levels.channels = json.at("channels").get<Extents>();
    sizes.levels.blocks = json.at("blocks");
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

Params unetWeights(const std::string& prefix, const Params& given, const NamedShapes& tensors) {
    Params weights;
    for (const auto& [name, shape] : tensors) {
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

void writeResults(const std::string& file, const at::Tensor& output, const at::Tensor& gradient,
                  const std::vector<std::pair<std::string, Params>>& parts) {
    output.backward(gradient);
    Params out;
    out.add("output", output.detach().contiguous());
    for (const auto& [prefix, weights] : parts) addGradients(out, prefix, weights);
    writeSafetensors(file, out);
}

void throughUnet(const Json& json, const Params& given, const std::string& file) {
    const unet::Unet unet(sizesFrom(json), json.value("norms_across_frames", false));
    auto plain = unet.sizes();
    plain.motion = {};
    const unet::Unet referenceNet(plain);
    const auto weights = unetWeights("", given, unet::unetTensors(unet.sizes()));
    Params reference, pose;
    unet::UnetInput input{
        .latents = given["input.latents"], .times = given["input.times"], .context = given["input.context"]};
    if (given.contains("input.reference")) {
        reference = unetWeights("reference.", given, unet::unetTensors(plain));
        input.references = referenceNet.referencesOf(reference, {.latents = given["input.reference"],
                                                                 .times = at::zeros_like(input.times),
                                                                 .context = input.context});
    }
    if (given.contains("input.pose")) {
        pose = weightsBehind("pose.", given);
        unet::PoseGuider guider;
        guider.sizes.widths = json.at("pose_widths").get<Extents>();
        guider.sizes.outputs = unet.sizes().levels.channels.front();
        guider.sizes.attends = json.contains("pose_groups");
        guider.groups = json.value("pose_groups", guider.groups);
        input.added = guider(pose, given["input.pose"]);
    }
    writeResults(file, unet(weights, input), given["output.gradient"],
                 {{"", weights}, {"reference.", reference}, {"pose.", pose}});
}

void throughVideoUnet(const Json& json, const Params& given, const std::string& file) {
    const unet::SpatioTemporalUnet unet({.inputs = given["conv_in.weight"].size(1),
                                         .outputs = given["conv_out.weight"].size(0),
                                         .levels = {json.at("channels").get<Extents>(), json.at("blocks")},
                                         .context = json.at("context"),
                                         .headWidth = json.at("head_width"),
                                         .groups = json.at("groups"),
                                         .labelWidth = json.at("label_width")});
    const auto weights = unetWeights("", given, unet::spatioTemporalTensors(unet.sizes()));
    Params pose;
    unet::SpatioTemporalInput input{.latents = given["input.latents"],
                                    .times = given["input.times"],
                                    .context = given["input.context"],
                                    .labels = given["input.labels"],
                                    .recompute = json.value("recompute", false)};
    if (given.contains("input.pose")) {
        pose = weightsBehind("pose.", given);
        unet::PoseNet net;
        net.sizes.widths = json.at("pose_widths").get<Extents>();
        net.sizes.outputs = unet.sizes().levels.channels.front();
        for (const auto& [name, shape] : unet::poseNetTensors(net.sizes))
            if (pose[name].sizes() != at::IntArrayRef(shape)) throw Error(name + " has another shape.");
        input.added = net(pose, given["input.pose"]);
    }
    writeResults(file, unet(weights, input), given["output.gradient"], {{"", weights}, {"pose.", pose}});
}

void denoise(const Json& json, const Params& given, const std::string& file) {
    const at::NoGradGuard noGradients;
    const auto model = makeModel(ModelShape::fromJson(json.at("shape")), at::kCPU);
    config::TrainConfig::Diffusion diffusion;
    diffusion.objective = "edm";
    diffusion.prediction = "velocity";
    diffusion.sigma_max = json.at("sigma_max");
    const auto objective = makeObjective(diffusion);
    const auto &noised = given["input.noised"], &levels = given["input.sigma"];
    const auto& picture = given["input.picture"];
    ClipGroup group{.clips = objective->networkInput(noised, levels)};
    if (config::animates(model->shape().model)) {
        const auto isGiven = at::ones_like(picture.narrow(-1, 0, 1));
        group.character = {at::cat({isGiven, picture}, -1), given["input.pose"], given["input.embedding"]};
    } else {
        group.conditioning = picture.unsqueeze(1);
        group.imageTokens = given["input.embedding"];
        group.fps = json.at("fps");
    }
    ModelInput input;
    input.groups = {group};
    input.times = objective->networkTimes(levels);
    const auto made = model->forward(given, input).front();
    Params out;
    out.add("output", objective->predictClean(made, noised, levels).contiguous());
    std::vector<double> grid;
    for (const auto& point : objective->grid(json.at("steps"), 0)) grid.push_back(point.level);
    out.add("grid", at::tensor(grid, at::kDouble).to(at::kFloat));
    writeSafetensors(file, out);
}

}  // namespace

int main(int count, char** words) try {
    if (count != 4) throw InputError("unet_tool SIZES.json IN.safetensors OUT.safetensors");
    const auto sizes = Json::parse(readFile(words[1]));
    const auto through = sizes.contains("shape")         ? denoise
                         : sizes.contains("label_width") ? throughVideoUnet
                                                         : throughUnet;
    through(sizes, readSafetensors(words[2]), words[3]);
} catch (const Error& error) {
    std::cerr << "unet_tool: " << error.full() << '\n';
    return 1;
}
