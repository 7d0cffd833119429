#pragma once

#include "core/video/clip_file.h"
#include "trainer/data/data_source.h"
#include "trainer/data/posed_video.h"
#include "trainer/data/video_list.h"

#include <filesystem>
#include <mutex>
#include <optional>

namespace dailies::trainer {

/// Every video below a folder, or of a list, cut into clips that follow one another without overlap, scaled
/// to cover the wanted size and cropped at the centre. The caption of a file stands beside it as NAME.txt,
/// else its name is its caption. Of a folder that `curate` wrote, the clips that it keeps are the videos,
/// wherever they lie (`listVideos`). Where videos have drawings of their poses (`listVideos`), clips have
/// them, and a reference picture that is another frame of their video, always the same one.
///
/// Files that cannot be used are left out, each with a line in `takeProblems`. Clips are decoded once and
/// kept when they fit in `kCacheBytes`, else decoded when asked for; a clip that then turns out to be
/// unreadable is replaced by the next readable one, which is the same on every rank and after every
/// resumption.
class VideoFolder : public DataSource {
public:
    static constexpr std::int64_t kCacheBytes = std::int64_t{1} << 30;

    /// Throws `InputError` when the folder is missing or holds no usable clip.
    /// `guidanceTypes`: see `listVideos`. `style`: how key points of poses are drawn.
    explicit VideoFolder(const config::TrainConfig::Data& data, std::int64_t cacheBytes = kCacheBytes,
                         const std::vector<std::string>& guidanceTypes = {}, const PoseStyle& style = {});

    /// Whether its clips have guides: then videos without poses that fit them are left out.
    bool hasPoses() const { return m_drawings > 0; }

    std::int64_t size() const override { return static_cast<std::int64_t>(m_clips.size()); }
    Example example(std::int64_t index) override;
    Example withoutPixels(std::int64_t index) override;
    std::string identity(std::int64_t index) const override;
    std::string origin(std::int64_t index) const override;
    std::vector<std::string> parts() const override;
    std::vector<std::string> captions() const override;
    /// That of a clip with this caption, longer where its video goes on.
    std::optional<CharacterGuide> guideOf(const std::string& prompt, std::int64_t seed,
                                          std::int64_t frames) const override;
    ValueScale valueScale() const override { return m_scale; }
    DatasetStats facts() const override { return m_facts; }
    std::vector<std::string> takeProblems() override;

private:
    struct Video {
        std::filesystem::path file;
        std::string caption;
        int frames = 0;
        std::string stamp = {};  ///< size and time
        std::vector<std::filesystem::path> poses = {};
        std::optional<FilmSpan> span = {};  ///< none: all of the file
        std::filesystem::path lossMask = {};
        std::optional<curation::Box> part() const { return span ? span->part : std::nullopt; }
    };
    struct ClipLocation {
        std::size_t video;
        int firstFrame;
        RgbClip decoded = {};                      ///< empty when clips are decoded on demand
        std::optional<CharacterGuide> guide = {};  ///< decoded as well
    };

    void addVideo(const ListedVideo& listed);
    int framesIn(const ListedVideo& listed);
    void decodeAll();
    void measureScale();
    std::vector<int> framesOf(int first, std::int64_t count) const;
    PosedVideo& opened(std::size_t video);
    RgbClip decode(PosedVideo& video, const ClipLocation& place) const;
    std::optional<CharacterGuide> decodeGuide(PosedVideo& video, const ClipLocation& place) const;

    std::filesystem::path m_folder;
    PoseStyle m_style;
    int m_frames, m_height, m_width, m_stride;
    std::size_t m_drawings = 0;  ///< of the poses of each video
    std::vector<Video> m_videos;
    std::vector<ClipLocation> m_clips;
    std::vector<std::string> m_problems;
    ValueScale m_scale;
    DatasetStats m_facts;
    std::mutex
        m_mutex;  ///< of the reader and the problems; most clips are decoded beforehand and need neither
    std::optional<PosedVideo> m_open;  ///< decoded last
    std::size_t m_openVideo = 0;
};

}  // namespace dailies::trainer
