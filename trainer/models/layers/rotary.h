#pragma once

#include "trainer/models/layers/sequence_layout.h"

#include <functional>
#include <map>
#include <mutex>
#include <tuple>

namespace dailies::trainer::layers {

/// How far each token of a batch is turned: cosines and sines that broadcast with [batch, tokens, heads, …],
/// [tokens, 1, …], or [tokens, heads, …] where heads are turned differently.
struct RopeTable {
    at::Tensor cos, sin;
    bool interleaved = false;

    bool differsByHead() const { return cos.size(-2) > 1; }
    /// Of some of the heads, where they differ.
    RopeTable ofHeads(std::int64_t first, std::int64_t count) const;
};

/// Rotary position embedding over time, height and width (Su et al. 2021, split over three axes as in
/// Cosmos): of a head's D channels, 2·⌊D/6⌋ rotate with the row, as many with the column and the rest with
/// the frame, each axis with frequencies base^(-2i/D_axis). Attention between two tokens then depends on the
/// distance between them only.
class Rotary {
public:
    struct Settings {
        std::int64_t headWidth = 0;  ///< even, at least 6
        /// Pairs of neighbouring channels rotate together (Wan), else a channel of the first half with the
        /// same of the second (Cosmos).
        bool interleaved = false;
        /// Frames count as if the clip played at this rate: place = frame · fps / clip's rate, so that a
        /// second is as long in a clip of 8 frames a second as in one of 24. 0: place = frame.
        double fps = 0;
        /// NTK-aware stretch s of an axis: base = 10000 · s^(D/(D-2)) (Cosmos: 2 in time, 1 in space).
        double timeScale = 1;
        double spaceScale = 1;
    };

    /// How far each token of a clip is turned, in float64: [tokens, 1 or heads, headWidth / 2].
    using Angles = std::function<at::Tensor(const TokenGrid&)>;

    explicit Rotary(const Settings& settings, at::Device device);
    /// By other angles than those of `Settings`, of neighbouring channels.
    Rotary(Angles angles, at::Device device)
        : m_angles(std::move(angles)), m_interleaved(true), m_device(device) {}

    /// Of the tokens from which a rank attends over a span. Computed once for each size and rate of clips.
    /// Any thread.
    RopeTable rope(const SequenceLayout& layout, Span span = Span::full) const;

private:
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, double>;

    const RopeTable& clipRope(const TokenGrid& grid) const;

    Angles m_angles;
    bool m_interleaved;
    at::Device m_device;
    mutable std::mutex m_mutex;
    mutable std::map<Key, RopeTable> m_ropes;
};

/// Turns queries or keys [batch, tokens, heads, headWidth]; a rotation, so norms stay as they are.
at::Tensor rotated(const at::Tensor& x, const RopeTable& rope);

}  // namespace dailies::trainer::layers
