#include "app/terminal/dataset_job.h"

#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "core/base/counts.h"
#include "core/base/text.h"

#include <iostream>
#include <vector>

namespace dailies::app {

namespace {

std::string tasksText(const remote::DatasetPlan& plan) {
    return pluralize(static_cast<long long>(plan.runs.size()), "task", "tasks");
}

}  // namespace

void printDatasetPlan(const remote::DatasetPlan& plan, const Json& job, const std::string& does,
                      const std::string& format) {
    if (format == "json") {
        printJson(
            Json{{"name", plan.name}, {"tasks", plan.runs.size()}, {"job", job}, {"script", plan.script}});
        return;
    }
    std::cout << oneLine(plan.name) << ' ' << oneLine(does) << " by " << tasksText(plan)
              << ".\n\nThe sbatch script:\n\n"
              << plan.script;
}

void saySubmitted(const remote::SubmittedDatasetJob& submitted, const std::string& does) {
    std::cerr << "Job " << submitted.job << ", " << sanitizedText(submitted.plan.name) << ", "
              << sanitizedText(does) << " by " << tasksText(submitted.plan) << ".\n";
}

int waitForDatasetJob(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
                      tracking::Store& store, const remote::DatasetPlan& plan, const std::string& folder,
                      const std::string& format, std::stop_token stop) {
    std::vector<std::string> ids;
    for (const auto& run : plan.runs) ids.push_back(run.id);
    followToEnd(profile, std::move(cluster), store, ids, stop);
    const bool finished = sayUnfinished(store, ids);
    const auto again = connect(profile, stop);
    if (const auto summary = remote::curatedSummary(*again, folder)) {
        if (format == "json")
            printJson(summary->toJson());
        else
            std::cout << summary->text();
    }
    return finished ? 0 : 1;
}

}  // namespace dailies::app
