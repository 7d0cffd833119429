#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace dailies::trainer::layers {

/// How ranks share the tokens of each clip (context parallelism): of a clip's T tokens rank r of n computes
/// those from r·T/n on, alone but for attention. Every rank has the clips, captions and weights. What a
/// rank's backward pass gives of a weight's gradient is its tokens' part; the sum over the ranks is the
/// gradient. Ranks must make the same calls in the same order.
class TokenShare {
public:
    virtual ~TokenShare() = default;

    virtual std::int64_t ranks() const = 0;
    virtual std::int64_t rank() const = 0;

    /// This rank's part of an axis that counts a clip's tokens.
    at::Tensor own(const at::Tensor& all, std::int64_t dim) const {
        const auto count = all.size(dim) / ranks();
        return all.narrow(dim, rank() * count, count);
    }

    /// All tokens from each rank's own, [clips, own tokens, channels] → [clips, tokens, channels]. Every rank
    /// must make the same use of them: backward takes its own part of its own gradient.
    virtual at::Tensor gathered(const at::Tensor& own) const = 0;

    /// Attention within each row of queries, keys and values [clips, tokens, heads, headWidth] of all tokens
    /// and some heads, → [clips, tokens, heads · headWidth].
    using Attention =
        std::function<at::Tensor(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value)>;
    /// The same from each rank's own tokens, for all heads. `local` says how where a rank comes to hold all
    /// tokens of some heads; a ring attends over the whole clip.
    virtual at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                              const Attention& local) const = 0;
};

}  // namespace dailies::trainer::layers
