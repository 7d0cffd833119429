#include "core/sweep/strategies/strategy.h"

namespace dailies::sweep {

const std::vector<Strategy>& strategies() {
    static const std::vector<Strategy> all{
        {"grid", "Grid: every combination", false, false, drawGrid},
        {"random", "Random: independent draws", true, false, drawRandom},
        {"sobol", "Sobol: draws spread evenly", true, false, drawSobol},
        {"bayes", "Bayes: draws that follow the results (TPE)", true, true, drawBayes},
    };
    return all;
}

const Strategy* findStrategy(std::string_view method) {
    for (const auto& strategy : strategies())
        if (strategy.method == method) return &strategy;
    return nullptr;
}

std::vector<std::string> strategyMethods() {
    std::vector<std::string> methods;
    for (const auto& strategy : strategies()) methods.emplace_back(strategy.method);
    return methods;
}

}  // namespace dailies::sweep
