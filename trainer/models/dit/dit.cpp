#include "trainer/models/dit/dit.h"

#include "trainer/random.h"
#include "trainer/random_tensor.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kColours = 3;
constexpr double kNormEpsilon = 1e-6;

at::Tensor layerNorm(const at::Tensor& x) {
    return at::layer_norm(x, {x.size(-1)}, {}, {}, kNormEpsilon);
}

/// Sinusoids of the place of each token on every axis, [tokens, width]: where learned positions start from.
at::Tensor sinusoidalPositions(std::int64_t frames, std::int64_t rows, std::int64_t columns,
                               std::int64_t width) {
    const auto frequencies =
        at::pow(10000.0, at::arange(width / 6, at::kFloat) * (-6.0 / static_cast<double>(width)));
    const auto token = at::arange(frames * rows * columns);
    std::vector<at::Tensor> parts;
    for (const auto& place :
         {token.floor_divide(rows * columns), token.floor_divide(columns) % rows, token % columns}) {
        const auto angles = at::outer(place.to(at::kFloat), frequencies);
        parts.push_back(at::sin(angles));
        parts.push_back(at::cos(angles));
    }
    parts.push_back(at::zeros({token.size(0), width - 6 * (width / 6)}));
    return at::cat(parts, -1);
}

at::Tensor modulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    return at::addcmul(shift, layerNorm(x), scale + 1);
}

}  // namespace

Dit::Dit(const ModelShape& shape, at::Device device)
    : m_shape(shape),
      m_gridFrames(shape.frames / shape.model.patch_frames),
      m_gridRows(shape.height / shape.model.patch_size),
      m_gridColumns(shape.width / shape.model.patch_size),
      m_patchChannels(shape.model.patch_frames * shape.model.patch_size * shape.model.patch_size * kColours),
      m_rope(m_gridFrames, m_gridRows, m_gridColumns, shape.model.width / shape.model.heads, device) {
    const auto half = shape.model.width / 2;
    m_timeFrequencies =
        at::exp(at::arange(half, at::kFloat) * (-std::log(10000.0) / static_cast<double>(half))).to(device);
}

Params Dit::initialWeights(std::int64_t seed) const {
    Params weights;
    const auto normal = [&](const std::string& name, at::IntArrayRef sizes, double deviation) {
        weights.add(name, normalTensor(randomKey(seed, Stream::weights, hashText(name)), sizes) * deviation);
    };
    const auto matrix = [&](const std::string& name, std::int64_t outputs, std::int64_t inputs) {
        normal(name, {outputs, inputs}, 1 / std::sqrt(static_cast<double>(inputs)));
    };
    const auto zeros = [&](const std::string& name, at::IntArrayRef sizes) {
        weights.add(name, at::zeros(sizes));
    };

    const auto width = m_shape.model.width, hidden = width * m_shape.model.mlp_ratio;
    const auto headWidth = width / m_shape.model.heads;
    matrix("patch.weight", width, m_patchChannels);
    zeros("patch.bias", {width});
    weights.add("positions", sinusoidalPositions(m_gridFrames, m_gridRows, m_gridColumns, width));
    matrix("time.in.weight", width, width / 2 * 2);  // cosines and sines
    zeros("time.in.bias", {width});
    matrix("time.out.weight", width, width);
    zeros("time.out.bias", {width});
    normal("caption.embedding", {m_shape.captionTokens, width}, 1.0);
    zeros("modulation.weight", {6 * width, width});
    zeros("modulation.bias", {6 * width});
    for (std::int64_t i = 0; i < m_shape.model.depth; ++i) {
        const auto name = "blocks." + std::to_string(i);
        zeros(name + ".modulation", {6, width});
        matrix(name + ".qkv.weight", 3 * width, width);
        weights.add(name + ".query_norm.weight", at::ones({headWidth}));
        weights.add(name + ".key_norm.weight", at::ones({headWidth}));
        matrix(name + ".attention_out.weight", width, width);
        matrix(name + ".mlp_in.weight", hidden, width);
        zeros(name + ".mlp_in.bias", {hidden});
        matrix(name + ".mlp_out.weight", width, hidden);
        zeros(name + ".mlp_out.bias", {width});
    }
    zeros("final.modulation.weight", {2 * width, width});
    zeros("final.modulation.bias", {2 * width});
    zeros("final.weight", {m_patchChannels, width});
    zeros("final.bias", {m_patchChannels});
    return weights;
}

std::vector<at::Tensor> Dit::forward(const Params& weights, const ModelInput& input) const {
    return {denoise(weights, input.groups.at(0).clips, input.times, input.text.words)};
}

