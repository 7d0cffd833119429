#pragma once

#include "trainer/checkpoint/tensor_index.h"
#include "trainer/models/model_family.h"
#include "trainer/pretrained/character_parts.h"
#include "trainer/pretrained/published_adapter.h"
#include "trainer/pretrained/weights_on_disk.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// The weights that a run begins with (`model.init`) instead of drawing them: what `dailies-train export`
/// wrote, or a checkpoint of ours. Tensors are read one at a time and turned into float32, so that a model
/// never stands whole in memory. Names of diffusers, of original checkpoints and with ComfyUI's prefix are
/// understood, and float8 with its scales. Published models of Wan and LTX-Video are taken by a run with
/// their settings (`otherSettings`). A model of characters begins with the published parts of one
/// (`CharacterParts`), and its stage 2 with stage 1 as ours and motion modules beside it; UniAnimate-DiT also
/// with Wan and its published adapter beside it.
class InitialWeights {
public:
    /// Reads headers only. Throws `InputError` where there is no whole model. `key`: of the configuration,
    /// which errors begin with.
    explicit InitialWeights(const std::filesystem::path& path, std::string key = "model.init");
    InitialWeights(const InitialWeights&) = delete;
    InitialWeights& operator=(const InitialWeights&) = delete;

    /// What the weights were trained with, as a checkpoint has it: vocabulary, scale of pixels or latents,
    /// the tokenizer's identity, whether they are one of a pair of models ("expert"). An empty object where
    /// the files do not tell.
    const Json& trainedWith() const { return m_trainedWith; }

    /// Throws `InputError` with names unless each weight of the model is there, in its shape and in a type
    /// that can be read, and nothing is left over; of a published model also unless the run is trained for
    /// what that was.
    void fit(const Model& model, const config::TrainConfig::Diffusion& diffusion);

    /// A weight of the model that was fitted: whole, float32, on the CPU; undefined where the model has it
    /// and the file does not: motion modules of a stage 1. Throws `InputError` with its name and file where
    /// it is not finite.
    at::Tensor read(const std::string& name) const;

    std::string text() const;  ///< in one sentence, for the run's log

private:
    /// Where a weight, or some rows of it, lies.
    struct Piece {
        DiffusersWeight place;
        const StoredTensor* tensor = nullptr;
        const StoredTensor* scale = nullptr;  ///< of a float8 weight
    };

    void openCheckpoint();
    void openFiles();
    void requireOwnShape(const Model& model) const;
    void takeAdapter(const Model& model);
    /// Of the model's weights those that must be stored: a published base lacks what the model adds.
    std::vector<DiffusersWeight> neededOf(std::vector<DiffusersWeight> names, const Model& model) const;
    void requireTrainedWith(const Model& model) const;
    void requirePublished(const Model& model, const config::TrainConfig::Diffusion& diffusion) const;
    void match(const std::vector<DiffusersWeight>& names, const Params& shapes);
    /// Whether it is of a part that what is stored lacks as a whole, and which a run draws.
    bool isDrawn(const std::string& name) const;
    at::Tensor readScaled(const Piece& piece) const;
    [[noreturn]] void refuse(const std::string& what, const std::string& remedy = {}) const;

    std::filesystem::path m_path;
    std::string m_key;
    StoredWeights m_weights;
    std::optional<TensorIndex::Group> m_checkpoint;  ///< the tensors of a checkpoint of ours
    Json m_shape, m_familySizes, m_trainedWith = Json::object();
    std::string m_family, m_model, m_names;
    bool m_published = false;
    std::map<std::string, const StoredTensor*> m_stored;  ///< by the family's names
    std::map<std::string, const StoredTensor*> m_scales;  ///< by the weight's name in the file
    std::map<std::string, std::vector<Piece>> m_pieces;   ///< of each weight of the model
    std::map<std::string, std::vector<std::int64_t>> m_sizes;
    CharacterParts m_parts;                       ///< beside the weights, or without any
    std::vector<PublishedAdapter> m_adapters;     ///< beside them
    const PublishedAdapter* m_adapter = nullptr;  ///< the one with parts that the fitted model adds
};

}  // namespace dailies::trainer::pretrained
