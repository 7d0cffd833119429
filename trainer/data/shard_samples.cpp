#include "trainer/data/shard_samples.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/objects/object_reader.h"

#include <algorithm>
#include <set>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxShards = 10'000'000;

/// Members that writers put there for themselves: "__meta__", "__index__/…".
bool isMeta(std::string_view name) {
    const auto first = name.substr(0, name.find('/'));
    return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

[[noreturn]] void refusePattern(const std::string& pattern) {
    throw InputError("data.shards: found \"" + sanitizedText(pattern) +
                         "\", expected a tar, a folder of tars, or a pattern.",
                     "Patterns look like /data/{000000..000031}.tar or /data/{a,b}.tar.");
}

/// "000..031" → its numbers, as wide as their ends are written.
std::optional<std::vector<std::string>> numbersOf(const std::string& inside) {
    const auto dots = inside.find("..");
    if (dots == std::string::npos) return std::nullopt;
    const auto first = inside.substr(0, dots), last = inside.substr(dots + 2);
    const auto from = parseCount(first), to = parseCount(last);
    if (!from || !to || static_cast<std::size_t>(std::abs(*to - *from)) >= kMaxShards) return std::nullopt;
    const bool zeros = (first.size() > 1 && first[0] == '0') || (last.size() > 1 && last[0] == '0');
    const auto width = zeros ? std::max(first.size(), last.size()) : 0;
    std::vector<std::string> numbers;
    for (auto n = *from;; n += *to < *from ? -1 : 1) {
        auto text = std::to_string(n);
        if (text.size() < width) text.insert(0, width - text.size(), '0');
        numbers.push_back(std::move(text));
        if (n == *to) return numbers;
    }
}

std::vector<std::string> expanded(const std::string& pattern) {
    const auto open = pattern.find('{');
    if (open == std::string::npos) return {pattern};
    const auto close = pattern.find('}', open);
    const auto inside = pattern.substr(open + 1, close == std::string::npos ? 0 : close - open - 1);
    auto choices = numbersOf(inside);
    if (!choices && inside.find(',') != std::string::npos) choices = split(inside, ',');
    if (close == std::string::npos || !choices) refusePattern(pattern);
    const auto tails = expanded(pattern.substr(close + 1));
    if (choices->size() * tails.size() > kMaxShards) refusePattern(pattern);
    std::vector<std::string> all;
    for (const auto& choice : *choices)
        for (const auto& tail : tails) all.push_back(pattern.substr(0, open) + choice + tail);
    return all;
}

bool isTar(const fs::path& name) {
    return lowered(name.extension().string()) == ".tar";
}

/// Of a bucket's folder, not of those below it.
std::vector<std::string> tarsInBucket(const std::string& folder, const ListObjects& list) {
    auto tars = list(folder);
    std::erase_if(tars, [&](const std::string& url) {
        return !isTar(url) || url.find('/', folder.size()) != std::string::npos;
    });
    if (tars.empty())
        throw InputError("data.shards: " + sanitizedText(folder) + " holds no .tar.",
                         "Name a folder of WebDataset shards, with / at its end.");
    return tars;
}

std::vector<std::string> tarsIn(const fs::path& folder) {
    std::vector<std::string> tars;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (isTar(entry.path())) tars.push_back(entry.path().string());
    if (tars.empty())
        throw InputError("data.shards: the folder " + folder.string() + " holds no .tar" +
                             (error ? " (" + error.message() + ")." : "."),
                         "Name a folder of WebDataset shards that every node of the cluster can read.");
    std::ranges::sort(tars);  // the order of a directory differs between machines; the data order must not
    return tars;
}

}  // namespace

const TarMember* ShardSample::find(std::string_view ending) const {
    const auto found = std::ranges::find(members, ending, &TarMember::name);
    return found == members.end() ? nullptr : &*found;
}

std::optional<std::pair<std::string, std::string>> keyAndExtension(const std::string& name) {
    const auto slash = name.rfind('/');
    const auto base = slash == std::string::npos ? 0 : slash + 1;
    auto dot = name.find('.', base);
    if (dot == std::string::npos) return std::nullopt;
    if (dot == base) {
        // "x/.y.z": webdataset's expression then takes "x/" as the key, if x has a character and no dot
        if (base < 2) return std::nullopt;
        const auto before = name.rfind('/', base - 2);
        const auto first = before == std::string::npos ? 0 : before + 1;
        if (name.substr(first, base - first).find('.') != std::string::npos) return std::nullopt;
    }
    return std::pair(name.substr(0, dot), lowered(name.substr(dot + 1)));
}

std::vector<ShardSample> groupSamples(const TarListing& listing, std::vector<std::string>& problems) {
    std::vector<ShardSample> samples;
    for (const auto& member : listing.members) {
        if (isMeta(member.name)) continue;
        auto parts = keyAndExtension(member.name);
        if (!parts) continue;
        auto& [key, ending] = *parts;
        if (samples.empty() || samples.back().key != key) samples.push_back({key, {}});
        if (samples.back().find(ending))
            problems.push_back("holds " + member.name + " twice in one sample: the second is left out");
        else
            samples.back().members.push_back({std::move(ending), member.offset, member.bytes});
    }
    return samples;
}

std::vector<std::string> shardNames(const std::vector<std::string>& patterns, const ListObjects& list) {
    std::vector<std::string> shards;
    std::set<fs::path> known;
    const auto named = [&](const std::string& name) -> std::vector<std::string> {
        if (objects::isObjectUrl(name))
            return name.starts_with("s3://") && name.ends_with('/') ? tarsInBucket(name, list)
                                                                    : std::vector{name};
        std::error_code ignored;
        return fs::is_directory(name, ignored) ? tarsIn(name) : std::vector{name};
    };
    for (const auto& pattern : patterns)
        for (const auto& name : expanded(pattern)) {
            if (name.empty()) refusePattern(pattern);
            for (auto& shard : named(name)) {
                if (!known.insert(fs::path(shard).lexically_normal()).second)
                    throw InputError("data.shards: " + shard + " is named twice.",
                                     "Name each shard once: its clips would count double.");
                shards.push_back(std::move(shard));
            }
        }
    return shards;
}

}  // namespace dailies::trainer
