#include "trainer/models/model_with_text_encoder.h"

#include "core/base/error.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/mlp.h"
#include "trainer/models/layers/norms.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kByteTokens = 257;  // 0 is padding and the empty caption
constexpr std::int64_t kMlpRatio = 4;

/// Pre-norm transformer over a caption's bytes, with learned positions; every byte sees all of the caption.
///
/// It learns at the model's rate, which may be far above what suits a small transformer: queries and keys are
/// normalised as the model's own are, and matrices are kept with deviation 1 and divided by the root of their
/// inputs where they are used (equalized learning rate, Karras et al. 2018), so that one step changes them by
/// no larger share than it does the bytes' embeddings.
class ByteReader {
public:
    explicit ByteReader(const config::TrainConfig::Text& config)
        : m_config(config), m_mlp{config.width, kMlpRatio * config.width, "gelu-tanh", true} {}

    void declare(WeightInitializer& make) const {
        make.normal("text.bytes", {kByteTokens, m_config.width}, 1);
        // as strong as the bytes: the r of red must not look like that of right
        make.normal("text.positions", {m_config.tokens, m_config.width}, 1);
        for (std::int64_t i = 0; i < m_config.depth; ++i) {
            const auto name = block(i);
            make.ones(name + ".norm1.weight", {m_config.width});
            for (const auto* norm : {".query_norm.weight", ".key_norm.weight"})
                make.ones(name + norm, {m_config.width / m_config.heads});
            make.ones(name + ".norm2.weight", {m_config.width});
            for (const auto& [matrix, outputs, inputs] : matrices(name)) {
                make.normal(matrix + ".weight", {outputs, inputs}, 1);
                make.zeros(matrix + ".bias", {outputs});
            }
        }
        make.ones("text.norm.weight", {m_config.width});
    }

    /// [captions, tokens] bytes and their mask → [captions, tokens, width], zero where there is no byte.
    at::Tensor operator()(const Params& all, const at::Tensor& bytes, const at::Tensor& mask) const {
        const auto weights = used(all);
        const auto tokens = bytes.size(1);
        auto x = at::embedding(weights["text.bytes"], bytes) + weights["text.positions"].slice(0, 0, tokens);
        const auto seen = mask.view({mask.size(0), 1, 1, tokens});
        for (std::int64_t i = 0; i < m_config.depth; ++i) {
            const auto name = block(i);
            x = x + attention(weights, name, layers::rmsNorm(x, weights[name + ".norm1.weight"]), seen);
            x = x + m_mlp(weights, name, layers::rmsNorm(x, weights[name + ".norm2.weight"]));
        }
        return layers::rmsNorm(x, weights["text.norm.weight"]) * mask.unsqueeze(-1);
    }

    Flops flops(std::int64_t tokens) const {
        const auto width = m_config.width;
        Flops flops;
        flops.text = m_config.depth *
                     (2 * tokens * 4 * width * width + m_mlp.flops(tokens) + 4 * tokens * tokens * width);
        return flops;
    }

private:
    struct Matrix {
        std::string name;
        std::int64_t outputs = 0, inputs = 0;
    };

    static std::string block(std::int64_t i) { return "text.block." + std::to_string(i); }

    std::vector<Matrix> matrices(const std::string& block) const {
        const auto width = m_config.width, hidden = m_mlp.hidden;
        return {{block + ".qkv", 3 * width, width},
                {block + ".attention_out", width, width},
                {block + ".mlp_in", hidden, width},
                {block + ".mlp_out", width, hidden}};
    }

    /// Its weights, the matrices as they are multiplied with.
    Params used(const Params& all) const {
        Params own;
        for (const auto& name : all.names()) {
            if (!name.starts_with("text.")) continue;
            const auto& weight = all[name];
            const bool isMatrix = name.starts_with("text.block.") && weight.dim() == 2;
            own.add(name, isMatrix ? weight / std::sqrt(static_cast<double>(weight.size(1))) : weight);
        }
        return own;
    }

    at::Tensor attention(const Params& weights, const std::string& name, const at::Tensor& x,
                         const at::Tensor& seen) const {
        const auto heads = layers::linear(weights, name + ".qkv", x)
                               .unflatten(-1, {3, m_config.heads, -1})
                               .permute({2, 0, 3, 1, 4});
        const auto query = layers::rmsNorm(heads[0], weights[name + ".query_norm.weight"]),
                   key = layers::rmsNorm(heads[1], weights[name + ".key_norm.weight"]);
        const auto mixed = at::scaled_dot_product_attention(query.to(heads[2].scalar_type()),
                                                            key.to(heads[2].scalar_type()), heads[2], seen);
        return layers::linear(weights, name + ".attention_out", mixed.transpose(1, 2).flatten(2));
    }

    config::TrainConfig::Text m_config;
    layers::Mlp m_mlp;
};

/// A model of embeddings that gets bytes and embeds them first.
class ModelWithTextEncoder : public Model {
public:
    ModelWithTextEncoder(const ModelShape& shape, std::unique_ptr<Model> model)
        : Model(shape), m_model(std::move(model)), m_reader(shape.text) {}

    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override {
        if (!input.text.bytes.defined())
            throw Error("The model reads the bytes of captions, and the batch has none.");
        auto read = input;
        read.text.embeddings = m_reader(weights, input.text.bytes, input.text.mask);
        return m_model->begin(weights, read);
    }
    std::int64_t tokensPerClip(const ClipSize& size) const override { return m_model->tokensPerClip(size); }
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override {
        auto flops = m_model->flops(size, textTokens);
        flops.text += m_reader.flops(textTokens).text;
        return flops;
    }
    std::vector<TpRule> tpPlan() const override { return m_model->tpPlan(); }
    std::vector<DiffusersWeight> diffusersWeights() const override { return m_model->diffusersWeights(); }
    Json diffusersConfig() const override { return m_model->diffusersConfig(); }
    std::vector<std::string> addedParts() const override { return m_model->addedParts(); }
    Character prepared(const Params& weights, const Character& character) const override {
        return m_model->prepared(weights, character);
    }

    void declareWeights(WeightInitializer& make) const override {
        m_model->declareWeights(make);
        m_reader.declare(make);
    }

private:
    std::unique_ptr<Model> m_model;
    ByteReader m_reader;
};

}  // namespace

std::unique_ptr<Model> makeModelWithTextEncoder(const ModelShape& shape, at::Device device) {
    auto model = makeModel(shape, device);
    if (!shape.readsBytes()) return model;
    return std::make_unique<ModelWithTextEncoder>(shape, std::move(model));
}

}  // namespace dailies::trainer
