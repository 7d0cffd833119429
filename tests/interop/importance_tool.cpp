// Parameter importance for the peers' scripts: `importance_tool FILE.csv` reads runs, a line each, the last
// column their metric, and prints the report and the seconds that it took as one JSON document.
#include "core/analysis/importance.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <chrono>
#include <iostream>

namespace {

using namespace dailies;
using namespace dailies::analysis;

Json report(const std::filesystem::path& file) {
    auto lines = split(readFile(file), '\n');
    const auto header = split(lines.at(0), ',');
    Runs runs;
    for (std::size_t i = 1; i < lines.size() && !lines[i].empty(); ++i) {
        const auto cells = split(lines[i], ',');
        auto run = std::make_shared<tracking::Run>();
        for (std::size_t c = 0; c + 1 < header.size(); ++c) {
            run->params[header[c]] = cells.at(c);
        }
        run->metrics[header.back()] = {1, 1, std::stod(cells.back())};
        runs.push_back(std::move(run));
    }

    const auto start = std::chrono::steady_clock::now();
    std::vector<Column> params;
    for (const auto& field : fieldsOf(runs).params) {
        params.push_back(columnOf(runs, field));
    }
    const auto result = importanceOf(params, columnOf(runs, {Field::Source::Metric, header.back()}));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    Json shares = Json::object();
    for (const auto& param : result.params) {
        shares[param.field.key] = {{"share", param.share},
                                   {"error", param.error},
                                   {"rho", numberToJson(param.direction.rho)},
                                   {"highest_with", param.highestWith}};
    }
    return {{"explained", result.explained},
            {"runs", result.runs},
            {"logarithmic", result.logarithmicTarget},
            {"params", shares},
            {"seconds", seconds}};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: importance_tool FILE.csv\n";
        return 2;
    }
    try {
        std::cout << report(argv[1]).dump() << "\n";
    } catch (const Error& error) {
        std::cerr << error.full() << "\n";
        return 1;
    }
}
