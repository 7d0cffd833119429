// A sweep strategy for the peers' scripts: `sweep_player METHOD SEED SPACE` prints the parameters of one run
// after the other, a JSON object a line, and before each next one reads the result of the last, a number a
// line, until there is none. Smaller results are better. SPACE is a JSON object of ranges, ranges on a
// logarithmic scale, and words to choose from:
//
//   {"x": [0, 1], "width": ["log", 1, 100], "kind": ["a", "b"]}
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/sweep/strategies/strategy.h"

#include <iostream>
#include <string>

namespace {

using namespace dailies;
using Kind = sweep::Parameter::Kind;

sweep::Parameter parameterFrom(const std::string& key, const Json& range) {
    sweep::Parameter parameter;
    parameter.key = key;
    const bool isText = range.at(0).is_string();
    const bool isLog = isText && range.at(0).get<std::string>() == "log";
    if (isText && !isLog) {
        parameter.kind = Kind::Values;
        parameter.values = range.get<std::vector<Json>>();
        return parameter;
    }
    parameter.kind = isLog ? Kind::LogUniform : Kind::Uniform;
    parameter.minimum = range.at(isLog ? 1 : 0).get<double>();
    parameter.maximum = range.at(isLog ? 2 : 1).get<double>();
    return parameter;
}

void play(sweep::Sweep sweep) {
    const auto* strategy = sweep::findStrategy(sweep.method);
    if (!strategy) throw InputError("There is no method " + sweep.method + ".");
    sweep::History history;
    for (std::string line;;) {
        const auto runs = strategy->draw(sweep, history, 1);
        if (runs.empty()) return;
        std::cout << runs.front().dump() << std::endl;
        if (!std::getline(std::cin, line)) return;
        history.push_back({.values = runs.front(),
                           .state = sweep::Trial::State::Finished,
                           .result = std::stod(line),
                           .step = 1});
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: sweep_player METHOD SEED SPACE\n";
        return 2;
    }
    try {
        sweep::Sweep sweep;
        sweep.method = argv[1];
        sweep.metric = "result";
        sweep.seed = std::stoll(argv[2]);
        const Json space = parseJson(argv[3], "SPACE");
        for (const auto& [key, range] : space.items()) sweep.parameters.push_back(parameterFrom(key, range));
        play(std::move(sweep));
    } catch (const Error& error) {
        std::cerr << error.full() << '\n';
        return 1;
    }
}
