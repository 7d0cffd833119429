#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/environment_options.h"
#include "app/terminal/findings.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/profile_changes.h"
#include "remote/diagnostics/cluster_check.h"

#include <iostream>

namespace dailies::app {

namespace {

int list(const std::string& format) {
    const auto profiles = loadProfiles();
    if (format == "json") {
        Json all = Json::array();
        for (const auto& profile : profiles.all()) all.push_back(remote::toJson(profile));
        printJson(all);
        return 0;
    }
    Table table({"name", "user", "host", "port", "workspace"});
    for (const auto& p : profiles.all())
        table.add({p.name, p.user.empty() ? "-" : p.user, p.host, p.port ? std::to_string(p.port) : "-",
                   p.workspace});
    table.print(std::cout);
    return 0;
}

int save(remote::ClusterProfile profile, bool replace) {
    auto profiles = loadProfiles();
    const auto known = profiles.find(profile.name);
    if (known) {  // what no option says stays as the window has set it
        profile.knownHostsFile = known->knownHostsFile;
        profile.readUserConfig = known->readUserConfig;
        profile.qos = known->qos;
        profile.pollSeconds = known->pollSeconds;
    }
    remote::throwIfInvalid(profile);
    if (known) {
        const auto changed = remote::changes(*known, profile);
        if (changed.empty()) {
            std::cerr << "Nothing changed: " << profile.name << " is there already, the same.\n";
            return 0;
        }
        const auto told = remote::toText(changed);
        if (!replace)
            throw InputError("There is a cluster '" + profile.name + "' already, at " +
                                 sanitizedText((known->user.empty() ? "" : known->user + "@") + known->host) +
                                 (known->port ? " port " + std::to_string(known->port) : "") +
                                 ". This would change: " + told + ".",
                             "Add --replace to change it, or choose another name.");
        std::cerr << "Changed: " << told << ".\n";
    }
    profiles.put(profile);
    std::cerr << "Saved. `dailies clusters test " << profile.name << "` tries it.\n";
    return 0;
}

int test(const std::string& name, const std::string& format, int queueTimeout, std::stop_token stop) {
    const auto profile = chooseProfile(name);
    TerminalPrompter prompter(stop);
    const bool asJson = format == "json";
    const auto findings =
        remote::checkCluster(profile, prompter, asJson ? remote::FindingCallback() : printFinding, stop,
                             std::chrono::seconds(queueTimeout));
    if (asJson) printJson(toJson(findings));
    return remote::worstVerdict(findings) == remote::Verdict::Bad ? 1 : 0;
}

}  // namespace

void addClustersCommand(CLI::App& app, Context& context) {
    auto* clusters = app.add_subcommand("clusters", "Manage cluster profiles");
    clusters->require_subcommand(1);

    auto format = std::make_shared<std::string>();
    auto* listCommand = clusters->add_subcommand("list", "List cluster profiles");
    addFormatOption(*listCommand, *format, {"table", "json"});
    listCommand->callback([format, &context] { context.action = [format] { return list(*format); }; });

    auto profile = std::make_shared<remote::ClusterProfile>();
    auto* add = clusters->add_subcommand("add", "Add a profile, or replace one with --replace");
    add->add_option("name", profile->name, "What you call it")->required();
    add->add_option("--host", profile->host,
                    "Login node: name, address, or a Host of ~/.ssh/config; default: the name")
        ->type_name("HOST");
    add->add_option("--port", profile->port, "SSH port")->check(CLI::Range(1, 65535))->type_name("PORT");
    add->add_option("--user", profile->user, "Login name")->type_name("USER");
    add->add_option("--identity", profile->identityFile, "Private key")
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
    add->add_option("--workspace", profile->workspace,
                    "Folder on the cluster's shared file system; default ~/dailies")
        ->type_name("FOLDER");
    add->add_option("--partition", profile->partition, "Default partition")->type_name("NAME");
    add->add_option("--account", profile->account, "Default account")->type_name("NAME");
    add->add_option("--setup", profile->setup,
                    "Shell line before building and training (module load …); may repeat")
        ->type_name("LINE");
    add->add_option("--calls-per-minute", profile->callsPerMinute,
                    "Maximum number of Slurm queries per minute; 0: unlimited")
        ->check(CLI::Range(0, 6000))
        ->type_name("N")
        ->capture_default_str();
    auto environment = std::make_shared<EnvironmentOptions>();
    environment->addTo(*add);
    add->add_option("--gpu-price", profile->gpuHourPrice, "What an hour of one GPU costs, for estimates")
        ->check(CLI::NonNegativeNumber)
        ->type_name("PRICE");
    add->add_option("--currency", profile->currency, "Currency of --gpu-price; default USD")
        ->type_name("CODE");
    add->add_option("--torch-dir", profile->torchDir,
                    "Folder of TorchConfig.cmake there; default: python3 is asked")
        ->type_name("FOLDER");
    auto replace = std::make_shared<bool>(false);
    add->add_flag("--replace", *replace, "Change the one of this name: options left out get their defaults");
    add->callback([profile, environment, replace, add, &context] {
        if (add->count("--host") == 0) profile->host = profile->name;
        if (profile->workspace.empty()) profile->workspace = "~/dailies";
        context.action = [profile, environment, replace] {
            profile->environment = environment->environment();
            return save(*profile, *replace);
        };
    });

    struct TestOptions {
        std::string name, format;
        int queueTimeout = 60;
    };
    auto options = std::make_shared<TestOptions>();
    auto* testCommand = clusters->add_subcommand(
        "test", "Check that a cluster is usable, compute node included; exit status 1 when a check fails");
    testCommand->add_option("name", options->name, "Cluster")->required();
    testCommand
        ->add_option("--patience", options->queueTimeout,
                     "Seconds that the job on a compute node may be queued")
        ->check(CLI::Range(1, 86400))
        ->type_name("SECONDS")
        ->capture_default_str();
    addFormatOption(*testCommand, options->format, {"table", "json"});
    testCommand->callback([options, &context] {
        context.action = [options, &context] {
            return test(options->name, options->format, options->queueTimeout, context.stop);
        };
    });

    auto removed = std::make_shared<std::string>();
    auto* remove = clusters->add_subcommand("remove", "Remove a profile; nothing on the cluster is touched");
    remove->add_option("name", *removed, "Cluster")->required();
    remove->callback([removed, &context] {
        context.action = [removed] {
            auto profiles = loadProfiles();
            profiles.get(*removed);  // refuses an unknown name
            profiles.remove(*removed);
            return 0;
        };
    });
}

}  // namespace dailies::app
