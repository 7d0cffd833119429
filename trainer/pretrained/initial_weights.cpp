#include "trainer/pretrained/initial_weights.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/data/value_scale.h"
#include "trainer/pretrained/adapter.h"
#include "trainer/pretrained/families/wan.h"
#include "trainer/pretrained/families/wan_vae.h"
#include "trainer/pretrained/fp8_scales.h"
#include "trainer/pretrained/own_tensors.h"
#include "trainer/pretrained/published_settings.h"
#include "trainer/pretrained/recognition.h"
#include "trainer/pretrained/stored_values.h"

#include <torch/types.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace dailies::trainer::pretrained {

InitialWeights::InitialWeights(const std::filesystem::path& path, std::string key)
    : m_path(path), m_key(std::move(key)), m_parts(path) {
    if (std::filesystem::exists(path / "manifest.json"))
        openCheckpoint();
    else
        openFiles();
}

void InitialWeights::refuse(const std::string& what, const std::string& remedy) const {
    throw InputError(m_key + ": " + m_path.string() + " " + what, remedy);
}

void InitialWeights::openCheckpoint() {
    const auto manifest = inspectCheckpoint(m_path);
    m_checkpoint = indexOf(manifest).group("weights");
    m_shape = manifest.at("model");
    if (m_shape.contains("frozen"))
        refuse("is a checkpoint of a part of a model.",
               "Name what dailies-train export makes of it, which holds the frozen weights, too.");
    if (m_shape.contains("lora"))
        refuse("is a checkpoint of an adapter (LoRA), not of a model.",
               "Name what dailies-train export --merged makes of it, its base with the adapter.");
    if (manifest.at("data").is_object()) m_trainedWith = manifest.at("data");
    m_names = "dailies";
    for (const auto& [name, tensor] : *m_checkpoint)
        m_weights.tensors.push_back({name, tensor.type, tensor.shape});
    for (const auto& tensor : m_weights.tensors) m_stored[tensor.name] = &tensor;
}

void InitialWeights::openFiles() {
    struct Candidate {
        StoredWeights* weights;
        std::string name;
        Recognition found;
    };
    auto all = findWeights(m_key, m_path);
    std::vector<Candidate> candidates;
    std::vector<std::string> others;
    for (auto& weights : all) {
        if (const auto adapter = adapterIn(weights)) {
            m_adapters.emplace_back(std::move(weights), *adapter);
            continue;
        }
        const auto scales = fp8ScalesOf(weights);
        for (const auto& [name, tensors] : modelsIn(weights)) {
            auto found = recognise(weights, tensors, scales.helpers, hintsOf(m_path, weights), ownTensors);
            const bool ours = found.checked && !weights.metadata(kOwnModelKey).empty();
            if (isPublishedBase(found.family.name) || found.names == "dailies" || ours)
                candidates.push_back({&weights, weights.name, std::move(found)});
            else if (isCharacterPart(found))
                m_parts.add({weights, std::move(found), scales});
            else
                others.push_back(found.family.name.empty() ? "weights of no family that is known here"
                                                           : found.family.name);
        }
        if (weights.tensors.empty())
            for (const auto& file : weights.files) others.push_back(file.problem);
    }
    if (candidates.empty() && !m_adapters.empty())
        refuse("holds an adapter (LoRA), not a model.",
               "Name the model that it was trained for: lora.rank trains another adapter on top of it.");
    if (candidates.empty() && !m_parts.empty()) return;
    if (candidates.empty())
        refuse("holds no model that a run can begin with: " + namesText(others) + ".",
               "Name an export of dailies-train, a transformer of Wan or LTX-Video or a U-Net; dailies-train "
               "inspect says what it is.");
    const auto nets = m_parts.netNames();
    if (candidates.size() + nets.size() > 1) {
        auto names = nets;
        for (const auto& candidate : candidates) names.push_back(candidate.name);
        refuse("holds several models: " + join(names, ", ") + ".", "Name the folder or file of one of them.");
    }
    auto& [weights, name, found] = candidates.front();
    m_weights = std::move(*weights);
    for (const auto& file : m_weights.files)
        if (!file.problem.empty()) refuse("cannot be used: " + file.problem);
    if (!m_weights.problems.empty()) refuse("cannot be used: " + m_weights.problems.front());
    m_family = found.family.name;
    m_model = found.family.model;
    m_names = found.names;
    m_familySizes = found.family.sizes;
    m_shape = Json::parse(m_weights.metadata(kOwnModelKey), nullptr, /*allow_exceptions=*/false);
    const auto trainedWith =
        Json::parse(m_weights.metadata(kTrainedWithKey), nullptr, /*allow_exceptions=*/false);
    if (trainedWith.is_object()) m_trainedWith = trainedWith;
    m_published = !m_shape.is_object() && m_names != "dailies";
    if (const auto scale = wanVaeLatentScale(m_familySizes.value("out_channels", std::int64_t{0}));
        m_published && m_family == "wan" && scale)
        m_trainedWith.update(
            {{"pixel_mean", toJson(scale->mean)}, {"pixel_deviation", toJson(scale->deviation)}});
    if (m_published && wanExpert(m_model)) m_trainedWith["expert"] = true;

    const auto scales = fp8ScalesOf(m_weights);
    if (!scales.without.empty())
        refuse("has " +
                   problemText("float8 weight without a scale", "float8 weights without scales",
                               scales.without) +
                   ": read as they are they may be hundreds of times too small or too large.",
               "Begin with the bf16 or fp16 file, or with a float8 file that has its scales.");
    std::map<std::string, const StoredTensor*> byName;
    for (const auto& tensor : m_weights.tensors) byName[tensor.name] = &tensor;
    for (const auto& [weight, scale] : scales.scaleOf) m_scales[weight] = byName.at(scale);
    for (const auto& [known, stored] : found.stored) m_stored[known] = byName.at(stored);
    if (!found.repeated.empty())
        refuse("says " + problemText("weight twice", "weights twice", found.repeated) + ".");
}

