#include "trainer/data/dataset_report.h"

#include "core/base/counts.h"

#include <cstdio>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kStepsTried = 200;

std::string decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 100 ? "%.1f" : "%.0f", value);
    return text;
}

/// Packs the first steps to see how full they become.
double paddingOf(const config::TrainConfig& config, const std::vector<std::int64_t>& sizes,
                 const BucketTokens& tokens, std::int64_t ranks) {
    const auto order = makeBatchOrder(config, sizes, tokens, ranks);
    double filled = 0;
    for (std::int64_t step = 1; step <= kStepsTried; ++step)
        for (auto index : order->batch(step)) {
            std::size_t bucket = 0;
            while (index >= sizes[bucket]) index -= sizes[bucket++];
            filled += static_cast<double>(tokens[bucket]);
        }
    return 1 - filled / static_cast<double>(kStepsTried * config.data.tokens_per_step);
}

}  // namespace

DatasetReport reportOn(const config::TrainConfig& config, const DataSource& source, std::int64_t ranks) {
    DatasetReport report;
    report.source = config.data.source;
    report.facts = source.facts();
    report.clips = source.size();
    const auto sizes = source.bucketSizes();
    const auto tokens = bucketTokens(config);
    const auto buckets = config::bucketsOf(config.data);
    double allTokens = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        report.buckets.push_back({buckets[i].text(), sizes[i], tokens[i]});
        allTokens += static_cast<double>(sizes[i] * tokens[i]);
    }
    if (config.data.packing && report.clips > 0) {
        report.tokensPerStep = config.data.tokens_per_step;
        report.padding = paddingOf(config, sizes, tokens, ranks);
        report.stepsPerEpoch = allTokens / (static_cast<double>(report.tokensPerStep) * (1 - report.padding));
    } else {
        report.clipsPerStep = config.data.batch_size;
        report.stepsPerEpoch = static_cast<double>(report.clips) / static_cast<double>(report.clipsPerStep);
    }
    if (report.stepsPerEpoch > 0) report.epochs = static_cast<double>(config.steps) / report.stepsPerEpoch;
    return report;
}

Json DatasetReport::toJson() const {
    Json lines = Json::array();
    for (const auto& line : buckets)
        lines.push_back(
            {{"bucket", line.bucket}, {"clips", line.clips}, {"tokens_per_clip", line.tokensPerClip}});
    Json dropped = Json::object();
    for (const auto& [reason, count] : facts.dropped) dropped[reason] = count;
    return {{"source", source},
            {"found", facts.found},
            {"used", facts.used},
            {"dropped", std::move(dropped)},
            {"clips_per_epoch", clips},
            {"buckets", std::move(lines)},
            {"clips_per_step", clipsPerStep},
            {"tokens_per_step", tokensPerStep},
            {"steps_per_epoch", stepsPerEpoch},
            {"epochs", epochs},
            {"padding", padding}};
}

std::string DatasetReport::text() const {
    if (clips == 0)
        return "The data: clips of data.source " + source + " are made on the fly, each step fresh ones.";
    std::string text = "The data: " + std::to_string(facts.used) + " of " + std::to_string(facts.found) +
                       " inputs are used, " + pluralize(clips, "clip", "clips") + " an epoch.";
    for (const auto& [reason, count] : facts.dropped)
        text += "\n  dropped: " + std::to_string(count) + ", " + reason;
    for (const auto& line : buckets)
        text += "\n  bucket " + line.bucket + ": " + pluralize(line.clips, "clip", "clips") + " of " +
                pluralize(line.tokensPerClip, "token", "tokens");
    text += "\n  a step: ";
    text += clipsPerStep > 0 ? pluralize(clipsPerStep, "clip", "clips") + " of one bucket"
                             : "up to " + pluralize(tokensPerStep, "token", "tokens") + " of all buckets, " +
                                   decimal(100 * padding) + " % of them empty";
    text += "\n  an epoch: " + decimal(stepsPerEpoch) + " steps; the run: " + decimal(epochs) + " epochs";
    return text;
}

}  // namespace dailies::trainer
