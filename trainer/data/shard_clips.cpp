#include "trainer/data/shard_clips.h"

#include "core/base/byte_units.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/clip_list.h"
#include "core/curation/curated_folder.h"
#include "core/curation/share_out.h"
#include "core/video/caption_beside.h"
#include "trainer/data/shard_folder.h"
#include "trainer/data/shard_index.h"
#include "trainer/data/tar_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;
using curation::ClipRecord;

/// Clips that are encoded for a shard which is not finished yet.
constexpr const char* kWorkFolder = ".encoded";

/// Lines of clips.jsonl by the clip's id, as they stand there, less what says of the verdict: an excluded
/// clip may be kept again.
std::unordered_map<std::string, Json> linesById(const fs::path& folder) {
    std::unordered_map<std::string, Json> lines;
    std::ifstream stream(folder / curation::kClipListFile);
    for (std::string line; std::getline(stream, line);) {
        auto json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (!json.is_object() || !json.value("id", Json()).is_string()) continue;
        for (const char* key : {"verdict", "reasons", "by_hand", "file"}) json.erase(key);
        auto id = json.at("id").get<std::string>();
        lines.emplace(std::move(id), std::move(json));
    }
    return lines;
}

/// The list is a file that others may write, and files are named by ids.
void requireSafeName(const std::string& id) {
    const bool safe = !id.empty() && id.size() <= 90 && std::ranges::all_of(id, [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_';
    });
    if (!safe)
        throw InputError("clips.jsonl has the id \"" + sanitizedText(id) +
                             "\", expected letters, digits, - and _, at most 90.",
                         "Curate the films again.");
}

std::string shardName(std::size_t number) {
    char name[32];
    std::snprintf(name, sizeof name, "%06zu.tar", number);
    return name;
}

/// One more than the highest that is there.
std::size_t nextNumber(const ShardFolder& folder) {
    std::size_t next = 0;
    for (const auto& shard : folder.shards) {
        std::size_t number = 0;
        if (std::sscanf(shard.name.c_str(), "%zu.tar", &number) == 1) next = std::max(next, number + 1);
    }
    return next;
}

class ShardRun {
public:
    ShardRun(const ShardOptions& options, const std::function<void(const ShardProgress&)>& onProgress,
             const std::stop_token& stop)
        : m_options(options),
          m_onProgress(onProgress),
          m_stop(stop),
          m_work(options.out / kWorkFolder),
          m_curated(curation::loadCuratedFolder(options.clips, 0, stop)),
          m_shards(readShardFolder(options.out)) {}

    ShardSummary run() {
        fs::create_directories(m_work);
        sort();
        m_progress.clips = m_kept;
        m_progress.written = m_kept - m_new.size();
        requireFilms();
        if (!m_new.empty()) m_lines = linesById(m_options.clips);
        for (std::size_t first = 0; first < m_new.size();) first = packFilmsFrom(first);
        finishShard();
        std::error_code ignored;
        fs::remove_all(m_work, ignored);
        writeShardIndexes(m_options.out, m_shards);
        for (const auto& shard : m_shards.shards)
            writeIndexBeside(m_options.out / shard.name, static_cast<int>(m_options.threads));
        return summary();
    }

private:
    /// A clip as a shard has it.
    struct Sample {
        std::string shard;
        TarMember video;
        std::string caption;
    };

    /// Which clips are new to the shards, or have another caption there, and which samples do not count.
    void sort() {
        m_shards.excluded.clear();  // what is kept again counts again
        for (const auto& shard : m_shards.shards) readSamples(shard);
        for (const auto& [key, samples] : m_samples)
            for (const auto& sample : samples) m_shards.excluded.insert(sample.shard + "/" + key);
        const auto kept = curation::keptClips(m_curated);
        const std::vector<Sample> none;
        for (const auto& clip : kept) {
            const auto found = m_samples.find(clip.id);
            const auto& samples = found == m_samples.end() ? none : found->second;
            m_replaced += samples.size();
            const auto counts = std::ranges::find(samples, captionOf(clip), &Sample::caption);
            if (counts != samples.end()) {
                m_shards.excluded.erase(counts->shard + "/" + clip.id);
                --m_replaced;
                continue;
            }
            requireSafeName(clip.id);
            m_new.push_back(clip);
        }
        m_kept = kept.size();
    }

    void readSamples(const ShardFolder::Shard& shard) {
        std::ifstream tar(m_options.out / shard.name, std::ios::binary);
        for (const auto& sample : shard.samples) {
            const auto *video = sample.find("mp4"), *caption = sample.find("txt");
            if (video)
                m_samples[sample.key].push_back({shard.name, *video, caption ? memberOf(tar, *caption) : ""});
        }
    }

    static std::string memberOf(std::ifstream& tar, const TarMember& member) {
        std::string bytes(member.bytes, '\0');
        tar.seekg(static_cast<std::streamoff>(member.offset));
        tar.read(bytes.data(), static_cast<std::streamsize>(member.bytes));
        if (!tar) throw Error("A shard cannot be read at " + std::to_string(member.offset) + ".");
        return bytes;
    }

    /// Before hours are spent on what comes before them.
    void requireFilms() {
        for (const auto& clip : m_new) {
            if (fileOf(clip).empty() && !m_samples.contains(clip.id) && !m_films.has(clip.source))
                throw InputError(
                    "The film " + clip.source + ", of which clips are to be written, is not there.",
                    "Put it back, or drop its clips.");
        }
    }

