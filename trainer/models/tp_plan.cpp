#include "trainer/models/tp_plan.h"

#include "core/base/error.h"

#include <algorithm>
#include <string_view>

namespace dailies::trainer {

namespace {

constexpr std::string_view kWeight = ".weight", kBias = ".bias";

std::string_view firstWord(std::string_view& rest) {
    const auto word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
}

bool names(std::string_view pattern, std::string_view layer) {
    while (!pattern.empty() && !layer.empty()) {
        const auto wanted = firstWord(pattern);
        const auto found = firstWord(layer);
        if (wanted != "*" && wanted != found) return false;
    }
    return pattern.empty() && layer.empty();
}

}  // namespace

std::optional<Cut> tpShardOf(const std::vector<TpRule>& rules, const std::string& weight,
                             const Extents& shape, std::int64_t rank, std::int64_t ranks) {
    const bool isBias = weight.ends_with(kBias);
    if (!isBias && !weight.ends_with(kWeight)) return std::nullopt;
    const auto layer = std::string_view(weight).substr(0, weight.rfind('.'));
    const auto rule = std::ranges::find_if(rules, [&](const auto& r) { return names(r.layer, layer); });
    if (rule == rules.end() || (isBias && rule->style == TpStyle::rowwise)) return std::nullopt;
    Cut cut{.axis = rule->style == TpStyle::rowwise ? 1U : 0U};
    const auto matrices = rule->matrices.empty() ? Extents{shape.at(cut.axis)} : rule->matrices;
    std::int64_t begin = 0;
    for (const auto size : matrices) {
        if (size % ranks != 0)
            throw Error("The " + std::to_string(size) + " of " + weight + " do not divide among " +
                        std::to_string(ranks) + " ranks.");
        cut.intervals.push_back({begin + rank * (size / ranks), size / ranks});
        begin += size;
    }
    if (begin != shape[cut.axis]) throw Error("The rule of " + weight + " fits another size.");
    return cut;
}

}  // namespace dailies::trainer
