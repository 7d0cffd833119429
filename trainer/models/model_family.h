#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/models/diffusers_names.h"
#include "trainer/models/flops.h"
#include "trainer/models/layers/sequence_parallel.h"
#include "trainer/models/model_pass.h"
#include "trainer/models/tp_plan.h"
#include "trainer/models/weight_initializer.h"
#include "trainer/tensors/params.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Everything that fixes names and shapes of a model's weights. A checkpoint keeps it and fits only a model
/// of the same.
struct ModelShape {
    config::TrainConfig::Model model;
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t captionTokens = 0;       ///< size of the vocabulary, with the empty caption's token
    std::int64_t channels = 3;            ///< of pixels or latents
    std::int64_t textWidth = 0;           ///< of the text encoder's embeddings; 0: captions come as words
    config::TrainConfig::Text text = {};  ///< the text encoder, where it is trained along
    std::int64_t latentPixels = 1;        ///< pixels of a latent's side; 1 where the model learns pixels
    std::int64_t framesPerLatent = 1;     ///< frames that a frame of latents stands for, but the first
    /// Of what an encoder of pictures sees in reference pictures, or in images that clips begin with; 0: the
    /// model reads none.
    std::int64_t imageWidth = 0;

    /// Whether the captions come as bytes, to an encoder that is trained along.
    bool readsBytes() const { return textWidth > 0 && text.encoder == "bytes"; }
    /// What a configuration alone tells: model, size of clips as it sees them, text encoder and how much of a
    /// clip its tokenizer folds. What the data have is another's to set.
    static ModelShape of(const config::TrainConfig& config);

    Json toJson() const;
    /// Of what `toJson` gave. Throws `InputError` for what no model of this trainer has.
    static ModelShape fromJson(const Json& json);
};

/// What differs between the shape of a saved model and that of a config, key by key, as `ModelShape::toJson`
/// gave them.
std::vector<std::string> shapeDifferences(Json saved, Json wanted);

/// The size of a clip as the model sees it: in pixels or latents.
struct ClipSize {
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

/// What the clips of a group show and how it moves, where the model animates a character.
struct Character {
    /// [n, height, width, 1 + channels]: 1 and the values of the reference picture, on the model's scale; all
    /// 0 for clips without one. Undefined where it is `ClipGroup::given`.
    at::Tensor reference = {};
    /// [n, frames, pixels high, pixels wide, 3 · kinds], 0 … 1: drawn, as config::drawingsOf orders them
    at::Tensor poses = {};
    /// [n, 1, width]: what an encoder of pictures sees in the reference picture, 0 for clips without one;
    /// undefined where the model does not read it.
    at::Tensor embedding = {};
    /// What the model makes of the references once and for all levels of noise (`Model::prepared`).
    std::map<std::string, at::Tensor> tokens = {};
    at::Tensor guided = {};  ///< and of the poses: [n, frames, channels, rows, columns]
    /// [n, frames, pixels high, pixels wide, 1], 0 … 1: where errors count more; undefined: nowhere. Models
    /// do not read it.
    at::Tensor lossMask = {};
    /// [n, pixels high, pixels wide, 1 + 3]: 1 and the drawn pose of the reference picture, 0 … 1; all 0 for
    /// clips without poses. Undefined where the model does not read it.
    at::Tensor referencePose = {};

