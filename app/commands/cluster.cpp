#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/slurm/snapshot.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

// What the Cluster page shows: the queue, the nodes, and what jobs use.

namespace dailies::app {

namespace {

namespace slurm = remote::slurm;

struct ClusterOptions {
    std::string name, format;
    bool all = false;
};

std::string lasting(std::int64_t seconds) {
    const std::string text = durationText(seconds * 1000);
    return text.empty() ? "-" : text;
}

std::string gibibytes(std::int64_t mebibytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(mebibytes) / 1024);
    return text;
}

std::string share(std::int64_t used, std::int64_t of) {
    return std::to_string(used) + "/" + std::to_string(of);
}

/// "7 wait, 2 run" of an array; a single job's own state.
std::string stateOf(const slurm::FoldedJob& folded, const slurm::QueuedJob& first) {
    if (folded.waiting + folded.running + folded.others == 1) return first.status.state;
    std::vector<std::string> parts;
    if (folded.waiting > 0) parts.push_back(std::to_string(folded.waiting) + " wait");
    if (folded.running > 0) parts.push_back(std::to_string(folded.running) + " run");
    if (folded.others > 0) parts.push_back(std::to_string(folded.others) + " end");
    return join(parts, ", ");
}

slurm::Snapshot look(const ClusterOptions& options, bool withNodes, std::stop_token stop) {
    const auto cluster = connect(chooseProfile(options.name), stop);
    return slurm::parseSnapshot(cluster->scheduler().snapshot(cluster->workspace(), withNodes, stop));
}

Json jobJson(const slurm::QueuedJob& job) {
    return {{"job", job.status.job},
            {"user", job.user},
            {"name", job.name},
            {"state", job.status.state},
            {"reason", job.status.reason},
            {"explanation", slurm::explain(job.status)},
            {"partition", job.partition},
            {"account", job.account},
            {"qos", job.qos},
            {"tasks", job.tasks},
            {"nodes", job.nodes},
            {"cpus", job.cpus},
            {"gpus", job.gpus},
            {"memory_mib", job.memory},
            {"node_list", job.status.node},
            {"priority", job.priority},
            {"restarts", job.status.restarts},
            {"submit_time", job.status.submitTime},
            {"start_time", job.status.startTime},
            {"expected_start", job.expectedStart},
            {"time_limit_s", job.timeLimit}};
}

int queue(const ClusterOptions& options, std::stop_token stop) {
    auto snapshot = look(options, false, stop);
    if (!options.all)
        std::erase_if(snapshot.jobs, [&](const auto& job) { return job.user != snapshot.user; });
    if (options.format == "json") {
        Json all = Json::array();
        for (const auto& job : snapshot.jobs) all.push_back(jobJson(job));
        printJson(all);
        return 0;
    }
    if (snapshot.jobs.empty()) {
        std::cout << (options.all ? "The queue is empty.\n" : "None of your jobs waits or runs.\n");
        return 0;
    }
    Table table({"job", "user", "name", "partition", "state", "gpus", "cpus", "time", "limit", "why"});
    for (const auto& folded : slurm::foldArrays(snapshot.jobs)) {
        const auto& job = snapshot.jobs[folded.rows.front()];
        const std::int64_t ran = job.status.startTime > 0 ? snapshot.time - job.status.startTime : 0;
        std::string why = slurm::explain(job.status);
        if (job.expectedStart > snapshot.time)
            why += " Expected to start in " + durationText((job.expectedStart - snapshot.time) * 1000) + ".";
        table.add({folded.id, job.user, job.name, job.partition, stateOf(folded, job),
                   std::to_string(job.gpus), std::to_string(job.cpus), lasting(ran), lasting(job.timeLimit),
                   why});
    }
    table.print(std::cout);
    return 0;
}

int nodes(const ClusterOptions& options, std::stop_token stop) {
    const auto snapshot = look(options, true, stop);
    if (options.format == "json") {
        Json all = Json::array();
        for (const auto& node : snapshot.nodes)
            all.push_back({{"node", node.name},
                           {"condition", slurm::toText(node.condition)},
                           {"state", node.state},
                           {"reason", node.reason},
                           {"reason_by", node.reasonBy},
                           {"reason_time", node.reasonTime},
                           {"cpus", node.cpus},
                           {"cpus_allocated", node.cpusAllocated},
                           {"load", node.load},
                           {"memory_mib", node.memory},
                           {"memory_allocated_mib", node.memoryAllocated},
                           {"memory_free_mib", node.memoryFree},
                           {"gpus", node.gpus},
                           {"gpus_allocated", node.gpusAllocated},
                           {"gres", node.gres},
                           {"features", node.features},
                           {"partitions", node.partitions}});
        printJson(all);
        return 0;
    }
    Table table({"node", "state", "cpus", "gpus", "memory GiB", "load", "partitions", "reason"});
    for (const auto& node : snapshot.nodes) {
        if (!options.all && node.condition == slurm::NodeCondition::PoweredDown) continue;
        char load[16];
        std::snprintf(load, sizeof load, "%.2f", node.load);
        table.add({node.name, std::string(slurm::toText(node.condition)),
                   share(node.cpusAllocated, node.cpus), share(node.gpusAllocated, node.gpus),
                   gibibytes(node.memoryAllocated) + "/" + gibibytes(node.memory), load,
                   join(node.partitions, ","), node.reason});
    }
    table.print(std::cout);
    return 0;
}

int use(const ClusterOptions& options, std::stop_token stop) {
    const auto cluster = connect(chooseProfile(options.name), stop);
    auto& scheduler = cluster->scheduler();
    const auto snapshot = slurm::parseSnapshot(scheduler.snapshot({}, false, stop));
    Json all = Json::array();
    Table table({"job", "node", "cpus", "memory GiB", "gpu", "busy", "gpu memory GiB", "watts", "°C"});
    for (const auto& job : snapshot.jobs) {
        if (job.user != snapshot.user || job.status.state != "RUNNING") continue;
        std::vector<slurm::NodeUsage> measured;
        try {
            measured = scheduler.usage(job.status.job, stop);
        } catch (const remote::ssh::SessionError&) {
            throw;
        } catch (const Error& error) {  // it ended meanwhile; the others are still of interest
            say(error.full());
            continue;
        }
        for (const auto& node : measured) {
            char cpus[32];
            std::snprintf(cpus, sizeof cpus, "%.2f/%d", node.cpus, node.cpusGiven);
            Json gpus = Json::array();
            for (const auto& gpu : node.gpus) {
                gpus.push_back({{"index", gpu.index},
                                {"name", gpu.name},
                                {"busy", gpu.busy},
                                {"memory_used_mib", gpu.memoryUsed},
                                {"memory_mib", gpu.memoryTotal},
                                {"watts", gpu.watts},
                                {"celsius", gpu.celsius}});
                table.add({job.status.job, node.node, cpus, gibibytes(node.memory), std::to_string(gpu.index),
                           std::to_string(static_cast<int>(gpu.busy * 100 + 0.5)) + " %",
                           gibibytes(gpu.memoryUsed) + "/" + gibibytes(gpu.memoryTotal),
                           std::to_string(static_cast<int>(gpu.watts + 0.5)),
                           std::to_string(static_cast<int>(gpu.celsius + 0.5))});
            }
            if (node.gpus.empty())
                table.add({job.status.job, node.node, cpus, gibibytes(node.memory), "-", "-", "-", "-", "-"});
            all.push_back({{"job", job.status.job},
                           {"node", node.node},
                           {"cpus", node.cpus},
                           {"cpus_given", node.cpusGiven},
                           {"memory_mib", node.memory},
                           {"processes", node.processes},
                           {"gpus", std::move(gpus)}});
        }
    }
    if (options.format == "json")
        printJson(all);
    else if (all.empty())
        std::cout << "None of your jobs runs.\n";
    else
        table.print(std::cout);
    return 0;
}

void addVerb(CLI::App& cluster, Context& context, const char* verb, const char* what, const char* allText,
             int (*act)(const ClusterOptions&, std::stop_token)) {
    auto options = std::make_shared<ClusterOptions>();
    auto* command = cluster.add_subcommand(verb, what);
    command->add_option("name", options->name, "Cluster; needed where several are known")->type_name("NAME");
    if (allText) command->add_flag("--all", options->all, allText);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, act, &context] {
        context.action = [options, act, &context] { return act(*options, context.stop); };
    });
}

}  // namespace

void addClusterCommand(CLI::App& app, Context& context) {
    auto* cluster = app.add_subcommand("cluster", "Show a cluster's queue, nodes and resource usage");
    cluster->require_subcommand(1);
    addVerb(*cluster, context, "queue", "Your jobs in the queue, arrays in one line, and why they wait",
            "Include other users' jobs", queue);
    addVerb(*cluster, context, "nodes", "Nodes: state, allocated resources, why they are unavailable",
            "Include powered-down nodes", nodes);
    addVerb(*cluster, context, "use",
            "What your running jobs use: CPUs, memory and GPUs, measured for a second in each", nullptr, use);
}

}  // namespace dailies::app
