#include "remote/slurm/job.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace dailies::remote::slurm {

namespace {

struct Explanation {
    std::string_view word;
    std::string_view text;
};

/// Why a job waits, for the reasons that people meet; the rest are shown as Slurm words them.
constexpr std::array kPendingReasons{
    Explanation{"Resources", "Waiting for free nodes."},
    Explanation{"Priority", "Waiting behind jobs of higher priority."},
    Explanation{"JobArrayTaskLimit",
                "Waiting for other runs of the sweep: its limit of parallel runs is reached."},
    Explanation{"BeginTime", "Waiting for its start time (Slurm holds a requeued job back for two minutes)."},
    Explanation{"Dependency", "Waiting for another job to end."},
    Explanation{"DependencyNeverSatisfied",
                "Will never start: the job that it depends on failed. Cancel it."},
    Explanation{"JobHeldUser", "Held by its user. Release it in the queue of the Cluster page."},
    Explanation{"JobHeldAdmin", "Held by an administrator. Ask them why."},
    Explanation{"PartitionDown", "The partition is down. Wait, or launch on another partition."},
    Explanation{
        "PartitionTimeLimit",
        "Will never start: its time limit is above the partition's. Cancel it and ask for less time."},
    Explanation{"PartitionNodeLimit", "Will never start: it asks for more nodes than the partition allows."},
    Explanation{"ReqNodeNotAvail", "A node that it needs is down, drained or reserved."},
    Explanation{"QOSMaxJobsPerUserLimit", "Waiting: the QOS allows no more jobs of yours at once."},
    Explanation{"QOSMaxGRESPerUser", "Waiting: the QOS allows you no more GPUs at once."},
    Explanation{"AssocGrpGRES", "Waiting: the account allows no more GPUs at once."},
    Explanation{"AssocMaxJobsLimit", "Waiting: the account allows no more jobs at once."},
    Explanation{"BadConstraints",
                "Will never start: no node satisfies what it asks for. Cancel it and ask for less."},
    Explanation{"QOSMaxCpuPerUserLimit", "Waiting: the QOS allows you no more CPUs at once."},
    Explanation{"QOSMaxWallDurationPerJobLimit",
                "Will never start: its time limit is above the QOS's. Cancel it and ask for less time."},
    Explanation{"QOSGrpGRES", "Waiting: the QOS allows no more GPUs at once."},
    Explanation{"QOSGrpCpuLimit", "Waiting: the QOS allows no more CPUs at once."},
    Explanation{"QOSNotAllowed",
                "Will never start: the partition does not take this QOS. Cancel it and choose another."},
    Explanation{"QOSUsageThreshold", "Waiting: the QOS's usage is above its threshold."},
    Explanation{"AssocGrpCpuLimit", "Waiting: the account allows no more CPUs at once."},
    Explanation{"AssocGrpGRESMinutes",
                "Waiting: the account's GPU-minutes are used up. Ask for more, or use another account."},
    Explanation{"AssocGrpCPUMinutesLimit",
                "Waiting: the account's CPU-minutes are used up. Ask for more, or use another account."},
    Explanation{"AssocMaxWallDurationPerJobLimit",
                "Will never start: its time limit is above the account's. Cancel it and ask for less time."},
    Explanation{"InvalidAccount",
                "Will never start: the account is not valid any more. Cancel it and choose another."},
    Explanation{"InvalidQOS",
                "Will never start: the QOS is not valid any more. Cancel it and choose another."},
    Explanation{"NodeDown", "A node that it needs is down."},
    Explanation{"Reservation", "Waiting for its reservation to begin."},
    Explanation{"Licenses", "Waiting for a license."},
    Explanation{"Prolog", "Its nodes are being prepared."},
    Explanation{"Cleaning", "Slurm is still cleaning up after its last attempt; then it starts again."},
    Explanation{"JobHoldMaxRequeue",
                "It was requeued too often, so Slurm holds it. Release it in the queue on the Cluster page."},
    Explanation{"launch failed requeued held",
                "Slurm could not launch it and holds it. Release it in the queue of the Cluster page."},
};

/// "launch failed" and the like are prefixes of longer reasons; ", node list" may follow ReqNodeNotAvail.
std::string pendingText(const std::string& reason) {
    for (const auto& [word, text] : kPendingReasons)
        if (reason == word || reason.starts_with(std::string(word) + ",")) return std::string(text);
    return reason.empty() ? "Waiting in the queue." : "Waiting in the queue (" + reason + ").";
}

std::string failedText(const JobStatus& status) {
    const auto colon = status.exitCode.find(':');
    const std::string code = status.exitCode.substr(0, colon);
    std::string signal = colon == std::string::npos ? "0" : status.exitCode.substr(colon + 1);
    // srun and shells turn a signal into an exit code of 128 + its number.
    if (const int number = std::atoi(code.c_str()); signal == "0" && number > 128 && number < 160)
        signal = std::to_string(number - 128);
    // Slurm reports its own inability to open --output as "signal" 53; there is no log in that case.
    if (signal == "53")
        return "It never started: its log path could not be written. Check the workspace on the compute "
               "nodes.";
    if (signal == "9")
        return "It was killed (signal 9), most often because its memory ran out. Ask for more memory.";
    if (signal != "0" && !signal.empty()) return "It was ended by signal " + signal + ".";
    if (code == "127")
        return "A program was not found (exit code 127). Check the cluster's setup lines; the log says "
               "which.";
    if (code.empty()) return "It failed.";
    return "It failed with exit code " + code + ". The log says why.";
}

}  // namespace

