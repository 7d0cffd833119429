#include "remote/cluster/remote_folder.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/media_names.h"
#include "core/base/size_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

namespace dailies::remote {

namespace {

constexpr std::string_view kResolve = R"sh(
case $path in
    ''|'~') path=$HOME ;;
    '~/'*) path=$HOME/${path#'~/'} ;;
    /*) ;;
    *) path=$HOME/$path ;;
esac
)sh";

/// Three lists, each closed by an empty name: the folder's path and entries, the files in its folders (which
/// may be cut off: a hint need not be complete), and what the first shard holds.
constexpr std::string_view kBrowse = R"sh(
refuse() { printf '\n%s' "$1" >&2; exit 3; }
if [ ! -e "$path" ]; then refuse 'there is no such folder, or you may not see it'; fi
if [ ! -d "$path" ]; then refuse 'it is not a folder'; fi
cd -- "$path" 2>/dev/null || refuse 'you may not look into it'
[ -r . ] || refuse 'you may not read it'
printf '%s\0' "$PWD"
find -L . -mindepth 1 -maxdepth 1 -printf '%y %s %T@ %f\0' 2>/dev/null | head -z -n "$most"
printf '\0'
timeout 3 find -L . -mindepth 2 -maxdepth 2 -not -path '*/.*' -type f -printf 'f %s 0 %P\0' 2>/dev/null | head -z -n "$most"
printf '\0'
for shard in ./*.tar; do
    [ -f "$shard" ] && timeout 3 tar -tf "$shard" 2>/dev/null | head -n 40 | tr '\n' '\0'
    break
done
)sh";

bool isCalled(const std::string& name, std::initializer_list<std::string_view> endings) {
    const std::string lower = lowered(name);
    return std::ranges::any_of(endings, [&](auto ending) { return lower.ends_with(ending); });
}

RemoteItem::Kind kindOf(char type) {
    return type == 'd'   ? RemoteItem::Kind::Folder
           : type == 'f' ? RemoteItem::Kind::File
                         : RemoteItem::Kind::Other;
}

/// "<type> <size> <time> <name>"; name is empty for what is no such line.
RemoteItem itemIn(std::string_view line) {
    RemoteItem item;
    if (line.size() < 2) return item;
    item.kind = kindOf(line[0]);
    line.remove_prefix(2);
    for (const int field : {0, 1}) {
        const auto end = line.find(' ');
        if (end == std::string_view::npos) return item;
        if (field == 0)
            std::from_chars(line.data(), line.data() + end, item.size);
        else
            std::from_chars(line.data(), line.data() + end, item.modified);  // up to the fraction
        line.remove_prefix(end + 1);
    }
    if (line != "." && line != "..") item.name = line;
    if (item.kind != RemoteItem::Kind::File) item.size = 0;
    return item;
}

bool before(const RemoteItem& a, const RemoteItem& b) {
    const bool folderA = a.kind == RemoteItem::Kind::Folder, folderB = b.kind == RemoteItem::Kind::Folder;
    if (folderA != folderB) return folderA;
    const auto lower = [](unsigned char c) { return std::tolower(c); };
    const auto order = std::lexicographical_compare_three_way(
        a.name.begin(), a.name.end(), b.name.begin(), b.name.end(), [&](char x, char y) {
            return lower(static_cast<unsigned char>(x)) <=> lower(static_cast<unsigned char>(y));
        });
    return order == 0 ? a.name < b.name : order < 0;
}

/// Of a WebDataset sample "000017.mp4", "000017.latents.npy": what follows the key.
std::vector<std::string> partsOfSamples(const std::vector<std::string>& members) {
    std::set<std::string> parts;
    for (const auto& member : members) {
        const auto name = member.substr(member.rfind('/') + 1);
        if (const auto dot = name.find('.'); dot != std::string::npos && dot > 0)
            parts.insert(name.substr(dot));
    }
    return {parts.begin(), parts.end()};
}

}  // namespace

std::string datasetHint(const std::vector<RemoteItem>& files, const std::vector<std::string>& members) {
    std::size_t shards = 0, videos = 0, captions = 0, latents = 0;
    std::uint64_t shardBytes = 0, videoBytes = 0;
    for (const auto& file : files) {
        if (file.kind != RemoteItem::Kind::File) continue;
        if (isCalled(file.name, {".tar"})) {
            ++shards;
            shardBytes += file.size;
        } else if (isVideoName(file.name)) {
            ++videos;
            videoBytes += file.size;
        } else if (file.name.find("latent") != std::string::npos) {
            ++latents;
        } else if (isCalled(file.name, {".txt"})) {
            ++captions;
        }
    }
    std::vector<std::string> words;
    if (shards > 0)
        words.push_back(pluralize(shards, "WebDataset shard", "WebDataset shards") + ", " +
                        sizeText(shardBytes));
    if (const auto parts = partsOfSamples(members); shards > 0 && !parts.empty()) {
        const bool hasLatents = std::ranges::any_of(
            parts, [](const auto& part) { return part.find("latent") != std::string::npos; });
        words.push_back((hasLatents ? "with latents: " : "samples of ") + join(parts, " "));
    }
    if (videos > 0) words.push_back(pluralize(videos, "video", "videos") + ", " + sizeText(videoBytes));
    if (videos > 0 && captions > 0) words.push_back(pluralize(captions, "caption", "captions"));
    if (latents > 0) words.push_back(pluralize(latents, "file of latents", "files of latents"));
    return join(words, "; ");
}

std::string resolveRemotePath(ssh::Session& session, const std::string& path, std::stop_token stop) {
    if (path.find('\0') != std::string::npos) throw InputError("A path cannot hold a NUL.");
    const auto result =
        session.run("path=" + shellQuote(path) + std::string(kResolve) + "printf '%s' \"$path\"\n", stop);
    if (!result.ok() || !result.out.starts_with('/'))
        throw Error("The cluster does not say where your home folder is.", "Give an absolute path.");
    // without "..", so that the last part of it is a name
    return std::filesystem::path(result.out).lexically_normal().string();
}

std::string printableName(const std::string& name) {
    std::string shown;
    for (const char c : sanitizedText(name)) shown += c == '\n' ? "␊" : c == '\t' ? "␉" : std::string(1, c);
    return shown;
}

RemoteFolder browse(ssh::Session& session, const std::string& path, std::stop_token stop) {
    if (path.find('\0') != std::string::npos) throw InputError("A path cannot hold a NUL.");
    const auto listed = session.run("path=" + shellQuote(path) + "\nmost=" + std::to_string(kMaxItems + 1) +
                                        std::string(kResolve) + std::string(kBrowse),
                                    stop);
    if (!listed.ok()) {
        const auto why = sanitizedText(split(trim(listed.err), '\n').back());  // start-up files may talk, too
        throw Error("Cannot look into " + sanitizedText(path.empty() ? "~" : path) +
                        " on the cluster: " + (why.empty() ? "no reason was given" : why) + ".",
                    "Choose a folder that you may read; ~ is your home folder there.");
    }
    const auto lines = split(listed.out, '\0');
    RemoteFolder folder;
    folder.path = lines.empty() ? path : lines.front();
    std::size_t at = 1;
    for (; at < lines.size() && !lines[at].empty(); ++at)
        if (auto item = itemIn(lines[at]); !item.name.empty() && item.name.find('/') == std::string::npos)
            folder.items.push_back(std::move(item));
    folder.complete = folder.items.size() <= kMaxItems;
    if (!folder.complete) folder.items.resize(kMaxItems);
    std::map<std::string, std::vector<RemoteItem>> inside;
    for (++at; at < lines.size() && !lines[at].empty(); ++at) {
        auto item = itemIn(lines[at]);
        const auto slash = item.name.find('/');
        if (slash == std::string::npos) continue;
        auto& files = inside[item.name.substr(0, slash)];
        item.name.erase(0, slash + 1);
        files.push_back(std::move(item));
    }
    std::vector<std::string> members;
    for (++at; at < lines.size(); ++at)
        if (!lines[at].empty()) members.push_back(lines[at]);
    for (auto& item : folder.items)
        if (const auto found = inside.find(item.name);
            item.kind == RemoteItem::Kind::Folder && found != inside.end())
            item.hint = datasetHint(found->second);
    std::ranges::sort(folder.items, before);
    folder.hint = datasetHint(folder.items, members);
    return folder;
}

bool isRemoteFolder(ssh::Session& session, const std::string& path, std::stop_token stop) {
    return session.run("test -d " + shellQuote(path) + "\n", stop).ok();
}

}  // namespace dailies::remote
