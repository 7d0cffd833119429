// Reads comparisons as JSON from standard input, {"contestants": n, "comparisons": [[winner, loser], …]}, and
// writes their strengths, for a peer to compare with.
#include "core/base/json.h"
#include "core/judging/bradley_terry.h"

#include <iostream>
#include <iterator>

int main() {
    using namespace dailies;
    const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
    const Json asked = parseJson(input, "standard input");
    std::vector<judging::Comparison> comparisons;
    for (const Json& made : asked.at("comparisons"))
        comparisons.push_back({made.at(0).get<int>(), made.at(1).get<int>(), judging::Winner::First});
    const auto fitted = judging::fitStrengths(asked.at("contestants").get<int>(), comparisons, {1e-9, 1e-9});
    std::cout << Json(fitted.strength).dump() << '\n';
}
