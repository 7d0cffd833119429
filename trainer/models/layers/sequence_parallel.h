#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace dailies::trainer::layers {

/// How ranks share the tokens of each clip (context and sequence parallelism): of a clip's T tokens rank r of
/// n computes those from r·T/n on, alone but for attention and for what ranks divide the weights of. Every
/// rank has the clips, captions and weights. What a rank's backward pass gives of a weight's gradient is its
/// tokens' part; the sum over the ranks is the gradient. Ranks must make the same calls in the same order.
class SequenceParallel {
public:
    virtual ~SequenceParallel() = default;

    virtual std::int64_t ranks() const = 0;
    virtual std::int64_t rank() const = 0;

    /// This rank's part of an axis that counts a clip's tokens.
    at::Tensor own(const at::Tensor& all, std::int64_t dim) const {
        const auto count = all.size(dim) / ranks();
        return all.narrow(dim, rank() * count, count);
    }

    /// Of the axis, what this rank attends from: its own tokens and, where neighbouring ranks divide weights,
    /// those of all of these.
    at::Tensor attending(const at::Tensor& all, std::int64_t dim) const {
        const auto count = all.size(dim) / ranks() * tensorParallelSize();
        return all.narrow(dim, rank() / tensorParallelSize() * count, count);
    }
    /// How many ranks divide weights (weight_share.h): runs of neighbours, in the order of the tokens.
    virtual std::int64_t tensorParallelSize() const { return 1; }

    /// All tokens from each rank's own, [clips, own tokens, channels] → [clips, tokens, channels]. Every rank
    /// must make the same use of them: backward takes its own part of its own gradient.
    virtual at::Tensor allGather(const at::Tensor& own) const = 0;

    /// From a rank's own tokens to those of all frames of its places, and back: [clips, own tokens,
    /// channels], frame by frame both. A place is that of a token in its frame; of P places rank r of n has
    /// those from r·P/n on. `frames` of a clip, and its places, must divide by the ranks.
    virtual at::Tensor reshardSpatially(const at::Tensor& ofFrames, std::int64_t frames) const = 0;
    virtual at::Tensor reshardTemporally(const at::Tensor& ofPlaces, std::int64_t frames) const = 0;

    /// Attention within each row of queries, keys and values [clips, tokens, heads, headWidth] of all tokens
    /// and some heads, → [clips, tokens, heads · headWidth].
    using Attention =
        std::function<at::Tensor(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value)>;
    /// The same from the tokens that each rank attends from, for all of its heads. `local` says how where a
    /// rank comes to hold all tokens of some heads; a ring attends over the whole clip.
    virtual at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                              const Attention& local) const = 0;
};

}  // namespace dailies::trainer::layers
