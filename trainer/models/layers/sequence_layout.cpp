#include "trainer/models/layers/sequence_layout.h"

#include "core/base/error.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::layers {

std::int64_t spanTokens(const TokenGrid& grid, Span span) {
    switch (span) {
        case Span::spatial:
            return grid.tokensPerFrame();
        case Span::temporal:
            return grid.frames;
        case Span::full:
            break;
    }
    return grid.tokensPerClip();
}

SequenceLayout::SequenceLayout(std::vector<TokenGrid> groups, const SequenceParallel* sequenceParallel)
    : m_groups(std::move(groups)), m_sequenceParallel(sequenceParallel) {
    if (m_sequenceParallel && packed()) throw Error("Ranks cannot share the tokens of packed clips.");
}

std::int64_t SequenceLayout::clips() const {
    std::int64_t count = 0;
    for (const auto& group : m_groups) count += group.clips;
    return count;
}

std::vector<std::int64_t> SequenceLayout::sizes(std::int64_t channels) const {
    if (!packed())
        return {clips(),
                m_groups.front().tokensPerClip() / (m_sequenceParallel ? m_sequenceParallel->ranks() : 1),
                channels};
    std::int64_t tokens = 0;
    for (const auto& group : m_groups) tokens += group.tokens();
    return {1, tokens, channels};
}

bool SequenceLayout::hasWholeSpans(Span span) const {
    return m_sequenceParallel && span == Span::spatial &&
           m_groups.front().frames %
                   (m_sequenceParallel->ranks() / m_sequenceParallel->tensorParallelSize()) ==
               0;
}

bool SequenceLayout::reshardsSpatially(Span span) const {
    return m_sequenceParallel && span == Span::temporal &&
           m_groups.front().frames % m_sequenceParallel->ranks() == 0 &&
           m_groups.front().tokensPerFrame() % m_sequenceParallel->ranks() == 0;
}

at::Tensor SequenceLayout::attending(const at::Tensor& all, Span span) const {
    if (!m_sequenceParallel) return all;
    if (!reshardsSpatially(span)) return m_sequenceParallel->attending(all, 0);
    const auto tensorParallelSize = m_sequenceParallel->tensorParallelSize(),
               first = m_sequenceParallel->rank() / tensorParallelSize * tensorParallelSize;
    // [frames, ranks, places of each, …]
    return all.unflatten(0, {m_groups.front().frames, m_sequenceParallel->ranks(), -1})
        .narrow(1, first, tensorParallelSize)
        .transpose(0, 1)
        .flatten(0, 2);
}

TokenGrid SequenceLayout::attendingGrid(Span span) const {
    auto grid = m_groups.front();
    const auto tensorParallelSize = m_sequenceParallel->tensorParallelSize();
    if (!reshardsSpatially(span)) {
        grid.frames /= m_sequenceParallel->ranks() / tensorParallelSize;
        return grid;
    }
    // the places of one neighbour behind those of the other, as if they were clips
    return {grid.clips * tensorParallelSize, grid.frames, 1,
            grid.tokensPerFrame() / m_sequenceParallel->ranks(), grid.fps};
}

at::Tensor SequenceLayout::join(const std::vector<at::Tensor>& groups) const {
    if (!packed()) return groups.front();
    std::vector<at::Tensor> flat;
    for (const auto& group : groups) flat.push_back(group.flatten(0, 1));
    return at::cat(flat).unsqueeze(0);
}

std::vector<at::Tensor> SequenceLayout::split(const at::Tensor& tokens) const {
    if (!packed()) return {tokens};
    std::vector<at::Tensor> groups;
    std::int64_t first = 0;
    for (const auto& group : m_groups) {
        auto sizes = tokens.sizes().vec();
        sizes[0] = group.clips;
        sizes[1] = group.tokensPerClip();
        groups.push_back(tokens[0].narrow(0, first, group.tokens()).view(sizes));
        first += group.tokens();
    }
    return groups;
}

at::Tensor SequenceLayout::perToken(const at::Tensor& perClip) const {
    if (!packed()) return perClip.unsqueeze(1);
    std::vector<at::Tensor> rows;
    const auto parts = splitClips(perClip);
    for (std::size_t i = 0; i < parts.size(); ++i)
        rows.push_back(parts[i].unsqueeze(1).expand({-1, m_groups[i].tokensPerClip(), -1}).flatten(0, 1));
    return at::cat(rows).unsqueeze(0);
}

std::vector<at::Tensor> SequenceLayout::splitClips(const at::Tensor& perClip) const {
    std::vector<at::Tensor> parts;
    std::int64_t first = 0;
    for (const auto& group : m_groups) {
        parts.push_back(perClip.narrow(0, first, group.clips));
        first += group.clips;
    }
    return parts;
}

at::Tensor SequenceLayout::clipOffsets(at::Device device) const {
    if (m_offsets.defined()) return m_offsets;
    std::vector<std::int32_t> offsets = {0};
    for (const auto& group : m_groups)
        for (std::int64_t i = 0; i < group.clips; ++i)
            offsets.push_back(offsets.back() + static_cast<std::int32_t>(group.tokensPerClip()));
    return m_offsets = at::tensor(offsets, at::kInt).to(device);
}

std::int64_t SequenceLayout::longestClip() const {
    std::int64_t longest = 0;
    for (const auto& group : m_groups) longest = std::max(longest, group.tokensPerClip());
    return longest;
}

}  // namespace dailies::trainer::layers
