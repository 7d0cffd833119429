#include "trainer/data/video_list.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/media_names.h"
#include "core/base/text.h"
#include "core/config/guidance_types.h"
#include "core/curation/clip_files.h"
#include "core/curation/curated_folder.h"
#include "core/objects/object_reader.h"
#include "core/video/caption_beside.h"

#include <algorithm>
#include <tuple>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFramesFolder = "images";

/// As Champ keeps the frames of a video: in a folder "images" beside those of its drawings.
bool isFolderOfFrames(const fs::path& folder) {
    std::error_code unseen;
    return folder.filename() == kFramesFolder &&
           std::ranges::any_of(config::kGuidanceTypes, [&](const std::string& type) {
               return fs::is_directory(folder.parent_path() / type, unseen);
           });
}

std::vector<fs::path> videosBelowFolder(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    const auto options =
        fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
         at.increment(error))
        if (at->is_directory(error) ? isFolderOfFrames(at->path()) : isVideoName(at->path().string()))
            files.push_back(at->path());
    if (error)
        throw InputError("data.folder: cannot read " + folder.string() + ": " + error.message() + ".",
                         "Name a folder of videos that every node of the cluster can read.");
    std::ranges::sort(files);  // the order of a directory differs between machines; the data order must not
    return files;
}

/// The file of that name, or one of another video format, which tools that draw poses write as mp4, or of key
/// points, or a folder of pictures or key points.
fs::path drawingAt(const fs::path& same) {
    auto asMp4 = same, asJson = same, asFolder = same;
    asMp4.replace_extension(".mp4");
    asJson.replace_extension(".json");
    asFolder.replace_extension();
    std::error_code ignored;
    for (const auto& there : {same, asMp4, asJson, asFolder})
        if (fs::exists(there, ignored)) return there;
    return same;
}

/// Those of a video, which `data.folder` has by this name.
std::vector<fs::path> posesOf(const fs::path& video, const fs::path& poses,
                              const std::vector<std::string>& types) {
    if (poses.empty()) return {};
    if (types.empty()) return {drawingAt(poses / video)};
    std::vector<fs::path> drawings;
    for (const auto& type : types) drawings.push_back(drawingAt(poses / type / video));
    return drawings;
}

fs::path maskOf(const fs::path& video, const config::TrainConfig::Data& data) {
    if (data.loss_masks.empty() || data.loss_masks == kSureHands) return data.loss_masks;
    return drawingAt(fs::path(data.loss_masks) / video);
}

ListedVideo listed(const fs::path& file, const config::TrainConfig::Data& data,
                   const std::vector<std::string>& types) {
    const auto name = file.lexically_relative(data.folder);
    ListedVideo video{file, posesOf(name, data.poses, types)};
    video.lossMask = maskOf(name, data);
    const bool isChamps = isFolderOfFrames(file) && data.poses.empty() && !types.empty();
    if (isChamps) video.poses = drawingsIn(file.parent_path(), types);
    return video;
}

/// As Animate Anyone's training reads it (Moore-AnimateAnyone, tools/extract_meta_info.py).
std::vector<ListedVideo> videosOfJson(const config::TrainConfig::Data& data,
                                      const std::vector<std::string>& types) {
    const fs::path list = data.folder;
    const auto refuse = [&](const std::string& what) {
        throw InputError("data.folder: " + list.string() + " " + what,
                         "It lists videos so: [{\"video_path\": \"a.mp4\", \"kps_path\": \"a_poses.mp4\"}].");
    };
    const auto json = [&] {
        try {
            return parseJson(readFile(list), list.string());
        } catch (const Error& error) {
            throw InputError("data.folder: " + std::string(error.what()), error.remedy());
        }
    }();
    if (!json.is_array()) refuse("is no JSON list.");
    std::vector<ListedVideo> videos;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto pathAt = [&](const char* key) {
            const auto value = json[i].is_object() ? json[i].value(key, Json("")) : Json();
            if (!value.is_string())
                refuse("has no text as " + std::string(key) + " of entry " + std::to_string(i + 1) + ".");
            const auto text = value.get<std::string>();
            return text.empty() ? fs::path() : list.parent_path() / text;
        };
        videos.push_back({pathAt("video_path")});
        for (const auto& drawing : config::drawingsOf(types)) {
            const auto key = drawing == "dwpose" ? "kps_path" : drawing + "_path";
            if (auto path = pathAt(key.c_str()); !path.empty())
                videos.back().poses.push_back(std::move(path));
        }
        videos.back().lossMask = data.loss_masks == kSureHands ? kSureHands : pathAt("mask_path");
        if (videos.back().file.empty()) refuse("has no video_path in entry " + std::to_string(i + 1) + ".");
    }
    return videos;
}

/// Verdicts and captions are those of this moment: nothing has to be written anew after either was changed.
std::vector<ListedVideo> videosOfCuration(const config::TrainConfig::Data& data,
                                          const std::vector<std::string>& types) {
    const fs::path folder = data.folder;
    const auto curated = curation::loadCuratedFolder(folder);
    std::vector<ListedVideo> videos;
    for (const auto& clip : curation::keptClips(curated)) {
        const auto name = curation::clipFileName(clip);
        const bool hasFile = curated.files.contains(name);
        if (!hasFile && objects::isObjectUrl(clip.source))
            throw InputError("data.folder: " + clip.source + " lies on a server, and its clips in " +
                                 folder.string() + " have no files.",
                             "Write them: dailies-train curate with --write-clips, or dailies-train shards.");
        ListedVideo video{.file = hasFile ? folder / curation::kClipFolder / name : fs::path(clip.source),
                          .caption = clip.caption};
        if (hasFile) {
            video.poses = posesOf(name, data.poses, types);
            video.lossMask = maskOf(name, data);
        }
        video.span =
            hasFile ? FilmSpan{0, clip.frames(), {}} : FilmSpan{clip.firstFrame, clip.frames(), clip.crop};
        // a person may have written one there
        if (hasFile && clip.caption.empty()) video.caption = video::captionBeside(video.file).value_or("");
        videos.push_back(std::move(video));
    }
    return videos;
}

}  // namespace

std::vector<fs::path> drawingsIn(const fs::path& poses, const std::vector<std::string>& guidanceTypes) {
    if (guidanceTypes.empty()) return {poses};
    std::vector<fs::path> drawings;
    for (const auto& type : guidanceTypes) drawings.push_back(config::drawingIn(poses, type));
    return drawings;
}

std::vector<ListedVideo> listVideos(const config::TrainConfig::Data& data,
                                    const std::vector<std::string>& guidanceTypes) {
    const fs::path folder = data.folder;
    if (folder.extension() == ".json") return videosOfJson(data, guidanceTypes);
    for (const auto& [key, named, what] :
         {std::tuple{"data.poses", &data.poses, "drawn poses"},
          std::tuple{"data.loss_masks", &data.loss_masks, "masks of the loss"}})
        if (!named->empty() && *named != kSureHands && !fs::is_directory(*named))
            throw InputError(
                std::string(key) + ": " + *named + " is no folder.",
                std::string("Name the folder of ") + what + " that every node of the cluster can read.");
    if (std::error_code unknown; fs::exists(folder / curation::kClipListFile, unknown))
        return videosOfCuration(data, guidanceTypes);
    std::vector<ListedVideo> videos;
    for (const auto& file : videosBelowFolder(folder)) videos.push_back(listed(file, data, guidanceTypes));
    return videos;
}

}  // namespace dailies::trainer
