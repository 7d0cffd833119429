#include "trainer/data/webdataset.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/curation/share_out.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/data/file_stamp.h"
#include "trainer/data/shard_folder.h"
#include "trainer/serialization/binary_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <set>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnreadable = "cannot be read";
constexpr const char* kExcluded = "excluded by the shards' split.yaml";
constexpr const char* kNoVideo = "no video in the sample";
constexpr unsigned kOpenedAtOnce = 16;            // remote shards
constexpr auto kQuiet = std::chrono::seconds(1);  // after which a person wants to see that something goes on

std::string reasonsText(const DatasetStats& facts) {
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : facts.dropped) reasons.push_back(std::to_string(count) + " " + reason);
    return join(reasons, ", ");
}

/// Latents [channels, frames, height, width], perhaps with a leading 1, as tokenizers put them out → their
/// four sides.
std::optional<std::vector<std::int64_t>> latentSides(std::vector<std::int64_t> shape) {
    if (shape.size() == 5 && shape[0] == 1) shape.erase(shape.begin());
    return shape.size() == 4 ? std::optional(shape) : std::nullopt;
}

Array channelsLast(const Array& array) {
    const auto sides = latentSides(array.shape).value();
    const auto channels = static_cast<std::size_t>(sides[0]);
    const auto values = toFloats(array);
    const auto places = values.size() / channels;
    std::vector<float> turned(values.size());
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t i = 0; i < places; ++i) turned[i * channels + c] = values[c * places + i];
    return floatArray({sides[1], sides[2], sides[3], sides[0]}, turned);
}

void refuseNonFinite(const Array& array) {
    for (const float value : toFloats(array))
        if (!std::isfinite(value)) throw InputError("it holds a number that is not finite");
}

}  // namespace

WebDataset::WebDataset(const config::TrainConfig::Data& data, const DataSourceOptions& place)
    : m_data(data), m_buckets(config::bucketsOf(data)) {
    for (const auto& bucket : m_buckets)
        m_latentSizes.push_back(place.latentSize && !data.latents.empty() ? place.latentSize(bucket)
                                                                          : bucket);
    openShards(place);
    std::vector<ShardIndex> indexes(m_shards.size());
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < m_shards.size(); ++i) {
        // Ranks begin at different shards and find what the others have indexed by then: together they index
        // each once.
        const auto at = (i + m_shards.size() * static_cast<std::size_t>(place.rank) /
                                 static_cast<std::size_t>(place.ranks)) %
                        m_shards.size();
        try {
            indexes[at] = indexOf(m_shards[at], place);
        } catch (const Error& error) {
            indexes[at].problems.push_back(error.what());
        }
        if (place.rank == 0 && std::chrono::steady_clock::now() - began > kQuiet)
            std::cerr << "dailies-train: " << i + 1 << " of " << m_shards.size() << " shards are indexed\n";
    }
    std::map<fs::path, std::set<std::string>> excluded;  // by folder
    for (std::size_t i = 0; i < m_shards.size(); ++i) {
        const fs::path file = m_shards[i].shown();
        const auto name = file.filename().string();
        if (!excluded.contains(file.parent_path()))
            excluded[file.parent_path()] = excludedBeside(m_shards[i]);
        const auto& out = excluded.at(file.parent_path());
        for (const auto& problem : indexes[i].problems)
            m_problems.push_back(file.string() + " " + problem + ".");
        for (auto& indexed : indexes[i].samples) {
            if (!out.contains(name) && !out.contains(name + "/" + indexed.sample.key)) {
                add(i, std::move(indexed));
                continue;
            }
            ++m_facts.found;
            ++m_facts.dropped[kExcluded];
        }
    }
    if (m_clips.empty()) {
        auto shown = m_problems;
        if (shown.size() > 20) shown.resize(20);
        throw InputError("data.shards: no usable clip in " + std::to_string(m_shards.size()) +
                             " shards: " + std::to_string(m_facts.found) + " samples found" +
                             (m_facts.dropped.empty() ? "." : "; dropped: " + reasonsText(m_facts) + ".") +
                             (shown.empty() ? "" : "\n  " + join(shown, "\n  ")),
                         "Check data.shards, or ask for smaller or shorter data.buckets.");
    }
    orderByBucket();
    measureScale();
}

