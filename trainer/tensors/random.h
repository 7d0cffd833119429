#pragma once

#include <cstdint>
#include <string_view>

namespace dailies::trainer {

/// What a random number is for. Each stream is independent of the others, so that adding a draw to one moves
/// no other.
enum class Stream : std::uint64_t {
    weights = 1,
    data_order = 2,
    data_clip = 3,
    timestep = 4,
    noise = 5,
    caption_drop = 6,
    sampler_noise = 7,
    given_frames = 8,
    validation = 9,
    posterior = 10,
    still_clips = 11,
    dropout = 12,
    noise_offset = 13,
};

/// The key of one draw. All randomness of a run is a function of (seed, stream, step, global sample index),
/// never of a rank or of how many numbers were drawn before: any number of ranks, and any resumption, sees
/// the same numbers.
std::uint64_t randomKey(std::int64_t seed, Stream stream, std::uint64_t step, std::uint64_t sample = 0);

/// A text as a number for `randomKey`: FNV-1a, the same on every machine.
std::uint64_t hashText(std::string_view text);

/// The numbers of one key in order: Philox words, two of them a number. Small, and the same on every machine
/// and standard library.
class Random {
public:
    explicit Random(std::uint64_t key) : m_key(key) {}

    std::uint64_t next();
    double uniform();                         ///< in [0, 1)
    double uniform(double low, double high);  ///< in [low, high)
    double normal();                          ///< mean 0, deviation 1 (Box and Muller)
    std::uint64_t below(std::uint64_t count);

private:
    std::uint64_t m_key;
    std::uint64_t m_drawn = 0;
};

}  // namespace dailies::trainer
