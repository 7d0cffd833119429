#include "core/sweep/strategies/strategy.h"

namespace dailies::sweep {

namespace {

constexpr Strategy kStrategies[] = {
    {"grid", drawGrid},
    {"random", drawRandom},
};

}  // namespace

const Strategy* findStrategy(std::string_view method) {
    for (const auto& strategy : kStrategies)
        if (strategy.method == method) return &strategy;
    return nullptr;
}

std::vector<std::string> strategyMethods() {
    std::vector<std::string> methods;
    for (const auto& strategy : kStrategies) methods.emplace_back(strategy.method);
    return methods;
}

}  // namespace dailies::sweep
