#pragma once

#include "trainer/models/layers/sequence_parallel.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dailies::trainer::layers {

/// The tokens of a group of equally sized clips, in the order clip, frame, row, column.
struct TokenGrid {
    std::int64_t clips = 0;
    std::int64_t frames = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    double fps = 24;

    std::int64_t tokensPerFrame() const { return rows * columns; }
    std::int64_t tokensPerClip() const { return frames * rows * columns; }
    std::int64_t tokens() const { return clips * tokensPerClip(); }
};

/// Which tokens of its own clip a token attends to: all; those of its frame; those of its place in all
/// frames.
enum class Span { full, spatial, temporal };

/// How many tokens that is.
std::int64_t spanTokens(const TokenGrid& grid, Span span);

/// Where the clips of a batch stand among its tokens. One group is dense, [clips, tokensPerClip, …]; several
/// are packed one behind the other into one sequence, [1, tokens of all, …], so that clips of any sizes share
/// every matrix product without padding. Ranks may share the tokens of dense clips: a rank's tensors then
/// have its own tokens only.
class SequenceLayout {
public:
    /// `sequenceParallel` must outlive this; null: this rank has all tokens. Throws `Error` for packed clips
    /// with a share.
    explicit SequenceLayout(std::vector<TokenGrid> groups,
                            const SequenceParallel* sequenceParallel = nullptr);

    const std::vector<TokenGrid>& groups() const { return m_groups; }
    bool packed() const { return m_groups.size() > 1; }
    std::int64_t clips() const;
    /// Of tokens of so many channels as this rank has them.
    std::vector<std::int64_t> sizes(std::int64_t channels) const;
    const SequenceParallel* sequenceParallel() const { return m_sequenceParallel; }

    /// This rank's part of an axis that counts a clip's tokens; all of it where nothing is shared.
    at::Tensor own(const at::Tensor& all, std::int64_t dim) const {
        return m_sequenceParallel ? m_sequenceParallel->own(all, dim) : all;
    }
    /// Whether a rank that shares tokens has whole frames of them, all that a span needs: nothing is sent.
    bool hasWholeSpans(Span span) const;
    /// Whether ranks exchange frames for places (`SequenceParallel::reshardSpatially`) for what attends over
    /// a span: one tensor there and one back, where exchanging tokens for heads takes queries, keys and
    /// values there.
    bool reshardsSpatially(Span span) const;

    /// Of something that all tokens of a clip have a row of, those from which this rank attends over a span,
    /// in the order in which it has them.
    at::Tensor attending(const at::Tensor& all, Span span) const;
    /// These tokens as a grid, in which whole spans lie: where it has whole spans, or places of all frames.
    TokenGrid attendingGrid(Span span) const;
    /// All tokens, [clips, tokens, channels], from each rank's own.
    at::Tensor allGather(const at::Tensor& own) const {
        return m_sequenceParallel ? m_sequenceParallel->allGather(own) : own;
    }

    /// From one tensor a group, [clips, tokensPerClip, …], to the dense or packed form, and back.
    at::Tensor join(const std::vector<at::Tensor>& groups) const;
    std::vector<at::Tensor> split(const at::Tensor& tokens) const;

    /// From a row a clip, [clips, channels], to what broadcasts with tokens: each token gets its clip's row.
    at::Tensor perToken(const at::Tensor& perClip) const;

    /// The clips of each group, of a tensor with a row a clip.
    std::vector<at::Tensor> splitClips(const at::Tensor& perClip) const;

    /// First token of each clip and the end of the last, [clips + 1] int32: what varlen attention reads.
    at::Tensor clipOffsets(at::Device device) const;
    std::int64_t longestClip() const;

private:
    std::vector<TokenGrid> m_groups;
    const SequenceParallel* m_sequenceParallel;
    mutable at::Tensor m_offsets;  ///< made once: a copy to the device a forward, not a block
};

}  // namespace dailies::trainer::layers