void WebDataset::openShards(const DataSourceOptions& place) {
    const auto isRemote = [](const std::string& pattern) { return objects::isObjectUrl(pattern); };
    if (std::ranges::any_of(m_data.shards, isRemote))
        m_remote = std::make_unique<RemoteShards>(
            place.cacheFolder.empty() ? fs::path() : place.cacheFolder / "remote",
            static_cast<std::uint64_t>(m_data.remote_cache_gib) << 30);
    const auto names = shardNames(m_data.shards, [&](const std::string& url) { return m_remote->list(url); });
    m_shards.resize(names.size());
    // each remote one takes a round trip
    curation::shareOut(names.size(), m_remote ? kOpenedAtOnce : 1,
                       [&](std::size_t i) { m_shards[i] = opened(names[i]); });
}

WebDataset::Shard WebDataset::opened(const std::string& name) {
    if (!objects::isObjectUrl(name)) return {name, {0, fileStamp(name)}};
    return {name, m_remote->facts(name)};
}

ShardIndex WebDataset::indexOf(const Shard& shard, const DataSourceOptions& place) {
    const auto folder = place.cacheFolder.empty() ? fs::path() : place.cacheFolder / "shards";
    const int threads = static_cast<int>(std::max<std::int64_t>(1, m_data.workers));
    if (!shard.isRemote()) return indexShard(shard.name, folder, threads);
    return indexShard(*m_remote, shard.name, shard.facts, folder, threads);
}

std::set<std::string> WebDataset::excludedBeside(const Shard& shard) {
    if (!shard.isRemote()) return excludedSamples(fs::path(shard.name).parent_path());
    const auto file = shard.name.substr(0, shard.name.rfind('/')) + "/" + kExcludedFile;
    const auto text = m_remote->textOf(file);
    return text ? excludedIn(*text, file) : std::set<std::string>();
}

LocalBytes WebDataset::bytesOf(const Sample& sample, const TarMember& member) const {
    const auto& shard = m_shards[sample.shard];
    if (shard.isRemote()) return m_remote->read(shard.name, shard.facts.stamp, member);
    return {shard.name, member.offset};
}

void WebDataset::add(std::size_t shard, IndexedSample indexed) {
    ++m_facts.found;
    const auto member = [&](const std::string& extension) {
        const auto* found = extension.empty() ? nullptr : indexed.sample.find(extension);
        return found ? *found : TarMember{};
    };
    Sample sample{shard,
                  indexed.sample.key,
                  indexed.caption,
                  member(indexed.videoExtension),
                  member(m_data.latents),
                  member(m_data.text_embeddings),
                  indexed.video.value_or(VideoInfo{})};
    const auto place = placeOf(indexed);
    if (const auto* reason = std::get_if<std::string>(&place)) {
        const auto& detail =
            m_data.latents.empty() ? indexed.problem : indexed.arrays[m_data.latents].problem;
        return drop(sample, *reason, *reason == kUnreadable ? detail : "");
    }
    if (const auto problem = textProblem(indexed); !problem.empty())
        return drop(sample, "text embeddings do not fit", problem);
    const auto& chosen = std::get<ChosenBucket>(place);
    ++m_facts.used;
    m_samples.push_back(std::move(sample));
    for (std::int64_t clip = 0; clip < chosen.clips; ++clip)
        m_clips.push_back({m_samples.size() - 1, chosen.bucket, clip});
}

std::variant<ChosenBucket, std::string> WebDataset::placeOf(const IndexedSample& indexed) {
    if (m_data.latents.empty()) {
        if (indexed.videoExtension.empty()) return kNoVideo;
        if (!indexed.video) return kUnreadable;
        return chooseBucket(*indexed.video, m_buckets, m_data);
    }
    const auto found = indexed.arrays.find(m_data.latents);
    if (found == indexed.arrays.end()) return "no " + m_data.latents + " in the sample";
    if (!found->second.problem.empty()) return kUnreadable;
    const auto sides = latentSides(found->second.shape);
    if (!sides) return "latents are not of the form [channels, frames, height, width]";
    for (std::size_t i = 0; i < m_latentSizes.size(); ++i) {
        const auto& size = m_latentSizes[i];
        if (size.frames != (*sides)[1] || size.height != (*sides)[2] || size.width != (*sides)[3]) continue;
        if (m_latentChannels == 0) m_latentChannels = (*sides)[0];
        if (m_latentChannels != (*sides)[0])
            return "latents with " + std::to_string((*sides)[0]) + " channels, where the first has " +
                   std::to_string(m_latentChannels);
        return ChosenBucket{i, 1};
    }
    return "latents of no bucket's size";
}

