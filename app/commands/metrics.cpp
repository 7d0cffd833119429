#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/store_interrupt.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct MetricsOptions {
    std::filesystem::path store;
    std::string run, key, format;
};

int printHistory(const MetricsOptions& options, std::stop_token stop) {
    const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
    tracking::interruptOnStop(store, stop);
    const std::string runId = resolveRunId(store, options.run);
    const auto keys = store.metricKeys({runId});
    if (std::find(keys.begin(), keys.end(), options.key) == keys.end())
        throw InputError("Run " + runId + " has no metric \"" + sanitizedText(options.key) + "\".",
                         keys.empty() ? "It has logged none yet." : "It has: " + join(keys, ", ") + ".");
    const auto history = store.history(runId, options.key);
    if (options.format == "csv") {
        std::cout << "step,timestamp,value\n";
        for (const auto& point : history)
            std::cout << point.step << ',' << point.timestampMs << ',' << csvNumber(point.value) << '\n';
        return 0;
    }
    Json points = Json::array();
    for (const auto& point : history)
        points.push_back(
            {{"step", point.step}, {"timestamp", point.timestampMs}, {"value", numberToJson(point.value)}});
    printJson(Json{{"run_id", runId}, {"key", options.key}, {"points", std::move(points)}});
    return 0;
}

}  // namespace

void addMetricsCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<MetricsOptions>();
    auto* command = app.add_subcommand("metrics", "Print every point of one metric of a run");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_option("key", options->key, "Metric, as \"loss\"")->required();
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"json", "csv"});
    command->callback([options, &context] {
        context.action = [options, &context] { return printHistory(*options, context.stop); };
    });
}

}  // namespace dailies::app
