#include "core/base/error.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/cli/verbs.h"
#include "trainer/pretrained/inspection.h"
#include "trainer/pretrained/own_tensors.h"

#include <iostream>

namespace dailies::trainer {

namespace {

/// The tensors of a group of one of our checkpoints, which may lie in parts, one a rank.
pretrained::StoredWeights storedGroup(const std::filesystem::path& folder, const Json& manifest,
                                      const std::string& group) {
    pretrained::StoredWeights weights;
    weights.name = group;
    const std::map<std::string, std::string> metadata = {
        {pretrained::kOwnModelKey, manifest.at("model").dump()}};
    if (const auto lora = manifest.at("model").value("lora", Json()); lora.is_object()) {
        const auto rank = lora.value("rank", 0.0);
        // as peft writes it beside an adapter
        weights.adapterConfig = {{"r", rank}, {"lora_alpha", rank * lora.value("scale", 1.0)}};
    }
    std::map<std::string, std::size_t> files;
    const auto index = indexOf(manifest);
    for (const auto& [name, tensor] : index.group(group)) {
        pretrained::StoredTensor stored{name, tensor.type, tensor.shape};
        for (const auto& part : tensor.parts) {
            stored.end += part.end - part.begin;
            const auto [file, isNew] = files.emplace(part.file, weights.files.size());
            if (isNew) {
                const auto bytes = manifest.at("files").at(part.file).get<std::uint64_t>();
                weights.files.push_back({folder / part.file, bytes, metadata});
            }
            stored.file = file->second;
        }
        weights.tensors.push_back(std::move(stored));
    }
    return weights;
}

Json inspectOwn(const std::filesystem::path& folder) {
    const auto manifest = inspectCheckpoint(folder);
    std::vector<pretrained::StoredWeights> groups;
    for (const auto* group : {"weights", "average"})
        if (!indexOf(manifest).group(group).empty()) groups.push_back(storedGroup(folder, manifest, group));
    auto inspection = pretrained::inspectWeights(folder, groups, pretrained::ownTensors);
    inspection["checkpoint"] = manifest;
    return inspection;
}

}  // namespace

int inspect(const Args& args) {
    bool asJson = false;
    std::vector<std::string> paths;
    for (const auto& arg : args) {
        if (arg == "--json")
            asJson = true;
        else if (arg.starts_with("--"))
            throw InputError("inspect: unknown option \"" + arg + "\".", "Give --json.");
        else
            paths.push_back(arg);
    }
    if (paths.size() != 1)
        throw InputError("inspect: expected one file or folder of weights.",
                         "For example: inspect model.safetensors");
    const std::filesystem::path path = paths.front();
    const auto found = std::filesystem::exists(path / "manifest.json")
                           ? inspectOwn(path)
                           : pretrained::inspectWeights(path, pretrained::ownTensors);
    if (asJson)
        std::cout << found.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
    else
        std::cout << pretrained::inspectionText(found) << std::flush;
    return found.at("whole").get<bool>() ? kDone : kFailed;
}

}  // namespace dailies::trainer
