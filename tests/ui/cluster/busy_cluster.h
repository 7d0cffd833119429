#pragma once

#include "remote/cluster/snapshot_cache.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace dailies::ui {

/// What Slurm answers on a cluster of so many nodes and jobs, where people called ada, bob, … work. Every
/// state occurs. `time`: unix seconds.
inline std::string busyClusterAnswer(int nodes, int jobs, std::int64_t time) {
    const std::string seal = "5ea15ea15ea1", group = "\x1d" + seal, text = "\x1e" + seal;
    const auto padded = [](int number) {
        const std::string digits = std::to_string(number);
        return std::string(3 - std::min<std::size_t>(3, digits.size()), '0') + digits;
    };
    std::string out =
        "dailies-snapshot " + seal + "\n" + group + "ada\n" + std::to_string(time) + "\n" + group;
    out +=
        "gpu\x1fgpu*\x1fup\x1f"
        "2-00:00:00\x1f" +
        std::to_string(nodes * 4 / 5) +
        "\x1f"
        "64\x1fgpu:h100:8\x1f"
        "515000\ncpu\x1f"
        "cpu\x1fup\x1finfinite\x1f" +
        std::to_string(nodes / 5) +
        "\x1f"
        "64\x1f(null)\x1f"
        "256000\n";
    out += group;
    for (int i = 0; i < nodes; ++i) {
        const bool gpu = i % 5 != 4;
        const int used = i % 17 == 3 || i % 23 == 7 || i % 41 == 5 ? 0 : i * 7 % 9;
        const std::string state = i % 41 == 5   ? "DOWN+NOT_RESPONDING"
                                  : i % 23 == 7 ? "IDLE+DRAIN"
                                  : i % 17 == 3 ? "IDLE+PLANNED"
                                  : used == 8   ? "ALLOCATED"
                                  : used > 0    ? (i % 29 == 1 ? "MIXED+DRAIN" : "MIXED")
                                                : "IDLE";
        out += "NodeName=" + std::string(gpu ? "gpu" : "cpu") + padded(i) +
               " CPUAlloc=" + std::to_string(used * 8) +
               " CPUEfctv=64 CPUTot=64 CPULoad=" + std::to_string(used * 7) +
               ".25 ActiveFeatures=ib Gres=" + (gpu ? "gpu:h100:8" : "(null)") +
               " RealMemory=515000 AllocMem=" + std::to_string(used * 60000) +
               " FreeMem=200000 State=" + state + " Partitions=" + (gpu ? "gpu" : "cpu") +
               " CfgTRES=cpu=64,mem=515000M" + (gpu ? ",gres/gpu=8" : "") +
               " AllocTRES=" + (gpu ? "gres/gpu=" + std::to_string(used) : "") + " CurrentWatts=0";
        if (i % 41 == 5) out += " Reason=Not responding [slurm@" + std::to_string(time - 7200) + "]";
        if (i % 23 == 7)
            out += " Reason=GPU " + std::to_string(i % 8) + " | XID 79 [admin@" +
                   std::to_string(time - 86000) + "]";
        out += "\n";
    }
    out += group + "Filesystem 1024-blocks Used Available Capacity Mounted on\nnfs:/scratch 107374182400 " +
           "94489280512 12884901888 88% /scratch\n" + group + "/scratch 912680550 1048576000 1073741824\n" +
           group;
    const char* users[] = {"bob", "ada", "eve", "lin", "max", "zoe"};
    const char* reasons[] = {"Priority", "Resources", "QOSMaxGRESPerUser", "JobHeldUser", "Dependency"};
    for (int i = 0; i < jobs; ++i) {
        const bool runs = i % 3 != 0;
        const std::string user = users[(i * 5 + i / 6) % 6];
        const int gpus = i % 4 == 0 ? 8 : 1;
        std::string id = std::to_string(70'000 + i);
        if (i % 10 == 6) id += "_[0-11%4]";
        const bool waits = !runs || i % 10 == 6;
        const auto f = [](const std::string& field) { return field + "\x1f"; };
        out += f(id) + f(waits ? "PENDING" : "RUNNING") + f(user) + f("gpu") + f("vid") + f("normal") +
               f("1") + f(std::to_string(gpus * 8)) +
               f("cpu=" + std::to_string(gpus * 8) + ",mem=" + std::to_string(gpus * 60) +
                 "G,node=1,gres/gpu=" + std::to_string(gpus)) +
               f("gres/gpu:" + std::to_string(gpus)) + f(waits ? "" : "gpu" + padded(i * 13 % nodes)) +
               f(std::to_string(100'000 - i)) + f(std::to_string(time - 40'000 + i * 30)) +
               f(waits ? (i % 9 == 0 ? std::to_string(time + 5400) : "N/A")
                       : std::to_string(time - 20'000 + i * 9)) +
               f("N/A") + f("1-00:00:00") + f("0") + f("0") + f(waits ? reasons[i % 5] : "None") + "(null)" +
               text + (user == "ada" ? "shapes-lr" : "train-" + user) + text + "\n";
    }
    return out + group;
}

/// Puts it beside the store as what was seen last of the cluster "lab".
inline void keepBusyCluster(const std::filesystem::path& store, int nodes, int jobs, std::int64_t time) {
    remote::ClusterView view;
    view.cluster = "lab";
    view.host = "ada@login.example.org";
    view.workspace = "/scratch/ada/dailies";
    view.version = "23.11.10";
    remote::saveSnapshot(store, view, busyClusterAnswer(nodes, jobs, time));
}

}  // namespace dailies::ui
