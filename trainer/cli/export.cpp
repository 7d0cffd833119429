#include "trainer/checkpoint/export.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/cli/verbs.h"
#include "trainer/lora/adapter_export.h"
#include "trainer/lora/checkpoint_base.h"
#include "trainer/lora/lora_model.h"
#include "trainer/models/diffusers_names.h"
#include "trainer/models/model_family.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/pretrained/recognition.h"

#include <torch/types.h>

#include <iostream>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
    fs::path checkpoint, out;
    bool average = false, merged = false;
    std::string format = "safetensors";
    std::string dtype = "fp32";
};

std::string choice(const Args& args, std::size_t at, const std::string& one, const std::string& other) {
    if (at + 1 < args.size() && (args[at + 1] == one || args[at + 1] == other)) return args[at + 1];
    throw InputError("export: " + args[at] + " wants " + one + " or " + other + ".");
}

ExportOptions parseExport(const Args& args) {
    ExportOptions parsed;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "--average")
            parsed.average = true;
        else if (args[i] == "--merged")
            parsed.merged = true;
        else if (args[i] == "--format")
            parsed.format = choice(args, i++, "safetensors", "diffusers");
        else if (args[i] == "--dtype")
            parsed.dtype = choice(args, i++, "fp32", "bf16");
        else if (args[i].starts_with("--"))
            throw InputError(
                "export: unknown option \"" + args[i] + "\".",
                "Give --average, --merged, --format safetensors|diffusers or --dtype fp32|bf16.");
        else
            names.push_back(args[i]);
    }
    if (names.size() != 2)
        throw InputError("export: expected a checkpoint folder and what to write.",
                         "For example: export RUN/checkpoints/step-000001000 model.safetensors");
    parsed.checkpoint = names[0];
    parsed.out = fs::absolute(names[1]).lexically_normal();
    if (parsed.format == "safetensors" && parsed.out.extension() != ".safetensors")
        throw InputError("export: found " + names[1] + ", expected a name that ends with .safetensors.",
                         "Or give --format diffusers, which writes a folder.");
    if (fs::exists(parsed.out))
        throw InputError("export: " + parsed.out.string() + " exists already.",
                         "Name another, or remove it.");
    return parsed;
}

ModelShape shapeOfCheckpoint(const Json& manifest) {
    const auto config = config::resolve(manifest.at("config"));
    const auto& saved = manifest.at("model");
    auto shape = ModelShape::of(config);
    shape.frames = saved.value("data_frames", shape.frames);
    shape.height = saved.value("data_height", shape.height);
    shape.width = saved.value("data_width", shape.width);
    shape.captionTokens = saved.value("caption_tokens", std::int64_t{0});
    shape.channels = saved.value("channels", std::int64_t{3});
    shape.textWidth = saved.value("text_width", std::int64_t{0});
    shape.imageWidth = saved.value("image_width", std::int64_t{0});
    return shape;
}

/// What a run needs to begin with these weights (`model.init`), and `inspect` to know them.
std::map<std::string, std::string> metadataOf(const Json& manifest) {
    auto trainedWith = manifest.at("data");
    std::map<std::string, std::string> metadata;
    if (manifest.at("model").is_object()) metadata[pretrained::kOwnModelKey] = manifest.at("model").dump();
    if (trainedWith.is_object()) {
        trainedWith.erase("position");  // where the run stood in its data
        metadata[pretrained::kTrainedWithKey] = trainedWith.dump();
    }
    return metadata;
}

Params savedWeights(const ExportOptions& args, const Json& manifest) {
    const auto group = args.average ? "average" : "weights";
    auto weights = readGroup(args.checkpoint, indexOf(manifest).group(group));
    if (weights.names().empty())
        throw InputError("export: the checkpoint has no averaged weights (its optimizer.ema_decay is 0).");
    return weights;
}

Params inType(const Params& weights, const std::string& dtype) {
    Params exported;
    for (const auto& name : weights.names())
        exported.add(name, dtype == "bf16" ? weights[name].to(at::kBFloat16) : weights[name]);
    return exported;
}