    bool defined() const { return poses.defined(); }
};

/// Clips of one size in a batch.
struct ClipGroup {
    at::Tensor clips;  ///< [n, frames, height, width, channels], pixels or latents
    /// [n, frames, height, width, config::conditioningChannels]: what is given of the clip, behind its mask.
    /// With conditioning frames 1 and the clean values where a frame is given, elsewhere 0; with image four
    /// times 1 in the first frame, elsewhere 0, and the latents of the image that grey frames follow; with
    /// first_last 1 in the last channel of the last frame's mask, too, and the latents end with that image;
    /// for svd [n, 1, …, channels]: of the image alone, 0 for clips without it. In place:
    /// [..., 1 + channels] as with frames, which then stand in the clip. Undefined where nothing is given.
    at::Tensor given = {};
    double fps = 24;
    Character character = {};
    /// [n, tokens, imageWidth]: what an encoder of pictures sees in the image that the clip begins with, and
    /// behind it in the one that it ends with; undefined where the model does not read it.
    at::Tensor imageTokens = {};
};

/// The captions of a batch, as the run's text encoder leaves them: `words`, or `embeddings` or `bytes` with
/// `mask`.
struct TextInput {
    at::Tensor words = {};       ///< [clips, vocabulary]: how often each word stands in the caption
    at::Tensor embeddings = {};  ///< [clips, tokens, width]
    at::Tensor mask = {};        ///< [clips, tokens], bool: true where the caption has a token
    at::Tensor bytes = {};       ///< [clips, tokens], int64: what an encoder that is trained along reads
};

/// What a model sees of a batch: one group of clips, or several that are packed into one sequence, in which
/// each clip attends to itself only. Clips are counted through the groups, in order.
struct ModelInput {
    std::vector<ClipGroup> groups;  ///< clips mixed with noise, scaled as the objective's network input
    at::Tensor times;  ///< [clips]: the noise level as the objective tells it; times model.time_scale inside
    TextInput text;
    const layers::SequenceParallel* share = nullptr;  ///< ranks that compute this batch together; null: alone
    /// Of each clip: the key of what adapters drop of it (`lora.dropout`); empty: nothing.
    std::vector<std::uint64_t> dropoutKeys = {};
};

/// A denoiser of video clips: the interface that model families implement. It owns no weights.
class Model {
public:
    explicit Model(const ModelShape& shape) : m_shape(shape) {}
    virtual ~Model() = default;

    const ModelShape& shape() const { return m_shape; }

    /// Fresh weights on the CPU, or what `keep` keeps of each. Each weight is a function of (seed, its name),
    /// whatever else the model has.
    Params initialWeights(std::int64_t seed, const WeightInitializer::Keep& keep = {}) const;
    /// Weights that `read` gives one by one instead, or what `keep` keeps of each. What it leaves undefined
    /// is drawn.
    Params weightsFrom(const WeightInitializer::Read& read, const WeightInitializer::Keep& keep = {},
                       std::int64_t seed = 0) const;
    /// Their names and sizes only, on the meta device: for models larger than this machine.
    Params weightsOnMeta(const WeightInitializer::Keep& keep = {}) const;

    /// What the network puts out for each clip, as the objective reads it: one tensor a group, sized like its
    /// clips; on every rank that shares the input. With `model.recompute` the weights must live until the
    /// backward pass has ended.
    std::vector<at::Tensor> forward(const Params& weights, const ModelInput& input) const;

    /// The same block by block, for those that compute some of the blocks.
    virtual std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const = 0;

    /// How many blocks its passes have, from `embedded` to `output`.
    virtual std::int64_t blocks() const { return m_shape.model.depth; }

    /// The characters with what these weights make of their reference pictures and poses, for those who make
    /// several passes with them.
    virtual Character prepared(const Params&, const Character& character) const { return character; }

    virtual std::int64_t tokensPerClip(const ClipSize& size) const = 0;
    /// Of a clip of the shape's own size.
    std::int64_t tokensPerClip() const {
        return tokensPerClip({m_shape.frames, m_shape.height, m_shape.width});
    }

    /// The work of one forward pass of one clip, captions of `textTokens` tokens.
    virtual Flops flops(const ClipSize& size, std::int64_t textTokens) const = 0;

    /// How diffusers names and lays out these weights; empty where it has no model of this shape.
    virtual std::vector<DiffusersWeight> diffusersWeights() const { return {}; }
    /// The config.json from which diffusers builds its model for them.
    virtual Json diffusersConfig() const { return Json::object(); }

    /// How ranks divide its weights where they do (`layout.tp`); empty: they cannot.
    virtual std::vector<TpRule> tpPlan() const { return {}; }

    virtual void declareWeights(WeightInitializer& make) const = 0;

    /// What names of weights begin with that the published base does not have. A run that begins with the
    /// base draws them, and one that trains an adapter trains them whole beside it.
    virtual std::vector<std::string> addedParts() const { return {}; }
    bool isAdded(const std::string& weight) const;

private:
    ModelShape m_shape;
};

/// The model of `shape.model.family`, computing on `device`. Throws `InputError` for a family that this
/// trainer lacks.
std::unique_ptr<Model> makeModel(const ModelShape& shape, at::Device device);

/// The families that say how ranks divide their weights.
std::vector<std::string> familiesWithTensorParallel();

}  // namespace dailies::trainer
