#include "trainer/data/shard_folder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "trainer/data/tar_blocks.h"
#include "trainer/data/tar_listing.h"

#include <algorithm>

// Files are those of megatron-energon 7.4.1 (flavors/webdataset/prepare.py, itar.py) and of webdataset before
// 1.0 (wids). Energon's index.sqlite is for joins of data sets and access by key only, and not written:
// `energon prepare --tar-index-only` makes it.

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnergonFolder = ".nv-meta";
/// Little-endian, 64 bits each.
std::string bytesOfOffsets(const std::vector<std::uint64_t>& offsets) {
    std::string bytes;
    for (const auto offset : offsets)
        for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(offset >> shift & 0xff);
    return bytes;
}

void writeJson(const fs::path& file, const Json& json) {
    writeFileAtomically(file, json.dump(2) + "\n");
}

}  // namespace

ShardFolder::Shard readShard(const fs::path& tar) {
    auto listing = listTar(tar);
    ShardFolder::Shard shard{tar.filename().string(), groupSamples(listing, listing.problems), {}};
    if (!listing.problems.empty())
        throw Error(tar.string() + " " + listing.problems.front() + ".",
                    "Remove it: its clips are then written into a new shard.");
    std::uint64_t end = 0;
    for (const auto& sample : shard.samples) {
        const auto& last = sample.members.back();
        shard.offsets.push_back(sample.members.front().offset - kTarBlock);
        end = last.offset + toWholeTarBlocks(last.bytes);
    }
    shard.offsets.push_back(end);
    return shard;
}

std::set<std::string> excludedSamples(const fs::path& folder) {
    const auto file = folder / kExcludedFile;
    std::error_code unknown;
    return fs::exists(file, unknown) ? excludedIn(readFile(file), file.string()) : std::set<std::string>();
}

std::set<std::string> excludedIn(const std::string& text, const std::string& file) {
    try {
        return Json::parse(text).value("exclude", Json::array()).get<std::set<std::string>>();
    } catch (const Json::exception&) {
        throw InputError(file + " is not in JSON, in which alone what it excludes can be read.",
                         "To have it written anew, remove it and run dailies-train shard again.");
    }
}

ShardFolder readShardFolder(const fs::path& folder) {
    ShardFolder found;
    std::error_code missing;
    std::vector<fs::path> tars;
    for (const auto& entry : fs::directory_iterator(folder, missing))
        if (entry.path().extension() == ".tar") tars.push_back(entry.path());
    std::ranges::sort(tars);
    for (const auto& tar : tars) found.shards.push_back(readShard(tar));
    found.excluded = excludedSamples(folder);
    return found;
}

void writeShardIndexes(const fs::path& folder, const ShardFolder& shards) {
    Json counts = Json::object(), list = Json::array(), names = Json::array();
    for (const auto& shard : shards.shards) {
        writeFileAtomically(folder / (shard.name + ".idx"), bytesOfOffsets(shard.offsets));
        counts[shard.name] = shard.samples.size();
        names.push_back(shard.name);
        list.push_back({{"url", shard.name}, {"nsamples", shard.samples.size()}});
    }
    writeJson(folder / "index.json",
              {{"__kind__", "wids-shard-index-v1"}, {"wids_version", 1}, {"shardlist", list}});
    const auto energon = folder / kEnergonFolder;
    writeJson(energon / ".info.json", {{"energon_version", "7.4.1"}, {"shard_counts", counts}});
    writeJson(energon / "dataset.yaml",
              {{"__module__", "megatron.energon"}, {"__class__", "CrudeWebdataset"}});
    writeJson(folder / kExcludedFile,
              {{"split_parts", {{"train", names}, {"val", Json::array()}, {"test", Json::array()}}},
               {"exclude", shards.excluded}});
}

}  // namespace dailies::trainer
