// Our models for Python: models_tool run SHAPE.json IN.safetensors OUT.safetensors
//                        models_tool init SHAPE.json IN.safetensors OUT.safetensors WEIGHTS PRECISION
//                        models_tool adapter SHAPE.json IN.safetensors OUT.safetensors WEIGHTS
//                        models_tool size SHAPE.json
// SHAPE.json: the configuration's model group with frames, height, width, channels, text_width and, where
// captions are no words, its text group beside it; of image to video image_width; of latents whose size
// counts latent_pixels and frames_per_latent. IN: the weights as diffusers names them, input.clips,
// input.times, input.text and output.gradient, of image to video input.given and input.image, and of frames
// in place (in_place) input.given, of UniAnimate input.poses and input.reference_pose as `Character` has
// them; OUT: output and, under diffusers' names, the weights' gradients. init: the weights are those of the
// file or folder WEIGHTS, as model.init reads them, and the captions have input.mask. adapter: the same,
// frozen, with the factors that IN has under diffusers' names of an adapter; SHAPE.json has the
// configuration's lora group; OUT has the factors' gradients. All print the number of weights and the
// operations of one clip.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/train_config.h"
#include "trainer/lora/lora_model.h"
#include "trainer/models/model_family.h"
#include "trainer/pretrained/initial_weights.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/precision.h"

#include <torch/types.h>

#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

struct Task {
    ModelShape shape;
    ClipSize size;
    std::int64_t textTokens = 0;
    double fps = 24;
    config::TrainConfig::Lora lora = {};
};

Task readTask(const std::string& file) {
    const auto json = Json::parse(readFile(file));
    Task task;
    task.size = {json.at("frames"), json.at("height"), json.at("width")};
    auto model = json.at("model");
    // of which no configuration needs to say what data it has
    const bool animates = model.value("family", "") == "unianimate";
    if (animates) model["family"] = "wan";
    const auto conditioning = model.value("conditioning", "none");
    model["conditioning"] = "none";
    task.shape.model =
        config::resolve(
            {{"model", model},
             {"text", json.value("text", Json::object())},
             {"data",
              {{"frames", task.size.frames}, {"height", task.size.height}, {"width", task.size.width}}}})
            .model;
    if (animates) task.shape.model.family = "unianimate";
    task.shape.frames = task.size.frames;
    task.shape.height = task.size.height;
    task.shape.width = task.size.width;
    task.shape.channels = json.at("channels");
    task.shape.textWidth = json.at("text_width");
    task.textTokens = json.at("text_tokens");
    // what tokenizer makes the latents does not matter here
    task.shape.imageWidth = json.value("image_width", std::int64_t{0});
    if (task.shape.imageWidth > 0 && conditioning == "none") task.shape.model.conditioning = "image";
    if (conditioning != "none") task.shape.model.conditioning = conditioning;
    if (json.value("in_place", false)) task.shape.model.conditioning = "in_place";
    task.shape.latentPixels = json.value("latent_pixels", std::int64_t{1});
    task.shape.framesPerLatent = json.value("frames_per_latent", std::int64_t{1});
    task.fps = json.value("fps", 24.0);
    if (json.contains("lora"))
        task.lora = config::resolve({{"lora", json.at("lora")}, {"model", {{"init", "given"}}}}).lora;
    return task;
}

void open(pretrained::InitialWeights& init, const Model& model) {
    config::TrainConfig::Diffusion diffusion;
    diffusion.prediction = "velocity";
    init.fit(model, diffusion);
}

Params published(const Model& model, const std::string& path) {
    pretrained::InitialWeights init(path);
    open(init, model);
    return model.weightsFrom([&](const std::string& name) { return init.read(name); });
}

at::Tensor outputOf(const Task& task, const Model& model, const Params& weights, const Params& given) {
    for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    const auto optional = [&](const char* name) { return given.contains(name) ? given[name] : at::Tensor(); };
    Character character;
    character.poses = optional("input.poses");
    character.referencePose = optional("input.reference_pose");
    const auto outputs = model.forward(
        weights,
        {.groups = {{.clips = given["input.clips"],
                     .conditioning = optional("input.given"),
                     .fps = task.fps,
                     .character = character,
                     .imageTokens = optional("input.image")}},
         .times = given["input.times"],
         .text = {.words = {},
                  .embeddings = given["input.text"],
                  .mask = given.contains("input.mask") ? given["input.mask"].to(at::kBool) : at::Tensor()}});
    outputs.front().backward(given["output.gradient"]);
    return outputs.front().detach().contiguous();
}

void run(const Task& task, const Model& model, const Params& weights, const Params& given,
         const std::string& out, const std::string& precision = "fp32") {
    const AutocastScope autocast(at::kCPU, precision);
    const auto output = outputOf(task, model, weights, given);
    Params gradients;
    for (const auto& name : weights.names()) gradients.add(name, weights[name].grad());
    const auto theirs = toDiffusers(model, gradients);
    Params results;
    results.add("output", output);
    for (const auto& name : theirs.names()) results.add(name, theirs[name]);
    writeSafetensors(out, results);
}

void runAdapter(const Task& task, std::unique_ptr<Model> base, const Params& given, const std::string& out,
                const std::string& path) {
    pretrained::InitialWeights init(path);
    open(init, *base);
    auto frozen =
        lora::loadBase(*base, [&](const std::string& name) { return init.read(name); }, at::kCPU, {});
    const lora::LoraModel model(std::move(base), task.lora, std::move(frozen));
    Params factors, results;
    const auto theirs = [](const lora::LoraLayer& layer, const char* factor) {
        return "transformer." + layer.diffusers + factor;
    };
    for (const auto& layer : model.layers()) {
        factors.add(layer.lowerName(), given[theirs(layer, ".lora_A.weight")]);
        factors.add(layer.upperName(), given[theirs(layer, ".lora_B.weight")]);
    }
    results.add("output", outputOf(task, model, factors, given));
    for (const auto& layer : model.layers()) {
        results.add(theirs(layer, ".lora_A.weight"), factors[layer.lowerName()].grad());
        results.add(theirs(layer, ".lora_B.weight"), factors[layer.upperName()].grad());
    }
    writeSafetensors(out, results);
}

}  // namespace

int main(int count, char** words) try {
    if (count < 3)
        throw InputError(
            "models_tool run SHAPE.json IN OUT | init SHAPE.json IN OUT WEIGHTS PRECISION | size SHAPE.json");
    const auto task = readTask(words[2]);
    auto model = makeModel(task.shape, at::kCPU);
    const std::string verb = words[1];
    if (verb != "size" && count < (verb == "init" ? 7 : verb == "adapter" ? 6 : 5))
        throw InputError("words are missing");
    if (verb == "adapter") {
        runAdapter(task, std::move(model), readSafetensors(words[3]), words[4], words[5]);
        return 0;
    }
    if (verb == "run") {
        const auto given = readSafetensors(words[3]);
        run(task, *model, fromDiffusers(*model, given), given, words[4]);
    } else if (verb == "init") {
        run(task, *model, published(*model, words[5]), readSafetensors(words[3]), words[4], words[6]);
    }
    const auto flops = model->flops(task.size, task.textTokens);
    std::cout << Json{{"weights", model->weightsOnMeta().elementCount()},
                      {"forward", flops.forward()},
                      {"backward", flops.backward()}}
              << '\n';
} catch (const Error& error) {
    std::cerr << "models_tool: " << error.full() << '\n';
    return 1;
}
