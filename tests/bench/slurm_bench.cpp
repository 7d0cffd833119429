// A look at a queue of a thousand jobs: one remote call and the reading of its answer, beside what Slurm
// itself offers programs, `squeue --json` read with the JSON library, in the same run on the same sandbox.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "remote/cluster/cluster.h"
#include "remote/sandbox/sandbox.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace dailies;
using Clock = std::chrono::steady_clock;

constexpr int kJobs = 1000;
constexpr int kRounds = 7;

class NoQuestions : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

double medianOf(const std::function<void()>& action) {
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = Clock::now();
        action();
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

struct Measured {
    double call = 0, parse = 0;  ///< ms
    std::size_t bytes = 0, jobs = 0;
};

Measured ours(remote::Cluster& cluster) {
    Measured measured;
    std::string answer;
    measured.call = medianOf([&] { answer = cluster.scheduler().snapshot(cluster.workspace(), true); });
    measured.parse = medianOf([&] { measured.jobs = remote::slurm::parseSnapshot(answer).jobs.size(); });
    measured.bytes = answer.size();
    return measured;
}

/// The fields that the queue shows, and no more.
Measured json(remote::Cluster& cluster) {
    Measured measured;
    std::string answer;
    measured.call = medianOf([&] { answer = cluster.session().run("squeue --json\n").out; });
    measured.parse = medianOf([&] {
        std::vector<std::string> names;
        std::int64_t sum = 0;
        const Json document = Json::parse(answer);
        for (const Json& job : document.at("jobs")) {
            names.push_back(job.at("name").get<std::string>() + job.at("job_state").get<std::string>() +
                            job.at("user_name").get<std::string>() + job.at("partition").get<std::string>() +
                            job.at("state_reason").get<std::string>());
            sum += job.at("job_id").get<std::int64_t>() + job.at("submit_time").get<std::int64_t>();
        }
        measured.jobs = sum > 0 ? names.size() : 0;
    });
    measured.bytes = answer.size();
    return measured;
}

void run() {
    const TemporaryFolder folder("slurm-bench");
    remote::sandbox::Options options;
    options.folder = folder.path() / "s";
    const auto profile = *remote::sandbox::up(options).profile;
    NoQuestions prompter;
    {
        remote::Cluster cluster(profile, prompter);
        cluster.session().run("for i in $(seq " + std::to_string(kJobs) +
                              "); do printf '#!/bin/sh\\nsleep 1\\n' | sbatch --hold --mem=10M "
                              "--job-name=shapes-lr-$i --comment=0123456789abcdef >/dev/null; done\n");
        const Measured text = ours(cluster), rival = json(cluster);
        std::printf("%zu and %zu jobs\n", text.jobs, rival.jobs);
        std::printf("%-28s %10s %14s %8s\n", "", "Dailies", "squeue --json", "ratio");
        const auto line = [](const char* what, double a, double b, const char* unit) {
            std::printf("%-28s %7.1f %s %11.1f %s %7.1f x\n", what, a, unit, b, unit, b / a);
        };
        line("one remote call", text.call, rival.call, "ms");
        line("reading its answer", text.parse, rival.parse, "ms");
        line("bytes", static_cast<double>(text.bytes) / 1024, static_cast<double>(rival.bytes) / 1024, "KiB");
    }
    remote::sandbox::down(options.folder);
}

}  // namespace

int main() {
    try {
        run();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
