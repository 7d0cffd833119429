#include "core/sweep/strategies/sobol.h"

#include "core/base/error.h"
#include "core/sweep/distribution.h"
#include "core/sweep/seeded_rng.h"
#include "core/sweep/strategies/strategy.h"

#include <boost/random/sobol.hpp>
#include <stdexcept>

namespace dailies::sweep {

namespace {

using Engine = boost::random::sobol;  ///< Joe and Kuo's direction numbers (2008)

std::uint32_t reversed(std::uint32_t x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

/// Owen's nested uniform scrambling by a hash (Laine and Karras 2011; Burley 2020, "Practical Hash-based Owen
/// Scrambling"): each bit is flipped or not by the seed and the bits above it, which keeps the sequence's
/// evenness and moves its points.
std::uint32_t owenScrambled(std::uint32_t x, std::uint32_t seed) {
    x = reversed(x);
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reversed(x);
}

Engine engineFor(const Sweep& sweep) {
    try {
        return Engine(sweep.parameters.size());
    } catch (const std::exception&) {
        throw InputError("The sweep has " + std::to_string(sweep.parameters.size()) +
                             " parameters, more than method " + sweep.method + " has dimensions.",
                         "Use method random.");
    }
}

std::vector<double> point(Engine& engine, const Sweep& sweep, std::size_t index) {
    if (index > 0) engine.seed(index - 1);  // the engine leaves out the sequence's first point, which is zero
    std::vector<double> result;
    for (const auto& parameter : sweep.parameters) {
        const auto bits = index == 0 ? 0u : static_cast<std::uint32_t>(engine() >> 32);
        const auto seed = static_cast<std::uint32_t>(SeededRng(sweep.seed, 0, parameter.key).next());
        result.push_back(owenScrambled(bits, seed) * 0x1p-32);
    }
    return result;
}

}  // namespace

std::vector<double> sobolPoint(const Sweep& sweep, std::size_t index) {
    Engine engine = engineFor(sweep);
    return point(engine, sweep, index);
}

std::vector<Json> drawSobol(const Sweep& sweep, const History& history, std::size_t count) {
    Engine engine = engineFor(sweep);
    std::vector<Json> runs;
    for (std::size_t index = history.size(); index < history.size() + count; ++index) {
        const auto at = point(engine, sweep, index);
        Json run = Json::object();
        for (std::size_t d = 0; d < at.size(); ++d)
            run[sweep.parameters[d].key] = valueAt(sweep.parameters[d], at[d]);
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace dailies::sweep
