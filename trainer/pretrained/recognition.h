#pragma once

#include "trainer/pretrained/families/family.h"
#include "trainer/pretrained/weights_on_disk.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// What a group of tensors is.
struct Recognition {
    Family family;
    /// Whose names the tensors have: "diffusers", "transformers", "original", "ldm", "animatediff",
    /// "dailies"; "" unknown.
    std::string names;
    std::string prefix;  ///< that stands before all of them, as in ComfyUI's files: "model.diffusion_model."
    bool checked = false;                       ///< whether missing and unknown names could be told
    std::map<std::string, std::string> stored;  ///< the family's name of each tensor → its name in the file
    std::vector<std::string> repeated;          ///< in the file, of which another stands for the same
    std::vector<std::string> missing;           ///< by the family's names
    std::vector<std::string> unknown;           ///< as in the file
    std::vector<std::string> misshapen;         ///< "name [1, 2], expected [2, 2]"
};

/// Whether a model of characters can begin with it: see CharacterParts.
bool isCharacterPart(const Recognition& found);

/// Names and shapes that a model of our own has.
struct OwnModel {
    NamedShapes tensors;
    NamedShapes asDiffusers;  ///< as `export --format diffusers` writes it; empty where diffusers has none
};

/// By the JSON that its export carries (`kOwnModelKey`); empty lists where that is no model of ours.
using OwnTensors = std::function<OwnModel(const Json& modelShape)>;

/// In the metadata of what `dailies-train export` writes: the ModelShape as JSON.
constexpr const char* kOwnModelKey = "dailies_model";

/// And what it was trained with: its vocabulary, the scale of its pixels or latents, its tokenizer.
constexpr const char* kTrainedWithKey = "dailies_trained_with";

/// What is known beside these weights, which were found at the path. Of the path itself the last two names
/// tell: the two models of one Wan 2.2 lie in folders such as high_noise_model.
Hints hintsOf(const std::filesystem::path& path, const StoredWeights& weights);

/// Recognises the tensors named, all of one model. `ignored`: names that are no weights.
Recognition recognise(const StoredWeights& weights, const std::vector<const StoredTensor*>& tensors,
                      const std::set<std::string>& ignored, const Hints& hints, const OwnTensors& own);

/// Splits a file that holds several models by what stands before their names: ComfyUI's and LTX's single
/// files have transformer, VAE and text encoder in one. Part name ("" for the only one) → its tensors.
std::map<std::string, std::vector<const StoredTensor*>> modelsIn(const StoredWeights& weights);

}  // namespace dailies::trainer::pretrained