/// What is written: tensors by their names in the file, and what the file says about them.
struct Exported {
    Params tensors;
    std::map<std::string, std::string> metadata;
    std::string stem = "diffusion_pytorch_model";  ///< of the file in a folder for diffusers
    Json config = Json();                          ///< the config.json beside it; null: none
};

Exported modelOf(const ExportOptions& args, const Json& manifest, const Params& weights) {
    if (args.format != "diffusers") return {inType(weights, args.dtype), metadataOf(manifest)};
    const auto model = makeModel(shapeOfCheckpoint(manifest), at::kCPU);
    if (!model->addedParts().empty())
        throw InputError("export: diffusers has no model of family " + model->shape().model.family + ".",
                         "Leave --format out: the weights are then written with their own names.");
    return {toDiffusers(*model, inType(weights, args.dtype)), metadataOf(manifest), "diffusion_pytorch_model",
            model->diffusersConfig()};
}

/// The factors alone, as most programs load an adapter, or the base with them multiplied out.
Exported adapterOf(const ExportOptions& args, const Json& manifest, const config::TrainConfig& config,
                   const Params& factors) {
    auto model = makeModelWithTextEncoder(shapeOfCheckpoint(manifest), at::kCPU);
    const auto names =
        args.format == "diffusers" ? lora::AdapterNames::diffusers : lora::AdapterNames::original;
    // refused alike where the whole model is written
    const auto tensors = lora::adapterTensors(*model, config.lora, factors, names);
    if (!args.merged)
        return {inType(tensors, args.dtype),
                lora::adapterMetadata(config.lora, config.model.init, tensors, names),
                "pytorch_lora_weights"};
    auto base = lora::baseOfCheckpoint(args.checkpoint, manifest, *model, at::kCPU);
    const lora::LoraModel adapted(std::move(model), config.lora, std::move(base));
    auto whole = manifest;
    whole.at("model").erase("lora");
    return modelOf(args, whole, lora::merged(adapted, factors));
}

Exported exportedOf(const ExportOptions& args, const Json& manifest) {
    const auto weights = savedWeights(args, manifest);
    if (manifest.at("model").contains("lora"))
        return adapterOf(args, manifest, config::resolve(manifest.at("config")), weights);
    if (manifest.at("model").contains("frozen")) {
        const auto model = makeModelWithTextEncoder(shapeOfCheckpoint(manifest), at::kCPU);
        const auto base = lora::baseOfCheckpoint(args.checkpoint, manifest, *model, at::kCPU);
        auto whole = manifest;
        whole.at("model").erase("frozen");
        return modelOf(args, whole, lora::JoinedWeights(base.weights, weights).weights());
    }
    if (args.merged)
        throw InputError("export: the checkpoint holds a whole model, not an adapter.",
                         "Leave --merged out.");
    return modelOf(args, manifest, weights);
}

}  // namespace

int exportWeights(const Args& args) {
    const auto wanted = parseExport(args);
    const auto manifest = inspectCheckpoint(wanted.checkpoint);
    const auto exported = exportedOf(wanted, manifest);
    // complete or not there: everything is written beside the place where it shall stand, then moved
    fs::path partial = wanted.out;
    partial += ".partial";
    fs::remove_all(partial);
    fs::create_directories(partial);
    try {
        if (wanted.format == "diffusers") {
            exportTensors(partial, exported.stem, exported.tensors, kExportShardBytes, exported.metadata);
            if (!exported.config.is_null())
                writeFileAtomically(partial / "config.json", exported.config.dump(2) + "\n");
            fs::rename(partial, wanted.out);
        } else {
            exportTensors(partial, wanted.out.stem().string(), exported.tensors, kExportShardBytes,
                          exported.metadata);
            for (const auto& file : fs::directory_iterator(partial))
                fs::rename(file.path(), wanted.out.parent_path() / file.path().filename());
            fs::remove(partial);
        }
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(partial, ignored);
        throw;
    }
    std::cout << wanted.out.string() << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