std::string WebDataset::textProblem(const IndexedSample& indexed) {
    if (m_data.text_embeddings.empty()) return "";
    const auto found = indexed.arrays.find(m_data.text_embeddings);
    if (found == indexed.arrays.end()) return "it has no " + m_data.text_embeddings;
    const auto& [type, shape, problem] = found->second;
    if (!problem.empty()) return problem;
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
        return "they have the shape " + shapeText(shape) + ", expected [tokens, width]";
    if (m_textWidth == 0) m_textWidth = shape[1];
    if (m_textWidth == shape[1]) return "";
    return "they are " + std::to_string(shape[1]) + " wide, where the first are " +
           std::to_string(m_textWidth);
}

void WebDataset::drop(const Sample& sample, const std::string& reason, const std::string& detail) {
    ++m_facts.dropped[reason];
    m_problems.push_back(nameOf(sample) + ": " + reason + (detail.empty() ? "." : ": " + detail));
}

void WebDataset::orderByBucket() {
    std::ranges::stable_sort(m_clips, {}, &ClipLocation::bucket);
}

std::vector<std::int64_t> WebDataset::bucketSizes() const {
    std::vector<std::int64_t> sizes(m_buckets.size());
    for (const auto& place : m_clips) ++sizes[place.bucket];
    return sizes;
}

std::string WebDataset::nameOf(const Sample& sample) const {
    return m_shards[sample.shard].shown() + ": " + sample.key;
}

std::string WebDataset::identity(std::int64_t index) const {
    const auto& place = m_clips[static_cast<std::size_t>(index)];
    const auto& sample = m_samples[place.sample];
    const auto& shard = m_shards[sample.shard];
    return shard.shown() + "|" + shard.facts.stamp + "|" + sample.key + "|" +
           std::to_string(sample.picture.offset) + "|" + m_buckets[place.bucket].text() + "|" +
           std::to_string(m_data.frame_stride) + "|" + std::to_string(place.clip);
}

std::string WebDataset::origin(std::int64_t index) const {
    const auto& place = m_clips[static_cast<std::size_t>(index)];
    return nameOf(m_samples[place.sample]) +
           (place.clip > 0 ? ", clip " + std::to_string(place.clip + 1) : "");
}

Array WebDataset::readArray(const Sample& sample, const TarMember& member) const {
    std::string bytes(member.bytes, '\0');
    const auto local = bytesOf(sample, member);
    BinaryFile::openForRead(local.path()).readAt(local.offset(), bytes.data(), bytes.size());
    try {
        auto array = parseArray(member.name, bytes);
        refuseNonFinite(array);
        return array;
    } catch (const InputError& error) {
        throw Error(nameOf(sample) + "." + member.name + ": " + error.what() + ".");
    }
}

Example WebDataset::readText(const ClipLocation& place) const {
    const auto& sample = m_samples[place.sample];
    Example example{.caption = sample.caption, .fps = m_buckets[place.bucket].fps};
    if (sample.text.bytes > 0) {
        const auto text = readArray(sample, sample.text);
        example.textEmbeddings = floatArray(text.shape, toFloats(text));
    }
    return example;
}

void WebDataset::readAhead(std::int64_t index) {
    const auto& sample = m_samples[m_clips[static_cast<std::size_t>(index)].sample];
    const auto& shard = m_shards[sample.shard];
    if (!shard.isRemote()) return;
    const auto& clip = sample.latents.bytes > 0 ? sample.latents : sample.picture;
    for (const auto* member : {&clip, &sample.text})
        if (member->bytes > 0) m_remote->readAhead(shard.name, shard.facts.stamp, *member);
}

Example WebDataset::withoutPixels(std::int64_t index) {
    try {
        return readText(m_clips[static_cast<std::size_t>(index)]);
    } catch (const Error&) {
        return example(index);  // which says what is wrong and gives the next clip
    }
}