bool isFinal(std::string_view state) {
    static constexpr std::array<std::string_view, 11> kFinal{
        "COMPLETED", "FAILED",   "CANCELLED", "TIMEOUT",       "OUT_OF_MEMORY", "NODE_FAIL",
        "BOOT_FAIL", "DEADLINE", "REVOKED",   "LAUNCH_FAILED", "RECONFIG_FAIL"};
    return std::find(kFinal.begin(), kFinal.end(), state) != kFinal.end();
}

std::string explain(const JobStatus& status) {
    const std::string& state = status.state;
    if (state == "PENDING") return pendingText(status.reason);
    if (state == "RUNNING") return status.node.empty() ? "Runs." : "Running on " + status.node + ".";
    if (state == "COMPLETED") return "Its job completed.";
    if (state == "COMPLETING") return "Its job is ending.";
    if (state == "CONFIGURING") return "Its nodes are being prepared.";
    if (state == "SUSPENDED" || state == "STOPPED")
        return "Slurm suspended it; it goes on when its nodes are free again.";
    if (state == "SIGNALING") return "Slurm sends it a signal.";
    if (state == "RESIZING") return "Slurm is resizing it.";
    if (state == "STAGE_OUT") return "Its files are being copied from the burst buffer.";
    if (state == "POWER_UP_NODE" || state == "POWERING_UP") return "Its nodes are being switched on.";
    if (state == "PREEMPTED") return "It was preempted; Slurm puts it back into the queue.";
    if (state == "REQUEUED" || state == "REQUEUE_FED") return "Slurm puts it back into the queue.";
    if (state == "RESV_DEL_HOLD")
        return "Its reservation was deleted, so Slurm holds it. Release it in the queue of the Cluster page, "
               "or cancel "
               "it.";
    if (state == "REQUEUE_HOLD" || state == "SPECIAL_EXIT")
        return "Slurm requeued it and holds it. Release it in the queue on the Cluster page.";
    if (state == "CANCELLED" && status.reason.starts_with("Dependency"))
        return "It never started: a job it depends on failed, so Slurm cancelled it.";
    if (state == "CANCELLED") return "It was cancelled.";
    if (state == "TIMEOUT") return "It ran longer than its time limit. Ask for a longer time limit.";
    if (state == "DEADLINE")
        return "It could not end before its deadline. Launch it again with a later deadline or less to do.";
    if (state == "LAUNCH_FAILED") return "Slurm could not start it on its nodes. Launch it again.";
    if (state == "RECONFIG_FAIL") return "Its node could not be set up for it. Launch it again.";
    if (state == "OUT_OF_MEMORY")
        return "Its memory ran out. Ask for more memory, or make the batch or the model smaller.";
    if (state == "NODE_FAIL")
        return "Its node failed" + (status.node.empty() ? std::string() : " (" + status.node + ")") +
               ". Launch it again.";
    if (state == "BOOT_FAIL") return "Its node could not boot. Launch it again.";
    if (state == "REVOKED")
        return "Another cluster of the federation took it over; Dailies cannot follow it there.";
    if (state == "FAILED") return failedText(status);
    return "Slurm says " + state + (status.reason.empty() ? "." : " (" + status.reason + ").");
}

}  // namespace dailies::remote::slurm
