#include "core/video/clip_part.h"

#include "core/base/error.h"
#include "core/video/clip_head.h"

#include <charconv>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace dailies::video {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPartEnding = ".part";

/// The size in "clip.mp4.<size>-<time>.part"; nullopt for any other name.
std::optional<std::uint64_t> wholeBytesIn(std::string_view name, std::string_view clip) {
    if (!name.starts_with(clip) || !name.ends_with(kPartEnding) ||
        name.size() < clip.size() + kPartEnding.size() + 2)
        return std::nullopt;
    const auto state = name.substr(clip.size() + 1, name.size() - clip.size() - 1 - kPartEnding.size());
    std::uint64_t size = 0;
    const auto [end, failure] = std::from_chars(state.data(), state.data() + state.size(), size);
    const bool isSize = failure == std::errc() && end != state.data() + state.size() && *end == '-';
    return name[clip.size()] == '.' && isSize ? std::optional(size) : std::nullopt;
}

std::vector<ClipPart> partsOf(const fs::path& whole) {
    std::vector<ClipPart> parts;
    const auto clip = whole.filename().string();
    std::error_code problem;
    for (fs::directory_iterator at(whole.parent_path(), problem), end; !problem && at != end;
         at.increment(problem)) {
        const auto size = wholeBytesIn(at->path().filename().string(), clip);
        std::error_code gone;
        if (!size || !at->is_regular_file(gone) || at->is_symlink(gone)) continue;
        parts.push_back({at->path(), at->file_size(gone), *size});
    }
    return parts;
}

bool isPart(const fs::path& file) {
    return file.extension() == kPartEnding;
}

}  // namespace

std::optional<ClipPart> partOf(const fs::path& whole) {
    std::optional<ClipPart> longest;
    for (ClipPart& part : partsOf(whole))
        if (!longest || part.bytes > longest->bytes) longest = std::move(part);
    return longest;
}

std::uint64_t shrinkToHead(const fs::path& file) {
    std::error_code failure;
    const auto before = fs::file_size(file, failure);
    if (failure) return 0;
    const auto wanted = firstPictureEnd(file);
    const auto head = wanted && *wanted < before ? *wanted : 0;
    if (isPart(file) && head > 0) {
        fs::resize_file(file, head, failure);
    } else {
        if (head > 0) {
            // Of which state of the remote file it is a part is no longer known: 0, and a download begins
            // anew.
            fs::path part = file, passing;
            part += "." + std::to_string(before) + "-0" + std::string(kPartEnding);
            passing = part;
            passing += ".new";
            fs::copy_file(file, passing, fs::copy_options::overwrite_existing, failure);
            if (!failure) fs::resize_file(passing, head, failure);
            if (!failure) fs::rename(passing, part, failure);
            if (failure) fs::remove(passing, failure);  // a picture less, and nothing else
        }
        fs::remove(file, failure);
    }
    if (failure)
        throw Error("Cannot remove " + file.string() + ": " + failure.message() + ".",
                    "Make its folder writable, so that the mirror of clips can keep to its size.");
    return before - head;
}

void removeParts(const fs::path& whole) {
    std::error_code failure;
    for (const ClipPart& part : partsOf(whole)) fs::remove(part.file, failure);
}

void markWatched(const fs::path& whole) {
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    ::utimensat(AT_FDCWD, whole.c_str(), times, 0);  // another's file: it does not count, and that is all
}

}  // namespace dailies::video
