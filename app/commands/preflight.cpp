#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/text.h"
#include "core/preflight/report.h"
#include "remote/service/preflight_service.h"

#include <cstdio>
#include <iostream>

namespace dailies::app {

namespace {

std::string shownRate(double value) {
    char text[64];
    std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.0f", value);
    return text;
}

void print(const preflight::Report& report) {
    std::vector<std::string> header{"node", "verdict"};
    for (const auto& figure : preflight::kNodeMetrics)
        if (!report.values(figure.key).empty())
            header.push_back(std::string(figure.name) + " " + figure.unit);
    Table table(header);
    for (const auto& node : report.nodes) {
        std::vector<std::string> row{node.name, preflight::toText(node.verdict)};
        for (const auto& figure : preflight::kNodeMetrics) {
            if (report.values(figure.key).empty()) continue;
            const auto value = node.figures.find(figure.key);
            row.push_back(value == node.figures.end() ? "-" : shownRate(value->second * figure.scale));
        }
        table.add(row);
    }
    table.print(std::cout);
    if (report.allReduce)
        std::cout << "All-reduce over " << report.ranks << " ranks: " << shownRate(*report.allReduce * 1e-6)
                  << " MB/s on the bus. ";
    std::cout << "It took " << shownRate(report.seconds) << " s.\n"
              << sanitizedText(report.summary()) << '\n';
}

}  // namespace

void addPreflightCommand(CLI::App& app, Context& context) {
    struct Options {
        std::string cluster, format;
        remote::PreflightRequest request;
        int budget = 90;
    };
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand(
        "preflight",
        "Measure a cluster's nodes against each other: matrix products, links, files, clocks, GPUs; exit "
        "status 1 when one is bad");
    command->add_option("cluster", options->cluster, "Cluster; default: the only one");
    command->add_option("--nodes", options->request.nodes, "How many; default: all of the partition")
        ->check(CLI::Range(1, 100'000))
        ->type_name("N");
    command->add_option("--partition", options->request.partition, "Partition; default: the cluster's")
        ->type_name("NAME");
    command->add_option("--gpus-per-node", options->request.gpusPerNode, "Default: all that the nodes have")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
    command->add_option("--cpus-per-rank", options->request.cpusPerRank, "Cores of each process")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    command->add_option("--budget", options->budget, "Seconds that it may take once it runs")
        ->check(CLI::Range(10, 3600))
        ->type_name("SECONDS")
        ->capture_default_str();
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] {
            auto request = options->request;
            request.budget = std::chrono::seconds(options->budget);
            const auto cluster = connect(chooseProfile(options->cluster), context.stop);
            const auto report = remote::measureNodes(*cluster, request, say, context.stop);
            if (options->format == "json")
                printJson(preflight::toJson(report));
            else
                print(report);
            return report.anyBad() ? 1 : 0;
        };
    });
}

}  // namespace dailies::app
