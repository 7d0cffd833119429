#include "trainer/data/value_scale.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

std::vector<double> numbersOf(const Json& json, const char* key, std::int64_t channels,
                              const std::string& where) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    const bool numbers = json.is_object() && found != json.end() && found->is_array() &&
                         std::ranges::all_of(*found, [](const Json& each) { return each.is_number(); });
    if (numbers && std::cmp_equal(found->size(), channels)) return found->get<std::vector<double>>();
    throw InputError(
        where + ": " + key + " is " +
            (numbers ? "a list of " + std::to_string(found->size()) + " numbers" : "no list of numbers") +
            ", expected " + std::to_string(channels) + ", one for each channel of the latents.",
        "Name the config.json of the VAE that made the latents, or leave it empty to measure them.");
}

}  // namespace

ValueScale ScaleMeasure::scale(double least) const {
    const double each = m_values / static_cast<double>(m_sums.size());
    ValueScale scale{{}, {}};
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
        const double mean = m_sums[i] / each;
        scale.mean.push_back(mean);
        scale.deviation.push_back(
            std::max(least, std::sqrt(std::max(0.0, m_squares[i] / each - mean * mean))));
    }
    return scale;
}

Json toJson(const std::vector<double>& numbers) {
    return numbers.size() == 1 ? Json(numbers.front()) : Json(numbers);
}

std::vector<double> numbersFromJson(const Json& json) {
    if (json.is_number()) return {json.get<double>()};
    return json.get<std::vector<double>>();
}

ValueScale latentScaleFrom(const Json& json, std::int64_t channels, const std::string& key,
                           const std::filesystem::path& file) {
    const auto where = key + ": " + file.string();
    ValueScale scale{numbersOf(json, "latents_mean", channels, where),
                     numbersOf(json, "latents_std", channels, where)};
    for (const auto deviation : scale.deviation)
        if (!(deviation > 0)) throw InputError(where + ": latents_std holds a number that is not above 0.");
    return scale;
}

ValueScale readLatentScale(const std::filesystem::path& file, std::int64_t channels) {
    if (!std::filesystem::is_regular_file(file))
        throw InputError("data.latent_scale: there is no file " + file.string() + ".",
                         "Name a JSON file with latents_mean and latents_std.");
    return latentScaleFrom(parseJson(readFile(file), file.string()), channels, "data.latent_scale", file);
}

}  // namespace dailies::trainer
