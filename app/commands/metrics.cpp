#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/stopping.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string run, key, format;
};

int printHistory(const Words& words, std::stop_token stop) {
    const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
    tracking::endWhenStopped(store, stop);
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
    printJson(Json{{"run_id", runId}, {"key", words.key}, {"points", std::move(points)}});
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
    command->callback([words, &context] {
        context.action = [words, &context] { return printHistory(*words, context.stop); };
    });
}

}  // namespace dailies::app
