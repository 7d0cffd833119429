#include "trainer/data/shard_index.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/media_names.h"
#include "core/base/text.h"
#include "core/video/clip_file.h"
#include "trainer/data/array.h"
#include "trainer/serialization/binary_file.h"
#include "trainer/tensors/random.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;                          // of the kept file; another number is made anew
constexpr std::uint64_t kLongestCaption = 1 << 20;  // bytes

struct RemoveAtEnd {
    fs::path file;
    ~RemoveAtEnd() {
        std::error_code ignored;
        fs::remove(file, ignored);
    }
};

/// What tells a shard from every other and from itself after a change.
struct Identity {
    std::string path;
    std::int64_t bytes = 0;
    std::int64_t time = 0;
    bool operator==(const Identity&) const = default;
};

Identity identityOf(const fs::path& shard) {
    std::error_code error;
    const auto bytes = fs::file_size(shard, error);
    const auto time = error ? fs::file_time_type() : fs::last_write_time(shard, error);
    if (error) throw Error("Cannot read " + shard.string() + ": " + error.message() + ".");
    return {fs::absolute(shard).string(), static_cast<std::int64_t>(bytes),
            std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count()};
}

fs::path keptAt(const Identity& identity, const fs::path& folder) {
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hashText(identity.path)));
    return folder / (fs::path(identity.path).stem().string() + "-" + hash + ".json");
}

Json toJson(const IndexedSample& indexed) {
    Json members = Json::array(), arrays = Json::object();
    for (const auto& member : indexed.sample.members)
        members.push_back({member.name, member.offset, member.bytes});
    for (const auto& [extension, facts] : indexed.arrays)
        arrays[extension] = facts.problem.empty() ? Json{facts.type, facts.shape} : Json(facts.problem);
    Json json = {{"key", indexed.sample.key}, {"members", std::move(members)}};
    if (!indexed.caption.empty()) json["caption"] = indexed.caption;
    if (!indexed.videoExtension.empty()) json["video"] = indexed.videoExtension;
    if (const auto& v = indexed.video) json["facts"] = {v->frames, v->width, v->height, v->fps, v->seconds};
    if (!indexed.problem.empty()) json["problem"] = indexed.problem;
    if (!arrays.empty()) json["arrays"] = std::move(arrays);
    return json;
}

IndexedSample sampleFromJson(const Json& json) {
    IndexedSample indexed;
    indexed.sample.key = json.at("key");
    for (const auto& member : json.at("members"))
        indexed.sample.members.push_back({member.at(0), member.at(1), member.at(2)});
    indexed.caption = json.value("caption", "");
    indexed.videoExtension = json.value("video", "");
    indexed.problem = json.value("problem", "");
    if (const auto facts = json.find("facts"); facts != json.end())
        indexed.video = VideoInfo{facts->at(0), facts->at(1), facts->at(2), facts->at(3), facts->at(4)};
    if (const auto arrays = json.find("arrays"); arrays != json.end())
        for (const auto& [extension, facts] : arrays->items())
            indexed.arrays[extension] =
                facts.is_string() ? ArrayInfo{"", {}, facts} : ArrayInfo{facts.at(0), facts.at(1), ""};
    return indexed;
}

Json toJson(const ShardIndex& index, std::int64_t bytes) {
    Json samples = Json::array();
    for (const auto& sample : index.samples) samples.push_back(toJson(sample));
    return {
        {"format", kFormat}, {"bytes", bytes}, {"problems", index.problems}, {"samples", std::move(samples)}};
}

ShardIndex indexFromJson(const Json& json) {
    ShardIndex index;
    for (const auto& sample : json.at("samples")) index.samples.push_back(sampleFromJson(sample));
    index.problems = json.at("problems").get<std::vector<std::string>>();
    return index;
}

/// Where a shard's index lies beside it; of a path or a URL.
std::string indexBeside(const std::string& shard) {
    const auto name = shard.rfind('/') + 1;
    return shard.substr(0, name) + ".dailies/" + shard.substr(name) + ".json";
}

