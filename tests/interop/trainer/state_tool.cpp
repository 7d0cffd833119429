// What optimizers and files do to named tensors, for the Python peers to compare with.
// clang-format off
//   state_tool copy IN OUT                     read a safetensors file and write it again
//   state_tool shard IN FOLDER RANKS           write its tensors as so many ranks do, flattened and cut anywhere
//   state_tool reshard FROM FOLDER RANKS       each of so many ranks reads its share of such a folder and writes it
//   state_tool join FOLDER OUT                 one process reads such a folder and writes a file
//   state_tool optimize IN OUT CONFIG          tensors "weight/NAME" and "gradient/STEP/NAME" (STEP from 0) in;
//                                              "weight/NAME" and "state/NAME" after the steps out
//   state_tool average IN OUT CONFIG           tensors "weight/STEP/NAME" in; "average/NAME" out, from step 0's on
//   state_tool schedule CONFIG                 print the learning rate of every step
//   state_tool checkpoint CONFIG CHANNELS TEXT_WIDTH RUN   a checkpoint of step 1 of the untrained model
// clang-format on
// CONFIG is a file like config.json; what it leaves out takes the trainer's defaults.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/models/model_family.h"
#include "trainer/optim/ema.h"
#include "trainer/optim/optimizer.h"
#include "trainer/optim/schedule.h"
#include "trainer/serialization/safetensors.h"

#include <torch/types.h>

#include <iomanip>
#include <iostream>

