// Our models for Python: models_tool run SHAPE.json IN.safetensors OUT.safetensors
//                        models_tool size SHAPE.json
// SHAPE.json: the configuration's model group with frames, height, width, channels, text_width beside it. IN:
// the weights as diffusers names them, input.clips, input.times, input.text and output.gradient; OUT: output
// and, under diffusers' names, the weights' gradients. Both print the number of weights and the operations of
// one clip.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/train_config.h"
#include "trainer/models/model_family.h"
#include "trainer/serialization/safetensors.h"

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
};

Task readTask(const std::string& file) {
    const auto json = Json::parse(readFile(file));
    Task task;
    task.size = {json.at("frames"), json.at("height"), json.at("width")};
    task.shape.model =
        config::resolve(
            {{"model", json.at("model")},
             {"data",
              {{"frames", task.size.frames}, {"height", task.size.height}, {"width", task.size.width}}}})
            .model;
    task.shape.frames = task.size.frames;
    task.shape.height = task.size.height;
    task.shape.width = task.size.width;
    task.shape.channels = json.at("channels");
    task.shape.textWidth = json.at("text_width");
    task.textTokens = json.at("text_tokens");
    task.fps = json.value("fps", 24.0);
    return task;
}

void run(const Task& task, const Model& model, const std::string& in, const std::string& out) {
    const auto given = readSafetensors(in);
    const auto weights = fromDiffusers(model, given);
    for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    const auto output =
        model.forward(weights, {.groups = {{.clips = given["input.clips"], .given = {}, .fps = task.fps}},
                                .times = given["input.times"],
                                .text = {.words = {}, .embeddings = given["input.text"], .mask = {}}});
    output.front().backward(given["output.gradient"]);
    Params gradients;
    for (const auto& name : weights.names()) gradients.add(name, weights[name].grad());
    const auto theirs = toDiffusers(model, gradients);
    Params results;
    results.add("output", output.front().detach().contiguous());
    for (const auto& name : theirs.names()) results.add(name, theirs[name]);
    writeSafetensors(out, results);
}

}  // namespace

int main(int count, char** words) try {
    if (count < 3)
        throw InputError("models_tool run SHAPE.json IN.safetensors OUT.safetensors | size SHAPE.json");
    const auto task = readTask(words[2]);
    const auto model = makeModel(task.shape, at::kCPU);
    if (std::string(words[1]) == "run") run(task, *model, words[3], words[4]);
    const auto flops = model->flops(task.size, task.textTokens);
    std::cout << Json{{"weights", model->weightsOnMeta().elementCount()},
                      {"forward", flops.forward()},
                      {"backward", flops.backward()}}
              << '\n';
} catch (const Error& error) {
    std::cerr << "models_tool: " << error.full() << '\n';
    return 1;
}
