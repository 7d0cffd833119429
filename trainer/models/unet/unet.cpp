#include "trainer/models/unet/unet.h"

#include "core/base/error.h"
#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/recompute.h"
#include "trainer/models/layers/residual_block.h"
#include "trainer/models/layers/time_embedding.h"
#include "trainer/models/unet/levels_pass.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dailies::trainer::unet {

namespace {

constexpr double kUnetNormEpsilon = 1e-5;

layers::GroupNorm normOf(const UnetSizes& sizes, double epsilon) {
    return {.groups = sizes.groups, .epsilon = epsilon};
}

}  // namespace

Unet::Unet(const UnetSizes& sizes, bool normsAcrossFrames, std::string prefix)
    : m_sizes(sizes),
      m_prefix(std::move(prefix)),
      m_norm(normOf(sizes, kUnetNormEpsilon)),
      m_transformer{normOf(sizes, kTransformerNormEpsilon), {.heads = sizes.heads}},
      m_motion{normOf(sizes, kTransformerNormEpsilon),
               {.heads = sizes.heads},
               sizes.motion.places,
               normsAcrossFrames} {
    for (const auto width : sizes.levels.channels)
        for (const auto& [parts, called] :
             {std::pair{sizes.heads, "heads"}, std::pair{sizes.groups, "groups of a norm"}})
            if (width % parts != 0)
                throw InputError("The U-Net has " + std::to_string(width) + " channels, which its " +
                                     std::to_string(parts) + " " + called + " do not divide.",
                                 "Keep the config.json beside its weights, which tells them.");
}

void Unet::declareWeights(WeightInitializer& make) const {
    make.layers(unetTensors(m_sizes), m_prefix, [](const std::string& name) {
        return name.find(".motion_modules.") != std::string::npos &&
               name.find(".proj_out.") != std::string::npos;
    });
}

/// A residual block, with the transformer and the motion module behind it: by their names, empty where there
/// is none. Holds nothing of the pass that it is of, which is over when the backward pass computes it again.
struct Unet::Block {
    const Unet& unet;
    const Params& weights;
    std::int64_t frames;
    std::string residual, attention, motion;
    bool onlyTokens;  ///< the pictures behind the transformer are not needed

    /// `inputs`: as `Unet::Pass::through` has them.
    PictureTransformer::Output operator()(const std::vector<at::Tensor>& inputs) const {
        const auto named = [&](const std::string& own) { return unet.m_prefix + own; };
        const auto &skipped = inputs[1], &time = inputs[2], &context = inputs[3];
        auto x = skipped.defined() ? at::cat({inputs[0], skipped}, 1) : inputs[0];
        x = layers::ResidualBlock{unet.m_norm}(weights, named(residual), x, time);
        PictureTransformer::Output made{x, {}};
        if (onlyTokens) {
            made.tokens = unet.m_transformer.tokensOf(weights, named(attention), x);
            return made;
        }
        if (!attention.empty())
            made = unet.m_transformer(weights, named(attention), x, context, {inputs[4], inputs[5]});
        if (!motion.empty()) made.pictures = unet.m_motion(weights, named(motion), made.pictures, frames);
        return made;
    }
};

/// One pass over the pictures of a batch, [clips · frames, channels, rows, columns].
class Unet::Pass : private LevelsPass {
public:
    Pass(const Unet& unet, const Params& weights, const UnetInput& input)
        : LevelsPass(unet.m_sizes.levels, weights, unet.m_prefix),
          m_unet(unet),
          m_input(input),
          m_frames(input.latents.size(2)) {
        const auto sinusoids = layers::timestepEmbedding(input.times, unet.m_sizes.levels.channels.front());
        m_time = at::silu(layers::embedding(weights, named("time_embedding"), sinusoids));
    }

    /// What the last layers make outputs of.
    at::Tensor throughBlocks() {
        auto x = layers::convolution(weights(), named("conv_in"), pictures(m_input.latents));
        if (m_input.added.defined()) x = x + pictures(m_input.added);
        return throughLevels(x);
    }

    at::Tensor output() {
        auto x = throughBlocks();
        x = layers::convolution(weights(), named("conv_out"),
                                at::silu(m_unet.m_norm(weights(), named("conv_norm_out"), x)));
        return x.unflatten(0, {-1, m_frames}).transpose(1, 2);
    }