namespace dailies::trainer {
namespace {

config::TrainConfig configOf(const std::string& file) {
    return config::resolve(parseJson(readFile(file), file));
}

/// The tensors below a prefix, under the rest of their names, in the file's order.
Params below(const Params& tensors, const std::string& prefix) {
    Params found;
    for (const auto& name : tensors.names())
        if (name.starts_with(prefix)) found.add(name.substr(prefix.size()), tensors[name]);
    return found;
}

void copy(const std::string& in, const std::string& out) {
    writeSafetensors(out, readSafetensors(in), readSafetensorsHeader(in).metadata);
}

namespace fs = std::filesystem;

constexpr const char* kIndex = "index.json";

/// Writes every rank's share of tensors of these shapes; `read` gives any box of one.
template <class Read>
void writeRanks(const std::map<std::string, Extents>& shapes, const fs::path& folder, std::int64_t ranks,
                Read read) {
    fs::create_directories(folder);
    TensorIndex index;
    std::map<std::string, std::uint64_t> files;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<TensorPart> parts;
        for (const auto& [name, shape] : shapes) {
            const auto elements = Box::whole(shape).elements();
            for (const auto& box :
                 boxesOfRange(shape, elements * rank / ranks, elements * (rank + 1) / ranks))
                parts.push_back({name, shape, box, read(name, box)});
        }
        writeParts(folder, "tensors", parts, {rank, ranks}, std::uint64_t{1} << 20, index, files);
    }
    index.check(files);
    writeFileAtomically(folder / kIndex, index.toJson().dump());
}

TensorIndex::Group indexIn(const fs::path& folder) {
    return TensorIndex::fromJson(parseJson(readFile(folder / kIndex), kIndex)).group("tensors");
}

void shard(const std::string& in, const fs::path& folder, std::int64_t ranks) {
    const auto tensors = readSafetensors(in);
    std::map<std::string, Extents> shapes;
    for (const auto& name : tensors.names()) shapes[name] = tensors[name].sizes().vec();
    writeRanks(shapes, folder, ranks, [&](const std::string& name, const Box& box) {
        auto part = tensors[name];
        for (std::size_t axis = 0; axis < box.size.size(); ++axis)
            part = part.narrow(static_cast<std::int64_t>(axis), box.first[axis], box.size[axis]);
        return part.contiguous();
    });
}

void reshard(const fs::path& from, const fs::path& folder, std::int64_t ranks) {
    const auto group = indexIn(from);
    std::map<std::string, Extents> shapes;
    for (const auto& [name, tensor] : group) shapes[name] = tensor.shape;
    writeRanks(shapes, folder, ranks,
               [&](const std::string& name, const Box& box) { return readBox(from, group.at(name), box); });
}

void optimize(const std::string& in, const std::string& out, const config::TrainConfig& config) {
    const auto tensors = readSafetensors(in);
    const auto weights = below(tensors, "weight/");
    const auto optimizer = makeOptimizer(weights, config.optimizer);
    for (std::int64_t step = 0;; ++step) {
        const auto named = below(tensors, "gradient/" + std::to_string(step) + "/");
        if (named.names().empty()) break;
        std::vector<at::Tensor> gradients;
        for (const auto& name : weights.names()) gradients.push_back(named[name]);
        optimizer->step(gradients, config.optimizer.lr);
    }
    Params result;
    for (const auto& name : weights.names()) result.add("weight/" + name, weights[name]);
    const auto state = optimizer->state();
    for (const auto& name : state.names()) result.add("state/" + name, state[name]);
    writeSafetensors(out, result);
}

void average(const std::string& in, const std::string& out, const config::TrainConfig& config) {
    const auto tensors = readSafetensors(in);
    const auto mean = below(tensors, "weight/0/").clone();
    for (std::int64_t step = 1;; ++step) {
        const auto weights = below(tensors, "weight/" + std::to_string(step) + "/");
        if (weights.names().empty()) break;
        Params ordered;
        for (const auto& name : mean.names()) ordered.add(name, weights[name]);
        updateEma(mean, ordered, emaDecay(config.optimizer, step + 1));  // the first only copies
    }
    Params result;
    for (const auto& name : mean.names()) result.add("average/" + name, mean[name]);
    writeSafetensors(out, result);
}

void schedule(const config::TrainConfig& config) {
    std::cout << std::setprecision(17) << '[';
    for (std::int64_t step = 1; step <= config.steps; ++step)
        std::cout << (step > 1 ? "," : "") << learningRate(config, step);
    std::cout << "]\n";
}

void checkpoint(const config::TrainConfig& config, std::int64_t channels, std::int64_t textWidth,
                const std::string& runFolder) {
    ModelShape shape{config.model, config.data.frames, config.data.height, config.data.width};
    shape.channels = channels;
    shape.textWidth = textWidth;
    TrainingState state;
    state.step = 1;
    // zeroed layers would hide a mistake in their names
    const auto drawn = makeModel(shape, at::kCPU)->initialWeights(config.seed);
    for (const auto& name : drawn.names())
        state.weights.add(name, drawn[name] + at::randn(drawn[name].sizes()) * 0.02);
    state.model = shape.toJson();
    state.config = config::toJson(config);
    Checkpoints(runFolder, config.checkpoint).save(state);
}

int run(const std::vector<std::string>& words) {
    if (words.size() == 3 && words[0] == "copy") return copy(words[1], words[2]), 0;
    if (words.size() == 4 && words[0] == "shard") return shard(words[1], words[2], std::stoll(words[3])), 0;
    if (words.size() == 4 && words[0] == "reshard")
        return reshard(words[1], words[2], std::stoll(words[3])), 0;
    if (words.size() == 3 && words[0] == "join")
        return writeSafetensors(words[2], readGroup(words[1], indexIn(words[1]))), 0;
    if (words.size() == 4 && words[0] == "optimize")
        return optimize(words[1], words[2], configOf(words[3])), 0;
    if (words.size() == 4 && words[0] == "average") return average(words[1], words[2], configOf(words[3])), 0;
    if (words.size() == 2 && words[0] == "schedule") return schedule(configOf(words[1])), 0;
    if (words.size() == 5 && words[0] == "checkpoint")
        return checkpoint(configOf(words[1]), std::stoll(words[2]), std::stoll(words[3]), words[4]), 0;
    std::cerr << "state_tool: checkpoint, copy, shard, reshard, join, optimize, average or schedule\n";
    return 2;
}

}  // namespace
}  // namespace dailies::trainer

int main(int count, char** words) {
    try {
        return dailies::trainer::run({words + 1, words + count});
    } catch (const std::exception& error) {
        std::cerr << "state_tool: " << error.what() << '\n';
        return 1;
    }
}
