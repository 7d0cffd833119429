#pragma once

#include "core/curation/clip_record.h"
#include "core/curation/film_files.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::curation {

/// Writes clips of one film as H.264 (`folder`/<id>.mp4, see `video::ClipWriter`) at their crop boxes and the
/// film's average rate, without sound. `clips` in the film's order. A file that is there stays: it is whole,
/// and the id says its span; where all are there, the film is not opened. Throws `Error`, and `Cancelled`.
void writeClipFiles(FilmFiles& films, const std::string& film, const std::vector<ClipRecord>& clips,
                    const std::filesystem::path& folder, const std::function<void()>& onWritten,
                    const std::stop_token& stop = {});

/// The same for small copies, by which clips are looked at where their films are not: the longer side is at
/// most `kPreviewSide`, and of the film's frames there is each `previewStride(fps)`-th.
void writePreviewFiles(FilmFiles& films, const std::string& film, const std::vector<ClipRecord>& clips,
                       const std::filesystem::path& folder, const std::function<void()>& onWritten,
                       const std::stop_token& stop = {});
inline constexpr int kPreviewSide = 256;
int previewStride(double fps);

/// Removes what earlier calls wrote into `folder` and is none of `clips` any more; other files stay.
void removeOtherClipFiles(const std::filesystem::path& folder, const std::vector<ClipRecord>& clips);

/// "<id>.mp4"
std::string clipFileName(const ClipRecord& clip);

}  // namespace dailies::curation