    /// The clip's own file, of `curate --write-clips` or of this run; empty where it is not encoded.
    fs::path fileOf(const ClipRecord& clip) const {
        const auto name = curation::clipFileName(clip);
        std::error_code unknown;
        for (const auto& folder : {m_options.clips / curation::kClipFolder, m_work})
            if (fs::exists(folder / name, unknown)) return folder / name;
        return {};
    }

    /// Of a clip that a shard has with another caption the same bytes.
    void takeFromShard(const ClipRecord& clip) const {
        const auto found = m_samples.find(clip.id);
        if (found == m_samples.end() || !fileOf(clip).empty()) return;
        const auto& sample = found->second.back();
        std::ifstream tar(m_options.out / sample.shard, std::ios::binary);
        writeFileAtomically(m_work / curation::clipFileName(clip), memberOf(tar, sample.video));
    }

    /// Encodes the clips of the next films at once and packs them in order. Returns the first clip behind.
    std::size_t packFilmsFrom(std::size_t first) {
        std::vector<std::vector<ClipRecord>> films;
        auto last = first;
        for (; last < m_new.size(); ++last) {
            const bool another = films.empty() || films.back().back().source != m_new[last].source;
            if (another && films.size() == m_options.threads) break;
            if (another) films.emplace_back();
            films.back().push_back(m_new[last]);
        }
        curation::shareOut(films.size(), m_options.threads, [&](std::size_t i) {
            auto lacking = films[i];
            for (const auto& clip : lacking) takeFromShard(clip);
            std::erase_if(lacking, [this](const ClipRecord& clip) { return !fileOf(clip).empty(); });
            if (lacking.empty()) return;
            curation::writeClipFiles(
                m_films, lacking.front().source, lacking, m_work, [] {}, m_stop);
        });
        for (auto i = first; i < last; ++i) pack(m_new[i]);
        return last;
    }

    void pack(const ClipRecord& clip) {
        if (m_stop.stop_requested()) throw Cancelled();
        const auto& line = m_lines.at(clip.id);
        const auto video = readFile(fileOf(clip)), facts = line.dump(), caption = captionOf(clip);
        auto bytes = TarWriter::bytesOf(video.size()) + TarWriter::bytesOf(facts.size());
        if (!caption.empty()) bytes += TarWriter::bytesOf(caption.size());
        if (m_tar && m_tar->bytes() + bytes > m_options.bytes) finishShard();
        if (!m_tar) m_tar = std::make_unique<TarWriter>(m_options.out / shardName(m_next++));
        m_tar->add(clip.id + ".mp4", video);
        if (!caption.empty()) m_tar->add(clip.id + ".txt", caption);
        m_tar->add(clip.id + ".json", facts);
        m_packed.push_back(m_work / curation::clipFileName(clip));
        ++m_added;
        ++m_progress.written;
        m_onProgress(m_progress);
    }

    std::string captionOf(const ClipRecord& clip) const {
        if (const auto caption = std::string(trim(clip.caption)); !caption.empty()) return caption;
        const auto file = m_options.clips / curation::kClipFolder / curation::clipFileName(clip);
        return video::captionBeside(file).value_or("");
    }

    void finishShard() {
        if (!m_tar) return;
        m_tar->finish();
        m_tar.reset();
        m_shards.shards.push_back(readShard(m_options.out / shardName(m_next - 1)));
        std::error_code ignored;
        for (const auto& file : m_packed) fs::remove(file, ignored);
        m_packed.clear();
    }

    ShardSummary summary() const {
        ShardSummary all{.clips = m_kept,
                         .added = m_added,
                         .excluded = m_shards.excluded.size() - m_replaced,
                         .replaced = m_replaced,
                         .shards = m_shards.shards.size()};
        for (const auto& shard : m_shards.shards) all.bytes += fs::file_size(m_options.out / shard.name);
        return all;
    }

    const ShardOptions& m_options;
    const std::function<void(const ShardProgress&)>& m_onProgress;
    const std::stop_token& m_stop;
    curation::FilmFiles m_films{m_stop};
    fs::path m_work;
    curation::CuratedFolder m_curated;
    ShardFolder m_shards;
    std::vector<ClipRecord> m_new;
    std::unordered_map<std::string, std::vector<Sample>> m_samples;  ///< by the clips' ids, oldest first
    std::size_t m_kept = 0, m_added = 0, m_replaced = 0;
    std::unordered_map<std::string, Json> m_lines;
    std::size_t m_next = nextNumber(m_shards);
    std::unique_ptr<TarWriter> m_tar;
    std::vector<fs::path> m_packed;  ///< into it, as far as they were encoded for it
    ShardProgress m_progress;
};

}  // namespace

std::string ShardSummary::text() const {
    std::string text = pluralize(static_cast<long long>(clips), "clip", "clips") + " in " +
                       pluralize(static_cast<long long>(shards), "shard", "shards") + " of " +
                       grouped(static_cast<long long>(static_cast<double>(bytes) / kMebibyte)) +
                       " MiB in all, " + grouped(static_cast<long long>(added)) + " added\n";
    if (excluded > 0)
        text += pluralize(static_cast<long long>(excluded), "sample is", "samples are") +
                " excluded, because the curation drops them now\n";
    if (replaced > 0)
        text += pluralize(static_cast<long long>(replaced), "sample is", "samples are") +
                " excluded, because the clip has another caption now, with which it is in another shard\n";
    return text;
}

ShardSummary shardClips(const ShardOptions& options,
                        const std::function<void(const ShardProgress&)>& onProgress,
                        const std::stop_token& stop) {
    return ShardRun(options, onProgress, stop).run();
}

}  // namespace dailies::trainer
