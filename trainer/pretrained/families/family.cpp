#include "trainer/pretrained/families/family.h"

#include <algorithm>

namespace dailies::trainer::pretrained {

bool isPublishedBase(const std::string& family) {
    return family == "wan" || family == "ltx" || family == "mimic-motion";
}

std::int64_t layersOf(const TensorTable& tensors, const std::string& prefix, const Hints& hints) {
    constexpr std::int64_t kMost = 1000;  // a configuration may claim any number
    const auto told = configNumber(hints.config, {"num_layers"}).value_or(0);
    return std::max(tensors.blocks(prefix), std::min(told, kMost));
}

std::int64_t countedBlocks(const TensorTable& tensors, const std::string& list, std::int64_t most,
                           std::int64_t spare, std::int64_t otherwise) {
    const auto count = tensors.blocks(list) - spare;
    return count > 0 && count <= most ? count : otherwise;
}

std::optional<std::int64_t> configNumber(const Json& config, const std::vector<std::string>& keys) {
    if (!config.is_object()) return std::nullopt;
    for (const auto& key : keys) {
        const auto found = config.find(key);
        if (found == config.end() || !found->is_number_unsigned()) continue;
        const auto number = found->get<std::uint64_t>();
        if (number <= 1'000'000 && inReason(static_cast<std::int64_t>(number)))
            return static_cast<std::int64_t>(number);
    }
    return std::nullopt;
}

}  // namespace dailies::trainer::pretrained
