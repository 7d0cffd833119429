#include "remote/ssh/tree.h"

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/stream.h"

#include <algorithm>
#include <optional>

namespace dailies::remote::ssh {

namespace {

constexpr int kNoFolder = 3;
constexpr unsigned kTypeBits = 0170000, kRegular = 0100000, kFolder = 0040000;

/// "<size> <time> <mode in hex> ./<name>"; what is no such line is left out, as is what lies elsewhere.
std::optional<FolderEntry> entryIn(std::string_view line) {
    std::string_view fields[3];
    for (auto& field : fields) {
        const auto space = line.find(' ');
        if (space == std::string_view::npos) return std::nullopt;
        field = line.substr(0, space);
        line.remove_prefix(space + 1);
    }
    const auto size = parseAs<std::uint64_t>(fields[0]);
    const auto modified = parseAs<std::int64_t>(fields[1]);
    const auto mode = parseAs<unsigned>(fields[2], 16);
    if (!size || !modified || !mode || !line.starts_with("./")) return std::nullopt;
    FolderEntry entry;
    entry.name = line.substr(2);
    entry.stat.size = *size;
    entry.stat.modified = *modified;
    entry.stat.isFolder = (*mode & kTypeBits) == kFolder;
    entry.stat.isFile = (*mode & kTypeBits) == kRegular;
    return isSafeRelativePath(entry.name) ? std::optional(std::move(entry)) : std::nullopt;
}

/// `--printf` of stat, of which every name is behind "./". GNU's, as Slurm's machines have it.
constexpr const char* kStat = "xargs -0 stat -L --printf='%s %Y %f %n\\0' -- 2>/dev/null\n";

/// Of the names on its input those of regular files: a pipe would be read for ever.
constexpr std::string_view kRegularOnly =
    "xargs -0 sh -c 'for f; do [ -f \"$f\" ] && printf \"%s\\0\" \"$f\"; done' sh | ";

std::vector<FolderEntry> entriesIn(const std::string& out) {
    std::vector<FolderEntry> entries;
    for (const auto& line : split(out, '\0'))
        if (auto entry = entryIn(line)) entries.push_back(std::move(*entry));
    return entries;
}

}  // namespace

bool isSafeRelativePath(const std::string& name) {
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return false;
    return std::ranges::none_of(split(name, '/'),
                                [](const auto& part) { return part.empty() || part == "." || part == ".."; });
}

std::string enterFolder(const std::string& folder) {
    return "cd -- " + shellQuote(folder) + " || exit " + std::to_string(kNoFolder) + "\n";
}

std::string printNames(const std::vector<std::string>& names) {
    std::string script = "printf '%s\\0'";
    for (const auto& name : names) script += " " + shellQuote("./" + name);
    return script;
}

std::vector<FolderEntry> listTree(Connection& connection, const std::string& folder, int maxDepth,
                                  const std::stop_token& stop) {
    const auto listed = runScript(connection,
                                  enterFolder(folder) + "find -L . -mindepth 1 -maxdepth " +
                                      std::to_string(maxDepth) + " -type f -print0 | " + kStat,
                                  stop);
    if (listed.exitCode == kNoFolder)
        throw transferError("list", folder, connection, sanitizedText(trim(listed.err)));
    auto files = entriesIn(listed.out);
    std::ranges::sort(files, {}, &FolderEntry::name);
    return files;
}

std::map<std::string, FileStat> statAll(Connection& connection, const std::string& folder,
                                        const std::vector<std::string>& names, const std::stop_token& stop) {
    if (names.empty()) return {};
    const auto printed = runScript(connection, enterFolder(folder) + printNames(names) + " | " + kStat, stop);
    std::map<std::string, FileStat> found;
    for (auto& entry : entriesIn(printed.out)) found[std::move(entry.name)] = entry.stat;
    return found;
}

std::map<std::string, std::string> readHeads(Connection& connection, const std::string& folder,
                                             const std::vector<FolderEntry>& files, std::uint64_t bytes,
                                             const std::stop_token& stop) {
    constexpr std::uint64_t kPerCall = 32u << 20;  // what a script prints is bounded
    std::map<std::string, std::string> heads;
    const auto perCall = std::max<std::size_t>(kPerCall / std::max<std::uint64_t>(bytes, 1), 1);
    for (std::size_t begin = 0; begin < files.size(); begin += perCall) {
        const auto end = std::min(begin + perCall, files.size());
        std::vector<std::string> names;
        for (std::size_t i = begin; i < end; ++i) {
            if (!isSafeRelativePath(files[i].name))
                throw InputError("'" + sanitizedText(files[i].name) + "' is not a valid relative file name.");
            names.push_back(files[i].name);
        }
        // One program for hundreds of files; it names each before its bytes.
        const auto printed =
            runScript(connection,
                      enterFolder(folder) + printNames(names) + " | " + std::string(kRegularOnly) +
                          "xargs -0 head -v -c " + std::to_string(bytes) + " -- 2>/dev/null\n",
                      stop);
        std::string_view rest = printed.out;
        for (std::size_t i = begin; i < end; ++i) {
            const std::string title = "==> ./" + files[i].name + " <==\n";
            const std::size_t gap = rest.starts_with('\n') ? 1 : 0;
            if (!rest.substr(gap).starts_with(title)) continue;
            const auto size = std::min(bytes, files[i].stat.size);
            const auto head = rest.substr(gap + title.size(), size);
            rest.remove_prefix(gap + title.size() + head.size());
            const bool isNext = rest.empty() || rest.starts_with("==> ./") || rest.starts_with("\n==> ./");
            if (head.size() == size && isNext) heads.emplace(files[i].name, head);
        }
    }
    return heads;
}

// A device or a pipe would be read for ever.
const std::string_view kHashNames =
    "xargs -0 sh -c 'for f; do [ -f \"$f\" ] && printf \"%s\\0\" \"$f\"; done' sh | "
    "{ if command -v sha256sum >/dev/null; then xargs -0 sha256sum --; "
    "elif command -v shasum >/dev/null; then xargs -0 shasum -a 256 --; "
    "else xargs -0 openssl dgst -sha256 -r; fi; } 2>/dev/null\n";

std::map<std::string, std::string> parseHashes(const std::string& printed) {
    constexpr std::size_t kDigits = 64;
    std::map<std::string, std::string> hashes;
    for (const auto& line : split(printed, '\n')) {
        // "<digits>  ./name", or "<digits> *./name"; a name that had to be escaped has a "\" before all of it
        const bool escaped = line.starts_with('\\');
        const std::string_view rest = std::string_view(line).substr(escaped ? 1 : 0);
        if (rest.size() < kDigits + 5 || rest.substr(kDigits + 2, 2) != "./") continue;
        std::string name;
        for (std::size_t at = kDigits + 4; at < rest.size(); ++at) {
            if (!escaped || rest[at] != '\\' || at + 1 == rest.size())
                name += rest[at];
            else
                name += rest[++at] == 'n' ? '\n' : rest[at] == 'r' ? '\r' : '\\';
        }
        hashes[name] = rest.substr(0, kDigits);
    }
    return hashes;
}

std::map<std::string, std::string> hashAll(Connection& connection, const std::string& folder,
                                           const std::vector<std::string>& names,
                                           const std::stop_token& stop) {
    if (names.empty()) return {};
    return parseHashes(
        runScript(connection, enterFolder(folder) + printNames(names) + " | " + std::string(kHashNames), stop)
            .out);
}

}  // namespace dailies::remote::ssh
