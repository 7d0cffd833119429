#include "core/exchange/find_clips.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/exchange/clip_captions.h"
#include "core/sources/clip_name.h"
#include "core/tracking/clip_path.h"
#include "core/video/caption_beside.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace dailies::exchange {

namespace {

namespace fs = std::filesystem;

/// "model" of "/data/model/" and of "/data/model".
std::string nameOf(const fs::path& folder) {
    const auto name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
    return sanitizedText(name.empty() ? folder.string() : name.string());
}

bool namesStep(const std::string& folder) {
    return sources::clipNameOf(folder + "/video.mp4").step > 0;
}

/// A folder and the videos below it, by their paths in it.
struct Folder {
    fs::path path;
    std::vector<std::string> videos = {};
};

class ClipFinder {
public:
    ClipFinder(FoundClips& found, const std::optional<CaptionTable>& captions, std::stop_token stop)
        : m_found(found), m_captions(captions), m_stop(std::move(stop)) {}

    void add(const fs::path& given) {
        std::error_code failure;
        const auto path = fs::canonical(given, failure);
        if (failure)
            throw InputError("There is no folder " + sanitizedText(given.string()) + ".",
                             "Name a folder of videos, or a video.");
        if (fs::is_directory(path)) {
            Folder folder{path};
            list(path, folder.videos);
            divide(nameOf(path), folder, ownTable(path));
        } else if (tracking::isClipPath(path.filename().string())) {
            m_single[path.parent_path()].insert(path.filename().string());
        } else {
            addSkipped(m_found.skipped, sanitizedText(given.string()), "not a folder or a video");
        }
    }

