#include "core/config/lr_factors.h"

#include "core/base/error.h"
#include "core/base/numbers.h"

#include <algorithm>

namespace dailies::config {

LrFactor parseLrFactor(const std::string& line) {
    const auto equals = line.rfind('=');
    const auto part = line.substr(0, equals);
    const auto factor = equals == std::string::npos ? std::nullopt : parseNumber(line.substr(equals + 1));
    if (part.empty() || !factor || *factor <= 0)
        throw InputError("optimizer.lr_factors: found " + line +
                         ", expected a part of names of weights and a factor above 0, such as lora_B=16.");
    return {part, *factor};
}

double lrFactorOf(const std::vector<LrFactor>& factors, const std::string& name) {
    const auto found = std::find_if(factors.rbegin(), factors.rend(),
                                    [&](const LrFactor& each) { return each.matches(name); });
    return found == factors.rend() ? 1 : found->factor;
}

}  // namespace dailies::config
