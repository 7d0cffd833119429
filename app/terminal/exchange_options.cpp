#include "app/terminal/exchange_options.h"

#include "app/terminal/cluster_connection.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <iostream>

namespace dailies::app {

std::vector<tracking::Run> chooseRuns(const tracking::Store& store, const std::string& run,
                                      const std::string& experiment) {
    if (!run.empty() && !experiment.empty())
        throw InputError("Both a run and an experiment were named.", "Name one of them.");
    if (!run.empty()) return {*store.run(resolveRunId(store, run))};
    auto runs = store.runs(experiment);
    if (runs.empty()) {
        std::vector<std::string> names;
        for (const auto& known : store.experiments()) names.push_back(known.name);
        if (experiment.empty())
            throw InputError("The store holds no runs.",
                             "Launch a sweep, or bring runs in with: dailies import");
        throw InputError("There are no runs in an experiment \"" + sanitizedText(experiment) + "\".",
                         names.empty() ? "" : "The store has: " + join(names, ", ") + ".");
    }
    return runs;
}

void printLeftOut(const std::vector<exchange::SkippedItem>& skipped) {
    for (const auto& entry : skipped)
        std::cerr << "  left out: " << (entry.count > 1 ? grouped(entry.count) + " " : "")
                  << sanitizedText(entry.what) << ": " << sanitizedText(entry.why) << '\n';
}

Json toJson(const std::vector<exchange::SkippedItem>& skipped) {
    Json list = Json::array();
    for (const auto& entry : skipped)
        list.push_back(
            {{"what", sanitizedText(entry.what)}, {"why", sanitizedText(entry.why)}, {"count", entry.count}});
    return list;
}

}  // namespace dailies::app
