#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/curation/shard_job.h"
#include "trainer/cli/dataset_task.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/data/shard_clips.h"

#include <algorithm>
#include <iostream>
#include <thread>

namespace dailies::trainer {

namespace {

ShardOptions parseShard(const Args& args) {
    ShardOptions options;
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto& word = args[i];
        if (!word.starts_with("--") && options.clips.empty()) {
            options.clips = word;
            continue;
        }
        if (word != "--out" && word != "--size-mib" && word != "--threads")
            throw InputError("shard: unknown option \"" + word + "\".",
                             "Give DIR --out SHARDS, and perhaps --size-mib N and --threads N.");
        if (++i == args.size()) throw InputError("shard: " + word + " needs a value.");
        if (word == "--out") {
            options.out = args[i];
            continue;
        }
        const bool size = word == "--size-mib";
        const std::int64_t most = size ? 1 << 20 : 1024;
        const auto number = parseInteger(args[i]);
        if (!number || *number < 1 || *number > most)
            throw InputError("shard: " + word + ": found \"" + args[i] + "\", expected 1 to " +
                             std::to_string(most) + ".");
        if (size)
            options.bytes = static_cast<std::uint64_t>(*number) << 20;
        else
            options.threads = static_cast<unsigned>(*number);
    }
    if (options.clips.empty())
        throw InputError("shard: no folder is named.", "Name the one that dailies-train curate wrote.");
    if (options.out.empty()) throw InputError("shard: --out is missing.", "Name the folder for the shards.");
    return options;
}

constexpr const char* kKeptShards = "Shards that are whole are kept.";

/// Packs with lines on standard error, until a stop signal. `task`: null for a person's.
TaskEnd shardUntilStopped(const ShardOptions& options, DatasetTask* task = nullptr) {
    const StopOnSignal stop;
    Pacer pacer;
    const auto onProgress = [&](const ShardProgress& progress) {
        if (task && task->isDue())
            task->count(static_cast<std::int64_t>(progress.written),
                        {{"clips_packed", static_cast<double>(progress.written)}});
        if (!pacer.isDue()) return;
        pacer.restart();
        std::cerr << "shard: " << progress.written << " of " << progress.clips << " clips\n" << std::flush;
    };
    return {shardClips(options, onProgress, stop.token()).text()};
}

}  // namespace

int shard(const Args& args) {
    if (args.size() == 2 && args[0] == "--job") {
        const auto job = curation::parseShardJob(readJobFile("shard", args[1]));
        const ShardOptions options{.clips = job.folder,
                                   .out = job.out,
                                   .bytes = static_cast<std::uint64_t>(job.sizeMib) << 20,
                                   .threads = static_cast<unsigned>(job.threads)};
        return runDatasetTask("shard", args[1], {{"folder", job.folder}, {"out", job.out}}, kKeptShards,
                              [&](DatasetTask& task) { return shardUntilStopped(options, &task); });
    }
    const auto options = parseShard(args);
    return runDatasetVerb("shard", kKeptShards, [&] { return shardUntilStopped(options); });
}

}  // namespace dailies::trainer
