#include "core/curation/clip_files.h"

#include "core/base/error.h"
#include "core/curation/crop.h"
#include "core/video/clip_file.h"
#include "core/video/clip_writer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr int kCrf = 18, kPreviewCrf = 30;
constexpr int kGopFrames = 12;  ///< a loader begins anywhere
constexpr double kPreviewFps = 12;

void writeOne(video::ClipReader& reader, const ClipRecord& clip, const fs::path& file,
              const std::stop_token& stop) {
    video::ClipWriter writer(file, {.fps = clip.fps, .crf = kCrf, .gopFrames = kGopFrames});
    for (int n = clip.firstFrame; n <= clip.lastFrame; ++n) {
        if (stop.stop_requested()) throw Cancelled();
        writer.add(cropped(reader.frame(n), clip.crop));
    }
    writer.finish();
}

void writePreview(video::ClipReader& reader, const ClipRecord& clip, const fs::path& file,
                  const std::stop_token& stop) {
    const int stride = previewStride(clip.fps);
    video::ClipWriter writer(
        file, {.fps = clip.fps / stride, .crf = kPreviewCrf, .gopFrames = kGopFrames, .quick = true});
    const auto small = smallCrop(reader.info(), clip.crop, kPreviewSide);
    for (int n = clip.firstFrame; n <= clip.lastFrame; n += stride) {
        if (stop.stop_requested()) throw Cancelled();
        writer.add(cropped(reader.frame(n, small.width, small.height), small.box));
    }
    writer.finish();
}

using WriteClip = void (*)(video::ClipReader&, const ClipRecord&, const fs::path&, const std::stop_token&);

void writeEach(WriteClip write, FilmFiles& films, const std::string& film,
               const std::vector<ClipRecord>& clips, const fs::path& folder,
               const std::function<void()>& onWritten, const std::stop_token& stop) {
    std::unique_ptr<FilmFiles::Open> opened;
    std::optional<video::ClipReader> reader;
    for (const auto& clip : clips) {
        const auto file = folder / clipFileName(clip);
        if (!fs::exists(file)) {
            if (!opened) opened = films.open(film);
            if (!reader) reader.emplace(opened->file());
            write(*reader, clip, file, stop);
        }
        onWritten();
    }
}

/// <12 hexadecimal digits>-<6 or more digits>-<likewise>.mp4
bool isClipFile(const std::string& name) {
    const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    constexpr std::size_t kShortest = 12 + 1 + 6 + 1 + 6 + 4;
    return name.size() >= kShortest && name.ends_with(".mp4") && name[12] == '-' &&
           std::all_of(name.begin(), name.begin() + 12, isHex) &&
           name.find_first_not_of("0123456789-", 12) == name.size() - 4;
}

}  // namespace

std::string clipFileName(const ClipRecord& clip) {
    return clip.id + ".mp4";
}

void writeClipFiles(FilmFiles& films, const std::string& film, const std::vector<ClipRecord>& clips,
                    const fs::path& folder, const std::function<void()>& onWritten,
                    const std::stop_token& stop) {
    writeEach(writeOne, films, film, clips, folder, onWritten, stop);
}

void writePreviewFiles(FilmFiles& films, const std::string& film, const std::vector<ClipRecord>& clips,
                       const fs::path& folder, const std::function<void()>& onWritten,
                       const std::stop_token& stop) {
    writeEach(writePreview, films, film, clips, folder, onWritten, stop);
}

int previewStride(double fps) {
    return std::max(1, static_cast<int>(std::lround(fps / kPreviewFps)));
}

void removeOtherClipFiles(const fs::path& folder, const std::vector<ClipRecord>& clips) {
    std::set<std::string> names;
    for (const auto& clip : clips) names.insert(clipFileName(clip));
    std::error_code missing;
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
        const auto name = entry.path().filename().string();
        if (isClipFile(name) && !names.contains(name)) others.push_back(entry.path());
    }
    for (const auto& file : others) fs::remove(file, missing);
}

}  // namespace dailies::curation