/// Of a shard of so many bytes; nullopt for the text of another one's, which may say anything.
std::optional<ShardIndex> indexIn(const std::string& text, std::uint64_t bytes) {
    try {
        const auto json = Json::parse(text);
        if (json.at("format") != kFormat || json.at("bytes") != bytes) return std::nullopt;
        auto index = indexFromJson(json);
        for (const auto& indexed : index.samples)
            for (const auto& member : indexed.sample.members)
                if (member.offset > bytes || member.bytes > bytes - member.offset) return std::nullopt;
        return index;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::optional<ShardIndex> kept(const Identity& identity, const fs::path& folder) {
    const auto file = keptAt(identity, folder);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    try {
        const auto json = parseJson(readFile(file), file.string());
        const Identity of{json.at("shard"), json.at("bytes"), json.at("time")};
        if (json.at("format") != kFormat || of != identity) return std::nullopt;
        return indexFromJson(json);
    } catch (const std::exception&) {
        return std::nullopt;  // half a file or another's: it is made anew
    }
}

void keep(const ShardIndex& index, const Identity& identity, const fs::path& folder) {
    auto json = toJson(index, identity.bytes);
    json["shard"] = identity.path;
    json["time"] = identity.time;
    try {
        writeFileAtomically(keptAt(identity, folder),
                            json.dump(-1, ' ', false, Json::error_handler_t::replace));
    } catch (const Error&) {
        // the next start indexes again; training needs nothing of this file
    }
}

std::string_view lastPart(std::string_view extension) {
    return extension.substr(extension.rfind('.') + 1);
}

std::string captionText(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return std::string(trim(text));
}

std::string captionInJson(const std::string& text) {
    const auto json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return "";
    for (const auto* key : {"caption", "text", "prompt"})
        if (const auto found = json.find(key); found != json.end() && found->is_string()) return *found;
    return "";
}

/// Fills in what the members are. A member that cannot be read makes its sample unusable, never the shard.
void look(IndexedSample& indexed, const fs::path& shard, const BinaryFile& bytes) {
    const auto front = [&](const TarMember& member, std::uint64_t most) {
        std::string text(std::min(member.bytes, most), '\0');
        bytes.readAt(member.offset, text.data(), text.size());
        return text;
    };
    std::string inJson;
    for (const auto& member : indexed.sample.members) {
        const auto kind = lastPart(member.name);
        const auto file = indexed.sample.key + "." + member.name;
        if (kind == "txt" || kind == "caption") {
            indexed.caption = captionText(front(member, kLongestCaption));
        } else if (kind == "json") {
            inJson = captionText(captionInJson(front(member, kLongestCaption)));
        } else if (isArrayExtension(member.name)) {
            auto& facts = indexed.arrays[member.name];
            try {
                auto head = parseArrayHeader(member.name, front(member, kMaxArrayHeaderBytes), member.bytes);
                facts = {std::move(head.type), std::move(head.shape), ""};
            } catch (const InputError& error) {
                facts.problem = error.what();
            }
        } else if ((isVideoName(file) || isPictureName(file)) && indexed.videoExtension.empty()) {
            indexed.videoExtension = member.name;
            try {
                const video::ClipReader reader(
                    video::VideoLocation{shard, member.offset, member.bytes, file});
                const auto& info = reader.info();
                indexed.video = {info.frames, info.width, info.height, info.frames > 1 ? info.fps : 0,
                                 reader.seconds(info.frames - 1)};
            } catch (const Error& error) {
                indexed.problem = error.what();
            }
        }
    }
    if (indexed.caption.empty()) indexed.caption = inJson;
}

ShardIndex made(const fs::path& shard, int threads) {
    ShardIndex index;
    auto listing = listTar(shard);
    auto samples = groupSamples(listing, listing.problems);
    index.problems = std::move(listing.problems);
    for (auto& sample : samples) index.samples.push_back({std::move(sample), "", "", {}, "", {}});

    const auto bytes = BinaryFile::openForRead(shard);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (auto i = next++; i < index.samples.size(); i = next++) {
            try {
                look(index.samples[i], shard, bytes);
            } catch (const std::exception& error) {
                index.samples[i].problem = error.what();
            }
        }
    };
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
    return index;
}

ShardIndex lookedThrough(RemoteShards& remote, const std::string& url, const objects::ObjectFacts& facts,
                         int threads) {
    const auto file = remote.download(url, facts);
    const RemoveAtEnd remove{file};
    auto index = made(file, threads);
    for (auto& sample : index.samples)
        if (const auto at = sample.problem.find(file.string()); at != std::string::npos)
            sample.problem.replace(at, file.string().size(), objects::withoutQuery(url));
    return index;
}

}  // namespace

ShardIndex indexShard(const fs::path& shard, const fs::path& folder, int threads) {
    if (folder.empty()) return made(shard, threads);
    const auto identity = identityOf(shard);
    if (auto index = kept(identity, folder)) return std::move(*index);
    auto index = made(shard, threads);
    keep(index, identity, folder);
    return index;
}

ShardIndex indexShard(RemoteShards& remote, const std::string& url, const objects::ObjectFacts& facts,
                      const fs::path& folder, int threads) {
    const Identity identity{objects::withoutQuery(url), static_cast<std::int64_t>(facts.bytes),
                            static_cast<std::int64_t>(hashText(facts.stamp))};
    if (!folder.empty())
        if (auto index = kept(identity, folder)) return std::move(*index);
    auto index = [&] {
        if (const auto text = remote.textOf(indexBeside(identity.path)))
            if (auto beside = indexIn(*text, facts.bytes)) return std::move(*beside);
        return lookedThrough(remote, url, facts, threads);
    }();
    if (!folder.empty()) keep(index, identity, folder);
    return index;
}

void writeIndexBeside(const fs::path& shard, int threads) {
    const fs::path file = indexBeside(shard.string());
    const auto bytes = fs::file_size(shard);
    std::error_code unknown;
    if (fs::is_regular_file(file, unknown) && indexIn(readFile(file), bytes)) return;
    const auto json = toJson(made(shard, threads), static_cast<std::int64_t>(bytes));
    writeFileAtomically(file, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace dailies::trainer