at::Tensor Dit::denoise(const Params& w, const at::Tensor& clips, const at::Tensor& times,
                        const at::Tensor& captions) const {
    const auto width = m_shape.model.width;
    const auto steering = condition(w, times, captions);
    const auto shared =
        at::linear(steering, w["modulation.weight"], w["modulation.bias"]).view({-1, 6, width});

    auto tokens = at::linear(patchify(clips), w["patch.weight"], w["patch.bias"]) + w["positions"];
    for (std::int64_t i = 0; i < m_shape.model.depth; ++i)
        tokens = block(w, "blocks." + std::to_string(i), tokens, shared);

    const auto last = at::linear(steering, w["final.modulation.weight"], w["final.modulation.bias"])
                          .view({-1, 2, 1, width})
                          .unbind(1);
    return unpatchify(at::linear(modulate(tokens, last[0], last[1]), w["final.weight"], w["final.bias"]));
}

at::Tensor Dit::patchify(const at::Tensor& clips) const {
    const auto frames = m_shape.model.patch_frames, size = m_shape.model.patch_size;
    return clips.view({-1, m_gridFrames, frames, m_gridRows, size, m_gridColumns, size, kColours})
        .permute({0, 1, 3, 5, 2, 4, 6, 7})
        .reshape({-1, tokensPerClip(), m_patchChannels});
}

at::Tensor Dit::unpatchify(const at::Tensor& tokens) const {
    const auto frames = m_shape.model.patch_frames, size = m_shape.model.patch_size;
    return tokens.view({-1, m_gridFrames, m_gridRows, m_gridColumns, frames, size, size, kColours})
        .permute({0, 1, 4, 2, 5, 3, 6, 7})
        .reshape({-1, m_shape.frames, m_shape.height, m_shape.width, kColours});
}

at::Tensor Dit::condition(const Params& w, const at::Tensor& times, const at::Tensor& captions) const {
    // times run over 0 … 1; the sinusoids of transformer positions expect steps of about 1
    const auto angles = at::outer(times * 1000, m_timeFrequencies);
    const auto sinusoids = at::cat({at::cos(angles), at::sin(angles)}, -1);
    const auto inner = at::silu(at::linear(sinusoids, w["time.in.weight"], w["time.in.bias"]));
    const auto time = at::linear(inner, w["time.out.weight"], w["time.out.bias"]);
    return at::silu(time + at::matmul(captions, w["caption.embedding"]));
}

at::Tensor Dit::block(const Params& w, const std::string& name, const at::Tensor& tokens,
                      const at::Tensor& sharedModulation) const {
    const auto m =
        (sharedModulation + w[name + ".modulation"]).unsqueeze(2).unbind(1);  // six of [batch, 1, width]
    const auto attended = at::addcmul(tokens, attention(w, name, modulate(tokens, m[0], m[1])), m[2]);
    return at::addcmul(attended, mlp(w, name, modulate(attended, m[3], m[4])), m[5]);
}

at::Tensor Dit::attention(const Params& w, const std::string& name, const at::Tensor& tokens) const {
    const auto heads = m_shape.model.heads, headWidth = m_shape.model.width / heads;
    const auto qkv = at::linear(tokens, w[name + ".qkv.weight"])
                         .view({tokens.size(0), tokens.size(1), 3, heads, headWidth})
                         .permute({2, 0, 3, 1, 4})
                         .unbind(0);  // three of [batch, heads, tokens, headWidth]
    const auto normalised = [&](const at::Tensor& x, const std::string& norm) {
        // autocast has no rule for rms_norm, which wants weight and input of one type
        return at::rms_norm(x, {headWidth}, w[name + norm].to(x.scalar_type()), kNormEpsilon);
    };
    const auto query = m_rope.rotate(normalised(qkv[0], ".query_norm.weight")).to(qkv[2].scalar_type());
    const auto key = m_rope.rotate(normalised(qkv[1], ".key_norm.weight")).to(qkv[2].scalar_type());
    const auto mixed = at::scaled_dot_product_attention(query, key, qkv[2]);
    return at::linear(mixed.transpose(1, 2).reshape({tokens.size(0), tokens.size(1), heads * headWidth}),
                      w[name + ".attention_out.weight"]);
}

at::Tensor Dit::mlp(const Params& w, const std::string& name, const at::Tensor& tokens) const {
    const auto hidden = at::linear(tokens, w[name + ".mlp_in.weight"], w[name + ".mlp_in.bias"]);
    const auto active = m_shape.model.activation == "gelu" ? at::gelu(hidden) : at::square(at::relu(hidden));
    return at::linear(active, w[name + ".mlp_out.weight"], w[name + ".mlp_out.bias"]);
}

}  // namespace dailies::trainer
