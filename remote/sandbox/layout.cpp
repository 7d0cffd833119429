#include "remote/sandbox/layout.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

namespace dailies::remote::sandbox {

namespace fs = std::filesystem;

std::optional<State> readState(const Layout& layout) {
    const auto file = layout.stateFile();
    if (!fs::exists(file)) return std::nullopt;
    const auto json = parseJson(readFile(file), file.string());
    try {
        State state;
        state.mark = json.at("mark");
        state.user = json.at("user");
        state.runFolder = json.at("run_folder").get<std::string>();
        state.nodes = json.at("nodes");
        state.cpusPerNode = json.at("cpus_per_node");
        state.gpusPerNode = json.at("gpus_per_node");
        state.memoryPerNode = json.at("memory_per_node");
        state.sshPort = json.at("ssh_port");
        state.controllerPort = json.at("controller_port");
        state.nodePorts = json.at("node_ports").get<std::vector<int>>();
        state.accounting = json.value("accounting", false);  // sandboxes of before have none
        state.accountingPort = json.value("accounting_port", 0);
        state.databasePort = json.value("database_port", 0);
        state.databasePassword = json.value("database_password", "");
        for (const auto& daemon : json.at("daemons"))
            state.daemons.push_back({daemon.at("name"), {daemon.at("pid"), daemon.at("start_time")}});
        return state;
    } catch (const Json::exception& e) {
        throw InputError(file.string() + " is damaged: " + e.what() + ".",
                         "End the daemons by hand and remove the folder, or choose another folder.");
    }
}

void writeState(const Layout& layout, const State& state) {
    Json json;
    json["mark"] = state.mark;
    json["user"] = state.user;
    json["run_folder"] = state.runFolder.string();
    json["nodes"] = state.nodes;
    json["cpus_per_node"] = state.cpusPerNode;
    json["gpus_per_node"] = state.gpusPerNode;
    json["memory_per_node"] = state.memoryPerNode;
    json["ssh_port"] = state.sshPort;
    json["controller_port"] = state.controllerPort;
    json["node_ports"] = state.nodePorts;
    json["accounting"] = state.accounting;
    json["accounting_port"] = state.accountingPort;
    json["database_port"] = state.databasePort;
    json["database_password"] = state.databasePassword;
    json["daemons"] = Json::array();
    for (const auto& [name, process] : state.daemons)
        json["daemons"].push_back({{"name", name}, {"pid", process.pid}, {"start_time", process.startTime}});
    writeFileAtomically(layout.stateFile(), json.dump(2) + "\n",
                        fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace dailies::remote::sandbox
