#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Mean and deviation of pixels, on the scale -1 … 1, or of latents. The model works on (value - mean) /
/// deviation, because rectified flow balances data against noise of deviation 1. One number for all channels
/// (pixels), or one for each (latents, whose channels differ by several times).
struct ValueScale {
    std::vector<double> mean = {0};
    std::vector<double> deviation = {1};

    bool isOfChannels() const { return mean.size() > 1; }
    bool operator==(const ValueScale&) const = default;
};

/// Measures a scale. `channels` 1 measures all values together.
class ScaleMeasure {
public:
    explicit ScaleMeasure(std::size_t channels) : m_sums(channels), m_squares(channels) {}

    /// Values whose channels lie side by side; a multiple of the channels.
    template <class Values, class Value>
    void add(const Values& values, Value value) {
        std::size_t channel = 0;
        for (const auto& each : values) {
            const double x = value(each);
            m_sums[channel] += x;
            m_squares[channel] += x * x;
            m_values += 1;
            if (++channel == m_sums.size()) channel = 0;
        }
    }

    /// Deviations of at least `least`, so that data of one value do not divide by zero.
    ValueScale scale(double least) const;

private:
    std::vector<double> m_sums, m_squares;
    double m_values = 0;
};

/// As a checkpoint keeps it: numbers, or lists of them.
Json toJson(const std::vector<double>& numbers);
std::vector<double> numbersFromJson(const Json& json);

/// Reads `latents_mean` and `latents_std` of a JSON file, as the config.json of a VAE in diffusers has them.
/// Throws `InputError` that names the file where they are missing, not of `channels` numbers each, or no
/// deviations.
/// `key`: of the configuration, which errors begin with.
ValueScale latentScaleFrom(const Json& json, std::int64_t channels, const std::string& key,
                           const std::filesystem::path& file);
ValueScale readLatentScale(const std::filesystem::path& file, std::int64_t channels);

}  // namespace dailies::trainer
