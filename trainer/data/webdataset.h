#pragma once

#include "trainer/data/data_source.h"
#include "trainer/data/remote_shards.h"
#include "trainer/data/shard_index.h"

#include <memory>
#include <mutex>
#include <set>

namespace dailies::trainer {

/// WebDataset shards, read where they lie, in files, buckets or on web servers: an index of byte offsets is
/// all that is made of them, and of those elsewhere a bounded copy of what was read. Each video goes into the
/// bucket that keeps most of it and is cut there into clips that follow one another. Where `data.latents`
/// names members, those are the clips, and their size decides the bucket.
///
/// What cannot be used is left out, each with a line in `takeProblems` that names shard and key, and is
/// counted by reason in `facts`. A clip that turns out to be unreadable only when it is decoded is replaced
/// by the next of its bucket, which is the same on every rank and after every resumption.
class WebDataset : public DataSource {
public:
    /// Throws `InputError` when no clip is usable, with the counts of reasons.
    WebDataset(const config::TrainConfig::Data& data, const DataSourceOptions& place);

    std::int64_t size() const override { return static_cast<std::int64_t>(m_clips.size()); }
    Example example(std::int64_t index) override;
    void readAhead(std::int64_t index) override;
    Example withoutPixels(std::int64_t index) override;
    std::vector<std::int64_t> bucketSizes() const override;
    std::string identity(std::int64_t index) const override;
    std::string origin(std::int64_t index) const override;
    std::vector<std::string> parts() const override;
    std::vector<std::string> captions() const override;
    ValueScale valueScale() const override { return m_scale; }
    DatasetStats facts() const override { return m_facts; }
    std::int64_t latentChannels() const override { return m_latentChannels; }
    std::int64_t textWidth() const override { return m_textWidth; }
    std::vector<std::string> takeProblems() override;

private:
    struct Shard {
        std::string name;            ///< a path, or a URL
        objects::ObjectFacts facts;  ///< bytes of a remote one alone
        bool isRemote() const { return objects::isObjectUrl(name); }
        /// As messages and caches know it, however it is signed.
        std::string shown() const { return objects::withoutQuery(name); }
    };
    struct Sample {
        std::size_t shard = 0;
        std::string key, caption;
        TarMember picture, latents, text;  ///< those that the run needs; their names are extensions
        VideoInfo video;
    };
    struct ClipLocation {
        std::size_t sample = 0;
        std::size_t bucket = 0;
        std::int64_t clip = 0;  ///< of the sample
    };

    void openShards(const DataSourceOptions& place);
    Shard opened(const std::string& name);
    ShardIndex indexOf(const Shard& shard, const DataSourceOptions& place);
    std::set<std::string> excludedBeside(const Shard& shard);
    LocalBytes bytesOf(const Sample& sample, const TarMember& member) const;
    void add(std::size_t shard, IndexedSample indexed);
    std::variant<ChosenBucket, std::string> placeOf(const IndexedSample& indexed);
    std::string textProblem(const IndexedSample& indexed);
    void drop(const Sample& sample, const std::string& reason, const std::string& detail = "");
    void orderByBucket();
    void measureScale();
    std::string nameOf(const Sample& sample) const;
    Array readArray(const Sample& sample, const TarMember& member) const;
    Example readText(const ClipLocation& place) const;
    Example read(const ClipLocation& place) const;
    std::string problemOf(const Error& error, const Sample& sample) const;
    void addProblem(std::string problem);

    config::TrainConfig::Data m_data;
    std::vector<config::Bucket> m_buckets;
    std::vector<config::Bucket> m_latentSizes;  ///< of the buckets, where the data are latents
    std::unique_ptr<RemoteShards> m_remote;     ///< null where all shards are files
    std::vector<Shard> m_shards;
    std::vector<Sample> m_samples;
    std::vector<ClipLocation> m_clips;  ///< those of one bucket stand together
    DatasetStats m_facts;
    std::int64_t m_latentChannels = 0, m_textWidth = 0;
    ValueScale m_scale;
    std::mutex m_problemsMutex;
    std::vector<std::string> m_problems;
};

}  // namespace dailies::trainer