    /// The videos that were given by themselves: those of one folder are a set.
    void addSingle() {
        for (const auto& [path, videos] : m_single)
            addSet(nameOf(path), {path, {videos.begin(), videos.end()}}, ownTable(path));
    }

private:
    void list(const fs::path& root, std::vector<std::string>& videos) {
        std::error_code failure;
        fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, failure);
        for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
            if (m_stop.stop_requested()) throw Cancelled();
            std::error_code ignored;
            const bool isHidden = at->path().filename().string().starts_with('.');
            if (at->is_directory(ignored)) {
                if (isHidden) at.disable_recursion_pending();
                continue;
            }
            // a file that downloaders and rsync are still writing is hidden, too
            if (isHidden || !at->is_regular_file(ignored)) continue;
            const auto path = at->path().lexically_relative(root).generic_string();
            if (!tracking::isClipPath(path)) continue;
            if (sanitizedText(path) != path) {
                addSkipped(m_found.skipped, "videos", "their names are not valid text");
                continue;
            }
            if (++m_videos > kMostFolderClips) {
                addSkipped(m_found.skipped, "videos",
                           "one wall holds at most " + grouped(kMostFolderClips) + "; open fewer folders");
                continue;
            }
            videos.push_back(path);
        }
        if (failure)
            addSkipped(m_found.skipped, sanitizedText(root.string()), "cannot be read: " + failure.message());
    }

    const CaptionTable* ownTable(const fs::path& folder) {
        if (m_captions) return &*m_captions;
        auto [at, isNew] = m_tables.try_emplace(folder);
        if (isNew) at->second = CaptionTable::in(folder);
        return at->second ? &*at->second : nullptr;
    }

    /// `table`: of the folders above.
    void divide(const std::string& name, const Folder& folder, const CaptionTable* table) {
        std::map<std::string, Folder> below;
        Folder own{folder.path};
        for (const std::string& video : folder.videos) {
            const auto slash = video.find('/');
            if (slash == std::string::npos) {
                own.videos.push_back(video);
                continue;
            }
            auto& child = below[video.substr(0, slash)];
            child.path = folder.path / video.substr(0, slash);
            child.videos.push_back(video.substr(slash + 1));
        }
        const bool areSteps =
            !below.empty() && std::ranges::all_of(below, [](const auto& c) { return namesStep(c.first); });
        if (below.empty() || areSteps) {
            addSet(name, folder, table);
        } else if (below.size() == 1 && own.videos.empty()) {  // "model/samples/…"
            const Folder& child = below.begin()->second;
            const auto* its = ownTable(child.path);
            divide(name, child, its ? its : table);
        } else {
            if (!own.videos.empty()) addSet(name, own, table);
            for (const auto& [childName, child] : below) {
                const auto* its = ownTable(child.path);
                addSet(sanitizedText(childName), child, its ? its : table);
            }
        }
    }

    void addSet(const std::string& name, const Folder& folder, const CaptionTable* table) {
        std::map<std::string, std::vector<FolderClip>> byModel;
        auto videos = folder.videos;
        std::ranges::sort(videos);
        for (const std::string& video : videos) {
            if (m_stop.stop_requested()) throw Cancelled();
            FolderClip clip;
            clip.file = folder.path / video;
            clip.path = video;
            const auto told = sources::clipNameOf(nameOf(folder.path) + "/" + video);
            const auto* caption = table ? table->find(clip.file) : nullptr;
            clip.step = caption && caption->step ? *caption->step : told.step;
            clip.seed = caption && caption->seed ? *caption->seed : told.seed;
            if (caption && !caption->prompt.empty())
                clip.prompt = sanitizedText(caption->prompt);
            else
                clip.prompt = sanitizedText(video::captionBeside(clip.file).value_or(told.prompt));
            byModel[caption ? sanitizedText(caption->model) : std::string()].push_back(std::move(clip));
        }
        for (auto& [model, clips] : byModel) {
            tellApart(clips);
            m_found.sets.push_back({uniqueName(model.empty() ? name : model, folder.path), folder.path, model,
                                    std::move(clips)});
        }
    }

    /// Samples of one prompt get seeds of their own, in the order of their names.
    static void tellApart(std::vector<FolderClip>& clips) {
        struct Taken {
            std::set<std::int64_t> seeds;
            std::int64_t next = 0;  ///< all below were tried: a thousand clips of one caption take no longer
        };
        std::map<std::pair<std::int64_t, std::string>, Taken> taken;
        for (FolderClip& clip : clips) {
            auto& [seeds, next] = taken[{clip.step, clip.prompt}];
            if (seeds.insert(clip.seed).second) continue;
            while (!seeds.insert(next).second) ++next;
            clip.seed = next++;
        }
    }

    std::string uniqueName(const std::string& name, const fs::path& folder) {
        if (m_names.insert(name).second) return name;
        const std::string longer = nameOf(folder.parent_path()) + "/" + name;
        if (m_names.insert(longer).second) return longer;
        for (int n = 2;; ++n)
            if (const auto numbered = name + " " + std::to_string(n); m_names.insert(numbered).second)
                return numbered;
    }

    FoundClips& m_found;
    const std::optional<CaptionTable>& m_captions;
    std::stop_token m_stop;
    std::map<fs::path, std::optional<CaptionTable>> m_tables;
    std::map<fs::path, std::set<std::string>> m_single;
    std::set<std::string> m_names;
    std::size_t m_videos = 0;
};

}  // namespace

FoundClips findClips(const std::vector<fs::path>& folders, const fs::path& captions, std::stop_token stop) {
    FoundClips found;
    std::optional<CaptionTable> table;
    if (!captions.empty()) table.emplace(captions);
    ClipFinder finder(found, table, std::move(stop));
    for (const auto& folder : folders) finder.add(folder);
    finder.addSingle();
    if (found.sets.empty())
        throw InputError("No video was found in " +
                             (folders.size() == 1
                                  ? sanitizedText(folders.front().string())
                                  : pluralize(static_cast<long long>(folders.size()), "folder", "folders")) +
                             ".",
                         "Videos end in .mp4, .webm, .mov, .mkv, .m4v or .gif.");
    return found;
}

}  // namespace dailies::exchange