Example WebDataset::read(const ClipLocation& place) const {
    const auto& sample = m_samples[place.sample];
    const auto& bucket = m_buckets[place.bucket];
    auto example = readText(place);
    if (sample.latents.bytes > 0) {
        example.latents = channelsLast(readArray(sample, sample.latents));
        return example;
    }
    const auto bytes = bytesOf(sample, sample.picture);
    video::ClipReader reader(video::VideoLocation{bytes.path(), bytes.offset(), sample.picture.bytes,
                                                  sample.key + "." + sample.picture.name});
    const auto count = static_cast<int>(bucket.frames);
    const double start = clipStart(bucket, place.clip, m_data.frame_stride);
    std::vector<int> frames;
    if (bucket.fps > 0) {
        frames = framesByTime(reader, start, bucket.fps, count);
    } else {
        for (int i = 0; i < count; ++i)
            frames.push_back(static_cast<int>(start) + i * static_cast<int>(m_data.frame_stride));
    }
    example.clip = cutClip(reader, frames, static_cast<int>(bucket.height), static_cast<int>(bucket.width));
    return example;
}

/// What was wrong with the local copy of a member is wrong with the member.
std::string WebDataset::problemOf(const Error& error, const Sample& sample) const {
    auto text = error.full();
    const auto& shard = m_shards[sample.shard];
    if (!shard.isRemote()) return text;
    const std::string copy = "/proc/self/fd/";
    for (auto at = text.find(copy); at != std::string::npos; at = text.find(copy)) {
        const auto end = text.find_first_not_of("0123456789", at + copy.size());
        text.replace(at, std::min(end, text.size()) - at, shard.shown());
    }
    return text;
}

Example WebDataset::example(std::int64_t index) {
    const auto bucket = m_clips[static_cast<std::size_t>(index)].bucket;
    const auto [first, last] = std::ranges::equal_range(m_clips, bucket, {}, &ClipLocation::bucket);
    const auto count = static_cast<std::size_t>(last - first);
    const auto at = static_cast<std::size_t>(index - (first - m_clips.begin()));
    for (std::size_t tried = 0; tried < count; ++tried) {
        const auto& place = first[static_cast<std::ptrdiff_t>((at + tried) % count)];
        try {
            return read(place);
        } catch (const Error& error) {
            addProblem(problemOf(error, m_samples[place.sample]) +
                       " The next clip of its bucket takes its place.");
        }
    }
    throw Error("data.shards: no clip of the bucket " + m_buckets[bucket].text() + " can be read any more.");
}

std::vector<std::string> WebDataset::parts() const {
    std::vector<std::int64_t> clips(m_shards.size());
    for (const auto& place : m_clips) ++clips[m_samples[place.sample].shard];
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < m_shards.size(); ++i)
        parts.push_back(fs::path(m_shards[i].shown()).filename().string() + " " + std::to_string(clips[i]));
    return parts;
}

void WebDataset::measureScale() {
    constexpr std::size_t kMeasured = 64;
    constexpr double kMinDeviation = 0.05;
    const auto stride = std::max<std::size_t>(1, m_clips.size() / kMeasured);
    ScaleMeasure measure(static_cast<std::size_t>(std::max<std::int64_t>(1, m_latentChannels)));
    for (std::size_t i = 0; i < m_clips.size(); i += stride) {
        const auto sample = example(static_cast<std::int64_t>(i));
        measure.add(sample.clip.rgb, [](auto byte) { return byte / 127.5 - 1; });
        if (sample.latents) measure.add(toFloats(*sample.latents), std::identity());
    }
    m_scale = measure.scale(kMinDeviation);
}

std::vector<std::string> WebDataset::captions() const {
    std::set<std::string> distinct;
    for (const auto& sample : m_samples) distinct.insert(sample.caption);
    return {distinct.begin(), distinct.end()};
}

void WebDataset::addProblem(std::string problem) {
    const std::lock_guard lock(m_problemsMutex);
    m_problems.push_back(std::move(problem));
}

std::vector<std::string> WebDataset::takeProblems() {
    const std::lock_guard lock(m_problemsMutex);
    return std::exchange(m_problems, {});
}

}  // namespace dailies::trainer
