#include "trainer/data/data_position.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/digest/sha256.h"

#include <algorithm>
#include <numeric>

namespace dailies::trainer {

namespace {

/// Keys that decide which clips a run trains on and in which order, however many of them a step takes.
constexpr const char* kKeysOfClips[] = {
    "seed",         "data.source",          "data.folder",       "data.poses",      "data.shards",
    "data.buckets", "data.frames",          "data.frame_stride", "data.target_fps", "data.max_upscale",
    "data.latents", "data.text_embeddings", "validation.every",  "validation.clips"};

bool isGenerated(const std::vector<std::int64_t>& bucketClips) {
    return std::ranges::all_of(bucketClips, [](std::int64_t clips) { return clips == 0; });
}

DataSegment segmentOf(const config::TrainConfig& config, std::int64_t since, bool generated) {
    if (config.data.packing && !generated)
        return {since, 0, config.data.tokens_per_step, bucketTokens(config)};
    return {since, config.data.batch_size, 0, {}};
}

std::string ruleOf(const DataSegment& segment) {
    return segment.batchSize > 0 ? "data.batch_size " + std::to_string(segment.batchSize)
                                 : "data.tokens_per_step " + std::to_string(segment.tokensPerStep);
}

bool isPacked(const DataSegment& segment) {
    return segment.batchSize == 0;
}

/// By steps of one rule after the other; nullopt where clips are packed, whose number nobody has counted.
std::optional<std::int64_t> clipsTaken(const std::vector<DataSegment>& segments, std::int64_t step) {
    std::int64_t clips = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (isPacked(segments[i])) return std::nullopt;
        const auto end = i + 1 < segments.size() ? segments[i + 1].since : step;
        clips += (end - segments[i].since) * segments[i].batchSize;
    }
    return clips;
}

std::string clipsText(const std::vector<std::int64_t>& bucketClips) {
    if (isGenerated(bucketClips)) return "generated clips";
    const auto clips = std::accumulate(bucketClips.begin(), bucketClips.end(), std::int64_t{0});
    return std::to_string(clips) + (clips == 1 ? " clip" : " clips");
}

/// Which of the keys have other values now.
std::vector<std::string> differencesOf(const config::TrainConfig& wanted, const Json& savedConfig) {
    std::vector<std::string> differences;
    const auto saved = config::flatten(savedConfig), now = config::flatten(config::toJson(wanted));
    for (const auto* key : kKeysOfClips) {
        const auto before = saved.find(key), after = now.find(key);
        if (before == saved.end() || after == now.end() || *before == *after) continue;
        const bool turnsOn = std::string_view(key) != "validation.every" || *before == 0 || *after == 0;
        if (turnsOn)
            differences.push_back(std::string(key) + " " + before->dump() + " before, " + after->dump() +
                                  " now");
    }
    return differences;
}

/// A checkpoint of before positions were kept: its steps are taken to have followed its own configuration.
DataPosition positionOfOldCheckpoint(const DataPosition& now, const config::TrainConfig& config,
                                     const Json& savedConfig) {
    auto old = now;
    const bool generated = isGenerated(now.bucketClips);
    try {
        old.segments = {segmentOf(config::resolve(savedConfig), 0, generated)};
    } catch (const InputError&) {  // of a trainer whose keys were others
        old.segments = {segmentOf(config, 0, generated)};
    }
    if (!generated && !differencesOf(config, savedConfig).empty()) old.data = "others";
    return old;
}

}  // namespace

DataPosition DataPosition::atStartOf(const DataSource& training, const config::TrainConfig& config,
                                     std::int64_t step) {
    Sha256 digest;
    const auto add = [&](const std::string& text) { digest.add(std::to_string(text.size()) + ":" + text); };
    add(std::to_string(config.seed));
    for (const auto& part : training.parts()) add(part);
    const auto sizes = training.bucketSizes();
    for (const auto size : sizes) add(std::to_string(size));
    return {digest.hex(kIdDigits), sizes, {segmentOf(config, step, isGenerated(sizes))}};
}

DataPosition DataPosition::fromJson(const Json& json) {
    DataPosition position{
        json.at("data").get<std::string>(), json.at("bucket_clips").get<std::vector<std::int64_t>>(), {}};
    for (const auto& segment : json.at("stretches"))
        position.segments.push_back({segment.at("since").get<std::int64_t>(),
                                     segment.at("batch_size").get<std::int64_t>(),
                                     segment.at("tokens_per_step").get<std::int64_t>(),
                                     segment.at("bucket_tokens").get<BucketTokens>()});
    return position;
}

Json DataPosition::toJson() const {
    Json list = Json::array();
    for (const auto& segment : segments)
        list.push_back({{"since", segment.since},
                        {"batch_size", segment.batchSize},
                        {"tokens_per_step", segment.tokensPerStep},
                        {"bucket_tokens", segment.tokens}});
    return {{"data", data}, {"bucket_clips", bucketClips}, {"stretches", list}};
}

ResumedData resumedPosition(const DataSource& training, const config::TrainConfig& config, std::int64_t step,
                            const Json& savedPosition, const Json& savedConfig) {
    const auto now = DataPosition::atStartOf(training, config, step);
    const auto saved = savedPosition.is_null() ? positionOfOldCheckpoint(now, config, savedConfig)
                                               : DataPosition::fromJson(savedPosition);
    const auto &before = saved.segments.back(), &after = now.segments.front();
    if (saved.data != now.data) {
        auto differences = differencesOf(config, savedConfig);
        if (differences.empty()) differences.push_back("the files are others under the same names");
        return {now,
                "The data are others than those of the checkpoint of step " + std::to_string(step) + ": " +
                    join(differences, "; ") + "; " + clipsText(saved.bucketClips) + " before, " +
                    clipsText(now.bucketClips) +
                    " now. Their clips are taken from the start of their order; what was taken of the data "
                    "before does not count.",
                true};
    }
    if (isPacked(before) != isPacked(after))
        return {now,
                "data.packing was " + std::string(isPacked(before) ? "on" : "off") + " up to step " +
                    std::to_string(step) +
                    ", and packed clips come in another order: the clips are taken from its start, and those "
                    "of the epoch under way may be taken twice.",
                true};
    const bool same = before.batchSize == after.batchSize && before.tokensPerStep == after.tokensPerStep &&
                      before.tokens == after.tokens;
    if (same) return {saved, "", false};
    auto position = saved;
    if (position.segments.back().since == step) position.segments.pop_back();
    position.segments.push_back(after);
    const auto taken = clipsTaken(saved.segments, step);
    return {position,
            ruleOf(after) + " from step " + std::to_string(step + 1) + " on, " + ruleOf(before) +
                " before: the run goes on behind the " + (taken ? std::to_string(*taken) + " " : "") +
                "clips taken so far; none is skipped or repeated.",
            false};
}

}  // namespace dailies::trainer
