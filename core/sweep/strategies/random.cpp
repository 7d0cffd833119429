#include "core/base/error.h"
#include "core/sweep/strategies/strategy.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>

namespace dailies::sweep {

namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit of
/// `x`.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Draws that depend on nothing but the seed, the run's index and the parameter's key: a longer sweep begins
/// with the runs of the shorter one, and a parameter more does not change the others. (The standard's
/// distributions differ by library.)
class Draw {
public:
    Draw(std::int64_t seed, std::size_t run, std::string_view key)
        : m_state(mix(static_cast<std::uint64_t>(seed))) {
        m_state = mix(m_state ^ run);
        for (const unsigned char c : key) m_state = mix(m_state ^ c);
    }

    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< in [0, 1)
    double normal() {                                                      ///< Box and Muller 1958
        const double radius = std::sqrt(-2.0 * std::log(1.0 - unit()));
        return radius * std::cos(2.0 * std::numbers::pi * unit());
    }

private:
    std::uint64_t next() { return m_state = mix(m_state); }
    std::uint64_t m_state;
};

/// To six significant digits: what the eye and the name of a run can hold, finer than any search resolves.
double rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::strtod(text, nullptr);
}

Json draw(const Parameter& parameter, Draw random) {
    using Kind = Parameter::Kind;
    const double low = parameter.minimum, high = parameter.maximum;
    switch (parameter.kind) {
        case Kind::Fixed:
            return parameter.values.front();
        case Kind::Values:
            return parameter.values[static_cast<std::size_t>(random.unit() *
                                                             static_cast<double>(parameter.values.size()))];
        case Kind::Uniform:
            return rounded(low + random.unit() * (high - low));
        case Kind::LogUniform:
            return rounded(std::exp(std::log(low) + random.unit() * std::log(high / low)));
        case Kind::IntUniform:
            return static_cast<std::int64_t>(low + std::floor(random.unit() * (high - low + 1)));
        case Kind::QUniform:
            return rounded(std::round((low + random.unit() * (high - low)) / parameter.q) * parameter.q);
        case Kind::Normal:
            return rounded(parameter.mu + parameter.sigma * random.normal());
    }
    return nullptr;
}

}  // namespace

std::vector<Json> drawRandom(const Sweep& sweep) {
    if (!sweep.runCap)
        throw InputError("run_cap: found nothing, expected how many runs to draw (method random).",
                         "Add a line such as run_cap: 16.");
    std::vector<Json> runs;
    for (std::size_t index = 0; index < static_cast<std::size_t>(*sweep.runCap); ++index) {
        Json run = Json::object();
        for (const auto& parameter : sweep.parameters)
            run[parameter.key] = draw(parameter, Draw(sweep.seed, index, parameter.key));
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace dailies::sweep