    /// `bank` receives what each transformer is given.
    void keepTokens(ReferenceBank& bank) { m_kept = &bank; }

private:
    static at::Tensor pictures(const at::Tensor& clips) { return clips.transpose(1, 2).flatten(0, 1); }

    /// What self-attention was given, for the bank.
    void keep(const std::string& name, const at::Tensor& tokens) {
        const auto clips = m_input.latents.size(0);
        m_kept->emplace(name, tokens.reshape({clips, -1, tokens.size(2)}));
    }

    PictureTransformer::Reference referenceFor(const std::string& attention) const {
        if (m_input.references.empty() || attention.empty()) return {};
        const auto found = m_input.references.find(attention);
        if (found == m_input.references.end())
            throw InputError("The references have no tokens for " + attention + ".");
        return {found->second, m_input.referenced};
    }

    /// `skipped`: of the way down, beside `x`; undefined: nothing.
    at::Tensor through(const std::string& residual, const std::string& attention, const std::string& motion,
                       const at::Tensor& x, const at::Tensor& skipped = {}) {
        const bool isLast = m_kept && attention == m_unet.lastTransformer();
        const Block block{m_unet, weights(), m_frames, residual, attention, motion, isLast};
        const auto reference = referenceFor(attention);
        const std::vector<at::Tensor> inputs{
            x, skipped, m_time, m_input.context, reference.tokens, reference.given};
        // autograd sees no weights behind inputs without gradients: the first blocks of a net whose other
        // weights are frozen
        const bool again = m_input.recompute && std::ranges::any_of(inputs, [](const at::Tensor& input) {
                               return input.defined() && input.requires_grad();
                           });
        const bool keeps = m_kept && !attention.empty();
        if (!again) {
            const auto made = block(inputs);
            if (keeps) keep(attention, made.tokens);
            return made.pictures;
        }
        if (!keeps)
            return layers::withRecompute([block](const auto& given) { return block(given).pictures; },
                                         inputs);
        // one tensor holds both, one behind the other, as contiguous as they are
        const auto both = layers::withRecompute(
            [block](const auto& given) {
                const auto made = block(given);
                return at::cat({made.pictures.flatten(), made.tokens.flatten()});
            },
            inputs);
        const auto half = both.size(0) / 2, n = x.size(0), places = x.size(2) * x.size(3);
        keep(attention, both.narrow(0, half, half).view({n, places, -1}));
        return both.narrow(0, 0, half).view({n, -1, x.size(2), x.size(3)});
    }

    at::Tensor block(const LevelBlock& at, const at::Tensor& x, const at::Tensor& skipped) override {
        return through(at.part("resnets"), at.attends ? at.part("attentions") : "",
                       m_unet.m_sizes.motion.places > 0 ? at.part("motion_modules") : "", x, skipped);
    }

    at::Tensor middle(const at::Tensor& x) override {
        const auto& motion = m_unet.m_sizes.motion;
        const bool moves = motion.places > 0 && motion.middle;
        const auto attended = through("mid_block.resnets.0", "mid_block.attentions.0",
                                      moves ? "mid_block.motion_modules.0" : "", x);
        return through("mid_block.resnets.1", "", "", attended);
    }

    const Unet& m_unet;
    const UnetInput& m_input;
    std::int64_t m_frames;
    at::Tensor m_time;  ///< [clips, timeWidth], behind SiLU
    ReferenceBank* m_kept = nullptr;
};

std::string Unet::lastTransformer() const {
    return "up_blocks." + std::to_string(m_sizes.levels.count() - 1) + ".attentions." +
           std::to_string(m_sizes.levels.blocks);
}

at::Tensor Unet::operator()(const Params& weights, const UnetInput& input) const {
    if (m_sizes.outputs == 0)
        throw InputError("A ReferenceNet has no outputs: it makes references for a U-Net.");
    return Pass(*this, weights, input).output();
}

ReferenceBank Unet::referencesOf(const Params& weights, const UnetInput& input) const {
    ReferenceBank bank;
    Pass pass(*this, weights, input);
    pass.keepTokens(bank);
    pass.throughBlocks();
    return bank;
}

}  // namespace dailies::trainer::unet
