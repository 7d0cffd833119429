#include "trainer/tensors/random.h"

#include "trainer/tensors/philox.h"

#include <cmath>
#include <numbers>

namespace dailies::trainer {

namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

}  // namespace

std::uint64_t randomKey(std::int64_t seed, Stream stream, std::uint64_t step, std::uint64_t sample) {
    std::uint64_t key = mix(static_cast<std::uint64_t>(seed) + kGolden);
    key = mix((key ^ static_cast<std::uint64_t>(stream)) + kGolden);
    key = mix((key ^ step) + kGolden);
    return mix((key ^ sample) + kGolden);
}

std::uint64_t hashText(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

std::uint64_t Random::next() {
    const auto words = philox(m_key, m_drawn / 2);
    const auto half = m_drawn++ % 2 * 2;
    return std::uint64_t{words[half + 1]} << 32 | words[half];
}

double Random::uniform() {
    return static_cast<double>(next() >> 11) * 0x1p-53;
}

double Random::uniform(double low, double high) {
    return low + (high - low) * uniform();
}

double Random::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t Random::below(std::uint64_t count) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(count));
}

}  // namespace dailies::trainer
