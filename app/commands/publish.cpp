#include "core/exchange/publish.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/exchange_options.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/tracking/store_interrupt.h"

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

namespace dailies::app {

namespace {

struct PublishOptions {
    std::filesystem::path store;
    std::string run, experiment, server, format;
    bool noFiles = false;
};

Json publishedJson(const exchange::PublishedRun& run) {
    return {{"run_id", run.runId},
            {"server_run_id", run.remoteRunId},
            {"server_experiment_id", run.remoteExperimentId},
            {"created", run.isNew}};
}

/// Says which server is asked, and every few seconds that it has not answered yet.
class SilenceReporter {
public:
    explicit SilenceReporter(std::string server) : m_server(std::move(server)) {}

    bool hasBegun() const { return m_thread.joinable(); }
    void begin() {
        say("Contacting " + m_server);
        m_thread = std::jthread([server = m_server](const std::stop_token& stop) {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            for (int seconds = kSayEverySeconds;; seconds += kSayEverySeconds) {
                never.wait_for(lock, stop, std::chrono::seconds(kSayEverySeconds), [] { return false; });
                if (stop.stop_requested()) return;
                say("No answer from " + server + " for " + std::to_string(seconds) +
                    " s yet; Ctrl-C gives up");
            }
        });
    }
    void end() { m_thread.request_stop(); }

private:
    static constexpr int kSayEverySeconds = 5;
    std::string m_server;
    std::jthread m_thread;
};

int publishRuns(const PublishOptions& options, std::stop_token stop) {
    if (options.run.empty() && options.experiment.empty())
        throw InputError("Nothing to publish was named.", "Name a run, or an experiment with --experiment.");
    const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
    tracking::interruptOnStop(store, stop);
    const auto runs = chooseRuns(store, options.run, options.experiment);
    exchange::PublishSummary summary;
    {
        SilenceReporter silence(options.server);
        ProgressLine line;
        summary = exchange::publish(
            store, runs, options.server, {.files = !options.noFiles},
            [&](const exchange::Progress& at) {
                if (!silence.hasBegun()) return silence.begin();
                silence.end();
                line.show(grouped(at.runs) + " of " + pluralize(at.totalRuns, "run", "runs") + ", " +
                          pluralize(at.points, "point", "points") + " sent; now " + at.currentItem);
            },
            stop);
    }
    printLeftOut(summary.skipped);
    if (options.format == "json") {
        Json published = Json::array();
        for (const auto& run : summary.runs) published.push_back(publishedJson(run));
        printJson(Json{{"runs", std::move(published)},
                       {"points_sent", summary.points},
                       {"points_there", summary.pointsAlreadyPresent},
                       {"params_sent", summary.params},
                       {"tags_sent", summary.tags},
                       {"files_sent", summary.files},
                       {"left_out", app::toJson(summary.skipped)}});
        return 0;
    }
    std::cout << pluralize(static_cast<long long>(summary.runs.size()), "run", "runs") << " on "
              << options.server << ": " << pluralize(summary.points, "point", "points") << " and "
              << pluralize(summary.files, "file", "files") << " sent, "
              << pluralize(summary.pointsAlreadyPresent, "point", "points") << " there already\n";
    return 0;
}

}  // namespace

void addPublishCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<PublishOptions>();
    auto* command = app.add_subcommand("publish", "Send runs to an MLflow tracking server");
    command->add_option("run", options->run, "Run id, id prefix, or name");
    command->add_option("--experiment", options->experiment, "Every run of this one")->type_name("NAME");
    command->add_option("--to", options->server, "The server, as in https://mlflow.example.org:5000")
        ->required()
        ->type_name("URL");
    command->add_flag("--no-files", options->noFiles, "Leave the mirrored files (clips) out");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"text", "json"});
    command->footer(
        "Publishing again sends only what is new, also after an interruption: the server's run carries the "
        "tag\n"
        "dailies.run_id. Credentials are taken from MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and\n"
        "MLFLOW_TRACKING_PASSWORD, and written nowhere.");
    command->callback([options, &context] {
        context.action = [options, &context] { return publishRuns(*options, context.stop); };
    });
}

}  // namespace dailies::app