void InitialWeights::requireOwnShape(const Model& model) const {
    auto saved = m_shape, wanted = model.shape().toJson();
    // stage 2 of Animate Anyone adds motion modules to what stage 1 trained: they are drawn
    if (saved.value("motion", "") == "none") wanted["motion"] = "none";
    const auto differences = shapeDifferences(saved, wanted);
    if (!differences.empty())
        refuse("holds another model: " + join(differences, "; ") + ".",
               "Give the run the model of the file.");
}

void InitialWeights::requirePublished(const Model& model,
                                      const config::TrainConfig::Diffusion& diffusion) const {
    const auto& shape = model.shape();
    const auto called = m_model.empty() ? "a published " + m_family : m_model;
    if (m_names == "dailies")
        refuse("was exported by an earlier version, which did not write down the model's shape.",
               "Export its checkpoint again, or name the checkpoint itself.");
    const auto others = otherSettings(shape, diffusion, {m_family, m_model, m_familySizes});
    if (!others.empty())
        refuse("holds " + called + ", of which " + join(others, ", ") + ".", "Give the run these settings.");
}

void InitialWeights::requireTrainedWith(const Model& model) const {
    try {
        if (m_trainedWith.contains("vocabulary"))
            std::ignore = m_trainedWith.at("vocabulary").get<std::vector<std::string>>();
        for (const auto* key : {"pixel_mean", "pixel_deviation"}) {
            if (!m_trainedWith.contains("pixel_mean")) break;
            const auto channels = numbersFromJson(m_trainedWith.at(key)).size();
            if (channels != 1 && static_cast<std::int64_t>(channels) != model.shape().channels)
                throw InputError("");
        }
    } catch (const std::exception&) {
        refuse("says in its metadata what it was trained with, and that is damaged.", "Export it again.");
    }
}

void InitialWeights::fit(const Model& model, const config::TrainConfig::Diffusion& diffusion) {
    if (m_stored.empty()) return m_parts.fit(model, {});
    if (m_shape.is_object())
        requireOwnShape(model);
    else
        requirePublished(model, diffusion);
    requireTrainedWith(model);
    const auto shapes = model.weightsOnMeta();
    m_pieces.clear();
    for (const auto& name : shapes.names()) m_sizes[name] = shapes[name].sizes().vec();
    if (m_names == "dailies" || m_family == "mimic-motion") {  // whose own names ours are
        std::vector<DiffusersWeight> names;
        for (const auto& name : shapes.names()) names.push_back({name, name});
        match(neededOf(std::move(names), model), shapes);
    } else {
        match(neededOf(model.diffusersWeights(), model), toDiffusers(model, shapes));
    }
    takeAdapter(model);
    if (m_parts.empty()) return;
    std::set<std::string> given;
    for (const auto& [name, pieces] : m_pieces) given.insert(name);
    m_parts.fit(model, given);
}

std::vector<DiffusersWeight> InitialWeights::neededOf(std::vector<DiffusersWeight> names,
                                                      const Model& model) const {
    const bool hasAdded =
        std::ranges::any_of(m_stored, [&](const auto& each) { return model.isAdded(each.first); });
    if (m_published && !hasAdded)
        std::erase_if(names, [&](const auto& name) { return model.isAdded(name.ours); });
    return names;
}

