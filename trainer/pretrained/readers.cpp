#include "trainer/pretrained/readers.h"

#include "trainer/pretrained/families/family.h"

// What is claimed here was read in the programs' code or tried: diffusers 0.42 (loaders/single_file_model.py,
// lora_conversion_utils.py), kohya-ss/musubi-tuner @30c658c, tdrussell/diffusion-pipe @8f83dbf, and of
// ComfyUI the repackaged files that it publishes and the threads named. Where nothing is known, nothing is
// said.

namespace dailies::trainer::pretrained {

namespace {

const Reader kPublishedReader = {"Dailies", "model.init, in a run of its settings"};
const Reader kTextReader = {"Dailies", "text.weights, with text.encoder t5"};

std::vector<Reader> ofScaledFp8(const std::string& kind) {
    if (kind == "comfyui") return {{"ComfyUI"}};
    if (kind == "musubi") return {{"musubi-tuner", "scales by row or block: ComfyUI does not read them"}};
    return {{"diffusers", "as torchao weights"}};
}

std::vector<Reader> ofTransformer(const Recognition& model, bool oneFile, bool hasFp8) {
    std::vector<Reader> readers;
    if (model.names == "diffusers") {
        readers.push_back({"diffusers"});
    } else {
        if (oneFile) readers.push_back({"ComfyUI"});
        if (oneFile && !hasFp8) readers.push_back({"diffusers", "by from_single_file"});
        readers.push_back({"diffusion-pipe"});
        if (oneFile || model.prefix.empty()) readers.push_back({"musubi-tuner"});
    }
    return readers;
}

}  // namespace

std::vector<Reader> readersOf(const Recognition& model, const Fp8Scales& scales,
                              const StoredWeights& weights) {
    const auto& family = model.family.name;
    const bool oneFile = weights.files.size() == 1;
    const bool ours = !weights.metadata(kOwnModelKey).empty();
    std::vector<Reader> readers;
    if (model.names == "dailies") return {{"Dailies", "model.init"}};
    const bool published = isPublishedBase(family);
    if (!scales.kind.empty() && scales.kind != "none") {
        readers = ofScaledFp8(scales.kind);
        if (published) readers.push_back(kPublishedReader);
        if (family == "umt5" || family == "t5") readers.push_back(kTextReader);
        return readers;
    }
    const bool hasFp8 = scales.kind == "none";
    if (family == "mimic-motion") {
        if (model.names == "diffusers") readers = {{"diffusers"}};
    } else if (isPublishedBase(family)) {
        readers = ofTransformer(model, oneFile, hasFp8);
        if (family == "ltx")
            std::erase_if(readers, [](const Reader& each) { return each.program == "musubi-tuner"; });
    } else if (family == "wan_vae") {
        if (model.names == "diffusers")
            readers = {{"diffusers"}};
        else
            readers = {{"diffusion-pipe"}, {"musubi-tuner"}};
        // the pickles of the original folder have safetensors twins for ComfyUI
        const bool pickle = oneFile && weights.files.front().path.extension() != ".safetensors";
        if (model.names != "diffusers" && !pickle) readers.insert(readers.begin(), {"ComfyUI"});
        if (!hasFp8) readers.push_back({"Dailies", "tokenizer.weights, with tokenizer.kind wan_vae"});
    } else if (family == "ltx_vae") {
        if (model.names == "diffusers")
            readers = {{"diffusers"}};
        else
            readers = {{"ComfyUI"}, {"diffusers", "by from_single_file"}};
        if (!hasFp8) readers.push_back({"Dailies", "tokenizer.weights, with tokenizer.kind ltx_vae"});
    } else if (family == "autoencoder_kl") {
        if (model.names == "diffusers")
            readers = {{"diffusers"}};
        else
            readers = {{"ComfyUI"}, {"diffusers", "by from_single_file"}};
        if (!hasFp8) readers.push_back({"Dailies", "tokenizer.weights, with tokenizer.kind sd_vae"});
    } else if (family == "motion_modules" && model.names == "animatediff") {
        readers = {{"diffusers", "by from_single_file"}};
    } else if (family == "pose_guider" || family == "guidance_encoder") {
        readers = {};
    } else if (family == "umt5" || family == "t5") {
        if (model.names == "original")
            readers = {{"diffusion-pipe"}, {"musubi-tuner"}};
        else if (oneFile)
            readers = {{"ComfyUI"}, {"transformers"}};
        else
            readers = {{"transformers"}};
        if (!hasFp8) readers.push_back(kTextReader);
    } else if (model.names == "diffusers") {
        readers = {{"diffusers"}};
    } else if (model.names == "transformers") {
        readers = {{"transformers"}};
    } else if (model.names == "ldm") {
        readers = {{"ComfyUI"}, {"diffusers", "by from_single_file"}};
    }
    if (isCharacterPart(model) && !hasFp8)
        readers.push_back({"Dailies", "model.init, with model.family animate"});
    if (ours)
        readers.push_back({"Dailies", "model.init"});
    else if (published && !hasFp8)
        readers.push_back(kPublishedReader);
    return readers;
}

std::vector<Reader> readersOf(const Adapter& adapter) {
    const bool wan = adapter.base == "wan";
    if (!adapter.beside.empty())
        return {{"UniAnimate-DiT"},
                {"Dailies", "model.init, in a folder with its base, of model.family unianimate"}};
    if (adapter.format == "peft") return {{"peft"}};
    if (adapter.format == "diffusers") return {{"diffusers"}};
    if (adapter.format == "comfyui")
        return {
            {"ComfyUI"}, {"diffusers"}, {"diffusion-pipe"}, {"musubi-tuner", "after its convert_lora.py"}};
    if (adapter.format == "kohya") {
        std::vector<Reader> readers = {{"ComfyUI"}, {"musubi-tuner"}};
        if (!wan || adapter.everyModule) readers.push_back({"diffusers"});
        return readers;
    }
    if (adapter.format == "bare")
        return {{"DiffSynth-Studio", "ComfyUI reads it once .default is dropped and diffusion_model. added"}};
    return {};
}

}  // namespace dailies::trainer::pretrained
