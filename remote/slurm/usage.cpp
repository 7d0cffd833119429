#include "remote/slurm/usage.h"

#include "core/base/text.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace dailies::remote::slurm {

namespace {

/// On each node of the job. Its processes are known by SLURM_JOB_ID in their environment, which works with
/// and without cgroups; those of this step itself are left out. CPU time is the growth of utime and stime
/// over a second by the node's own clock. A process whose name holds spaces or parentheses is read from
/// behind the last parenthesis.
constexpr std::string_view kMeasure = R"sh(
me=$SLURM_STEP_ID; job=$SLURM_JOB_ID
ours() {
    for folder in /proc/[0-9]*; do
        [ -O "$folder" ] || continue
        tr '\0' '\n' <"$folder/environ" 2>/dev/null | awk -v job="$job" -v me="$me" '
            $0 == "SLURM_JOB_ID=" job { mine = 1 }
            $0 == "SLURM_STEP_ID=" me { step = 1 }
            END { exit !(mine && !step) }' && echo "${folder#/proc/}"
    done
}
ticks() {
    for pid in $pids; do
        sed 's/^.*) //' "/proc/$pid/stat" 2>/dev/null | awk -v pid="$pid" '{ print pid, $12 + $13, $22 }'
    done
}
pids=$(ours)
from=$(date +%s.%N); before=$(ticks)
sleep 1
to=$(date +%s.%N); after=$(ticks)
printf 'node %s %s %s %s %s %s\n' "${SLURMD_NODENAME:-$(hostname)}" "$from" "$to" \
    "$(getconf CLK_TCK)" "$(getconf PAGESIZE)" "${SLURM_CPUS_ON_NODE:-0}"
printf '%s\n' "$before" | sed 's/^/before /'
printf '%s\n' "$after" | sed 's/^/after /'
nvidia-smi --query-gpu=index,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu \
    --format=csv,noheader,nounits 2>/dev/null | sed 's/^/gpu /'
echo end
)sh";

struct Ticks {
    double first = 0, last = 0;
    bool atFirst = false, atLast = false;
};

double real(std::string_view text) {
    return std::strtod(std::string(trim(text)).c_str(), nullptr);
}

/// The lines of one node, which srun marks with the task's number, as they are gathered.
struct Measured {
    NodeUsage node;
    double seconds = 0, ticksASecond = 100, pageBytes = 4096;
    std::map<std::string, Ticks> processes;
    double residentPages = 0;
};

void take(Measured& measured, const std::string& line) {
    const auto fields = split(line, ' ');
    if (fields.size() >= 7 && fields[0] == "node") {
        measured.node.node = fields[1];
        measured.seconds = real(fields[3]) - real(fields[2]);
        measured.ticksASecond = std::max(1.0, real(fields[4]));
        measured.pageBytes = real(fields[5]);
        measured.node.cpusGiven = static_cast<int>(parseInteger(fields[6]));
    } else if (fields.size() >= 4 && (fields[0] == "before" || fields[0] == "after")) {
        Ticks& ticks = measured.processes[fields[1]];
        const bool first = fields[0] == "before";
        (first ? ticks.first : ticks.last) = real(fields[2]);
        (first ? ticks.atFirst : ticks.atLast) = true;
        if (!first) measured.residentPages += real(fields[3]);
    } else if (line.starts_with("gpu ")) {
        const auto columns = split(std::string_view(line).substr(4), ',');
        if (columns.size() < 7) return;
        GpuUsage gpu;
        gpu.index = static_cast<int>(parseInteger(trim(columns[0])));
        gpu.name = trim(columns[1]);
        gpu.busy = real(columns[2]) / 100;
        gpu.memoryUsed = parseInteger(trim(columns[3]));
        gpu.memoryTotal = parseInteger(trim(columns[4]));
        gpu.watts = real(columns[5]);
        gpu.celsius = real(columns[6]);
        measured.node.gpus.push_back(std::move(gpu));
    }
}

NodeUsage finished(Measured& measured) {
    double ticks = 0;
    for (const auto& [pid, process] : measured.processes) {
        if (!process.atLast) continue;
        ++measured.node.processes;
        if (process.atFirst) ticks += std::max(0.0, process.last - process.first);
    }
    if (measured.seconds > 0) measured.node.cpus = ticks / measured.ticksASecond / measured.seconds;
    measured.node.memory = static_cast<std::int64_t>(measured.residentPages * measured.pageBytes / (1 << 20));
    return std::move(measured.node);
}

}  // namespace

std::string usageScript(const std::string& job) {
    // srun wants the job's own number, which a task of an array has beside its place there. The job's memory
    // is all given away: without --mem=0 the step would wait for some of its own.
    return "set -- $(squeue -h -t RUNNING -j " + shellQuote(job) +
           " -o '%A %D' 2>/dev/null)\n"
           "[ $# -ge 2 ] || { echo \"job " +
           job +
           " does not run now\" >&2; exit 1; }\n"
           "srun --overlap --jobid=\"$1\" --nodes=\"$2\" --ntasks-per-node=1 --mem=0 --immediate=20 --time=1 "
           "--label --input=none --quiet sh -c " +
           shellQuote(kMeasure) + "\n";
}

std::vector<NodeUsage> parseUsage(std::string_view out) {
    std::map<std::int64_t, Measured> tasks;
    std::vector<NodeUsage> nodes;
    for (const std::string& line : split(out, '\n')) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos) continue;
        const auto task = trim(std::string_view(line).substr(0, colon));
        if (!isDigits(task)) continue;
        Measured& measured = tasks[parseInteger(task)];
        const std::string said = line.substr(colon + 2);
        if (said != "end")
            take(measured, said);
        else if (!measured.node.node.empty())
            nodes.push_back(finished(measured));
    }
    std::ranges::sort(nodes, {}, &NodeUsage::node);
    return nodes;
}

}  // namespace dailies::remote::slurm
