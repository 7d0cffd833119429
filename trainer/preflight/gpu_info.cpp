#include "trainer/preflight/gpu_info.h"

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"

#include <cstdlib>
#include <fstream>
#include <regex>

namespace dailies::trainer {

namespace {

constexpr double kDaySeconds = 24 * 3600;
constexpr std::chrono::seconds kPatience{10};  // a driver in trouble answers late or never

ProcessResult ask(const std::vector<std::string>& command) {
    ProcessOptions options;
    options.timeout = kPatience;
    options.environment["LC_ALL"] = "C";
    return runProcess(command, options);
}

double uptimeSeconds() {
    double seconds = 0;
    std::ifstream("/proc/uptime") >> seconds;
    return seconds;
}

}  // namespace

std::vector<preflight::Gpu> parseGpus(std::string_view csv) {
    std::vector<preflight::Gpu> gpus;
    for (const auto& line : split(csv, '\n')) {
        const auto fields = split(line, ',');
        if (fields.size() != 5) continue;
        const auto number = [&](std::size_t i) { return std::atof(std::string(trim(fields[i])).c_str()); };
        gpus.push_back({std::string(trim(fields[0])), number(1), number(2), number(3),
                        static_cast<std::int64_t>(number(4))});
    }
    return gpus;
}

std::vector<int> parseXids(std::string_view log, double uptime) {
    static const std::regex pattern(R"(^\[ *(\d+\.\d+)\].*NVRM: Xid \([^)]*\): (\d+))");
    std::vector<int> xids;
    for (const auto& line : split(log, '\n')) {
        std::smatch match;
        if (!std::regex_search(line, match, pattern)) continue;
        if (std::atof(match[1].str().c_str()) >= uptime - kDaySeconds)
            xids.push_back(std::atoi(match[2].str().c_str()));
    }
    return xids;
}

GpuInfo gpuInfo() {
    GpuInfo facts;
    if (!findProgram("nvidia-smi")) {
        facts.note = "There is no nvidia-smi: nothing is known of GPUs.";
        return facts;
    }
    try {
        const auto told = ask({"nvidia-smi",
                               "--query-gpu=name,temperature.gpu,clocks.sm,clocks.max.sm,"
                               "ecc.errors.uncorrected.volatile.total",
                               "--format=csv,noheader,nounits"});
        facts.gpus = parseGpus(told.out);
        if (!told.ok() || facts.gpus.empty())
            facts.note = "nvidia-smi told nothing of GPUs: " + sanitizedText(trim(told.out + told.err)) + ".";
        const auto log = ask({"dmesg"});
        if (log.ok())
            facts.xids = parseXids(log.out, uptimeSeconds());
        else
            facts.note = "The kernel's log may not be read here: nothing is known of Xid errors.";
    } catch (const Error& error) {
        facts.note = error.what();
    }
    return facts;
}

}  // namespace dailies::trainer