void InitialWeights::takeAdapter(const Model& model) {
    m_adapter = nullptr;
    for (auto& adapter : m_adapters) {
        if (!adapter.hasPartsOf(model)) continue;
        if (m_adapter) refuse("holds several adapters for the model.", "Leave one of them there.");
        if (const auto problems = adapter.fit(model); !problems.empty())
            refuse("holds an adapter that does not fit the run's model: " + join(problems, "; ") + ".",
                   "dailies-train inspect says what it holds.");
        m_adapter = &adapter;
    }
}

bool InitialWeights::isDrawn(const std::string& name) const {
    return name.find(".motion_modules.") != std::string::npos && m_shape.is_object() &&
           m_shape.value("motion", "") == "none";
}

void InitialWeights::match(const std::vector<DiffusersWeight>& names, const Params& shapes) {
    std::vector<std::string> missing, misshapen, unreadable, leftOver;
    std::set<std::string> used;
    for (const auto& place : names) {
        const auto found = m_stored.find(place.theirs);
        if (found == m_stored.end()) {
            if (isDrawn(place.theirs)) continue;
            missing.push_back(place.theirs);
            continue;
        }
        used.insert(place.theirs);
        const auto& tensor = *found->second;
        const auto scale = m_scales.find(tensor.name);
        const Piece piece{place, &tensor, scale == m_scales.end() ? nullptr : scale->second};
        if (tensor.shape != shapes[place.theirs].sizes().vec())
            misshapen.push_back(tensor.name);
        else if (piece.scale && numbersPerScale(piece.scale->shape, tensor.shape) == 0)
            misshapen.push_back(piece.scale->name);
        try {
            floatTypeOf(tensor.type);
            if (piece.scale) floatTypeOf(piece.scale->type);
        } catch (const InputError& error) {
            unreadable.push_back(tensor.name + " of " + error.what());
        }
        m_pieces[place.ours].push_back(piece);
    }
    for (const auto& [name, tensor] : m_stored)
        if (!used.contains(name)) leftOver.push_back(tensor->name);
    auto problems = mismatchTexts(missing, misshapen, leftOver);
    if (!unreadable.empty()) problems.push_back(problemText("cannot be read", "cannot be read", unreadable));
    if (!problems.empty())
        refuse("does not have the weights of the run's model: " + join(problems, "; ") + ".",
               "dailies-train inspect says what it holds.");
}

at::Tensor InitialWeights::readScaled(const Piece& piece) const {
    const auto& tensor = *piece.tensor;
    at::Tensor values;
    if (m_checkpoint) {
        const auto& saved = m_checkpoint->at(tensor.name);
        values = readBox(m_path, saved, Box::whole(saved.shape)).to(at::kFloat);
    } else {
        values = readStored(m_weights, tensor, piece.scale);
    }
    if (const auto problem = notFiniteText(values); !problem.empty())
        refuse("is damaged: " + tensor.name +
                   (m_checkpoint ? "" : " in " + m_weights.files[tensor.file].path.filename().string()) +
                   " " + problem + ".",
               "Fetch the file again; if it is so at its source, its training diverged.");
    return values;
}

at::Tensor InitialWeights::read(const std::string& name) const {
    const auto known = m_pieces.find(name);
    if (known == m_pieces.end()) return m_adapter ? m_adapter->read(name) : m_parts.read(name);
    const auto& pieces = known->second;
    const auto& first = pieces.front().place;
    at::Tensor whole;
    if (pieces.size() == 1 && first.rows == 0 && first.order.empty()) {
        whole = readScaled(pieces.front()).reshape(m_sizes.at(name));
    } else {
        whole = at::empty(m_sizes.at(name), at::kFloat);
        for (const auto& piece : pieces) placeDiffusers(piece.place, readScaled(piece), whole);
    }
    if (m_adapter) m_adapter->addTo(name, whole);
    return whole;
}

std::string InitialWeights::text() const {
    if (m_stored.empty()) return m_parts.text();
    std::set<std::string> types;
    for (const auto& [name, tensor] : m_stored) types.insert(tensor->type);
    return "The weights begin as those of " + m_path.string() + ": " +
           pluralize(static_cast<long long>(m_stored.size()), "tensor", "tensors") + " (" +
           join({types.begin(), types.end()}, ", ") + ")." +
           (m_published && m_trainedWith.contains("pixel_mean")
                ? " Latents are scaled by Wan's published means and deviations, unless data.latent_scale "
                  "names others."
                : "") +
           (m_parts.empty() ? "" : " " + m_parts.text()) + (m_adapter ? " " + m_adapter->text() : "");
}

}  // namespace dailies::trainer::pretrained
