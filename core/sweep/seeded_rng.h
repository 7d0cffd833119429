#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dailies::sweep {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit of
/// `x`.
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Numbers that depend on nothing but the seed, the run's index and a word (a parameter's key), on any
/// machine: the standard's distributions differ by library.
class SeededRng {
public:
    SeededRng(std::int64_t seed, std::size_t run, std::string_view word)
        : m_state(mix(static_cast<std::uint64_t>(seed))) {
        m_state = mix(m_state ^ run);
        for (const unsigned char c : word) m_state = mix(m_state ^ c);
    }

    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< in [0, 1)
    std::uint64_t next() { return m_state = mix(m_state); }

private:
    std::uint64_t m_state;
};

}  // namespace dailies::sweep
