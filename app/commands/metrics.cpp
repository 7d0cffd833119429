#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string run, key, format;
};

int printHistory(const Words& words) {
    const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
    const std::string runId = chooseRun(store, words.run);
    const auto keys = store.metricKeys({runId});
    if (std::find(keys.begin(), keys.end(), words.key) == keys.end())
        throw InputError("Run " + runId + " has no metric \"" + inertText(words.key) + "\".",
                         keys.empty() ? "It has logged none yet." : "It has: " + join(keys, ", ") + ".");
    const auto history = store.history(runId, words.key);
    if (words.format == "csv") {
        std::cout << "step,timestamp,value\n";
        for (const auto& point : history)
            std::cout << point.step << ',' << point.timestampMs << ',' << csvNumber(point.value) << '\n';
        return 0;
    }
    Json points = Json::array();
    for (const auto& point : history)
        points.push_back(
            {{"step", point.step}, {"timestamp", point.timestampMs}, {"value", numberToJson(point.value)}});
    std::cout << Json{{"run_id", runId}, {"key", words.key}, {"points", std::move(points)}}.dump(2) << '\n';
    return 0;
}

}  // namespace

void addMetricsCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("metrics", "Print every point of one metric of a run");
    command->add_option("run", words->run, "Run id, its beginning, or its name")->required();
    command->add_option("key", words->key, "Metric, as \"loss\"")->required();
    addStoreOption(*command, words->store);
    addFormatOption(*command, words->format, {"json", "csv"});
    command->callback([words, &context] { context.action = [words] { return printHistory(*words); }; });
}

}  // namespace dailies::app
