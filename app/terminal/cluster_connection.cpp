#include "app/terminal/cluster_connection.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/log/log.h"
#include "remote/cluster/run_cluster.h"
#include "remote/launch/source_runs.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

void say(const std::string& line) {
    log::info("program", line);
    for (const auto& part : split(line, '\n')) std::cerr << "  " << sanitizedText(part) << '\n';
}

void sayDecisions(const remote::FollowReport& report) {
    for (const auto& note : report.notes) say(note);
    for (const auto& alert : report.alerts) say(alert.title + ". " + alert.text);
}

remote::ClusterProfiles loadProfiles() {
    return remote::ClusterProfiles(remote::ClusterProfiles::defaultFile());
}

remote::ClusterProfile chooseProfile(const std::string& name) {
    const auto profiles = loadProfiles();
    if (!name.empty()) return profiles.get(name);
    if (profiles.all().size() == 1) return profiles.all().front();
    if (profiles.all().empty())
        throw InputError(
            "No cluster is configured yet.",
            "Add yours with `dailies clusters add`, or start the local one with `dailies sandbox up`.");
    std::vector<std::string> names;
    for (const auto& profile : profiles.all()) names.push_back(profile.name);
    throw InputError("Several clusters are known.", "Name one of them: " + join(names, ", ") + ".");
}

std::unique_ptr<remote::Cluster> connect(const remote::ClusterProfile& profile, std::stop_token stop) {
    TerminalPrompter prompter(stop);
    return std::make_unique<remote::Cluster>(profile, prompter, say, stop);
}

std::unique_ptr<remote::Cluster> connectToClusterOf(const tracking::Store& store, const std::string& runId,
                                                    std::stop_token stop) {
    return connect(chooseProfile(remote::clusterOf(remote::requireRun(store, runId))), stop);
}

std::string resolveRunId(const tracking::Store& store, const std::string& idOrName) {
    const auto found = store.findRuns(idOrName);
    if (found.size() == 1) return found.front();
    if (found.empty())
        throw InputError(
            "No run is called \"" + sanitizedText(idOrName) + "\" or has an id that starts with it.",
            "`dailies runs` lists the runs.");
    throw InputError(
        "\"" + sanitizedText(idOrName) + "\" matches " + std::to_string(found.size()) + " runs.",
        "Give a longer id prefix: " + found[0] + ", " + found[1] + (found.size() > 2 ? ", …" : "."));
}

void follow(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
            tracking::Store& store, remote::FollowTask task, std::stop_token stop) {
    task.connect = [&] { return connect(profile, stop); };
    task.cluster = std::move(cluster);
    task.progress = say;
    try {
        remote::followUntilDone(std::move(task), profile, store, stop);
    } catch (const Cancelled&) {
        say("Jobs keep running. `dailies follow` resumes tracking them, `dailies cancel` stops them.");
        throw;
    }
}

void followToEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
                 tracking::Store& store, const std::vector<std::string>& runIds, std::stop_token stop,
                 const std::function<void()>& seen) {
    remote::FollowTask task{.watchIfFollowed = true};
    task.done = [&](const remote::FollowReport& report) {
        if (seen) seen();
        return isComplete(report) && std::ranges::none_of(store.runs(runIds), [](const auto& run) {
                   return tracking::isActive(run.status);
               });
    };
    follow(profile, std::move(cluster), store, std::move(task), stop);
}

bool sayUnfinished(const tracking::Store& store, const std::vector<std::string>& runIds) {
    bool finished = true;
    for (const auto& run : store.runs(runIds)) {
        if (run.status == tracking::RunStatus::Finished) continue;
        finished = false;
        const auto reason = run.tags.find(tracking::tag::kReason);
        say(run.name + ": " + (reason == run.tags.end() ? std::string(toText(run.status)) : reason->second));
    }
    return finished;
}

}  // namespace dailies::app
