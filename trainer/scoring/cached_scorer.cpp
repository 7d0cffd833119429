#include "trainer/scoring/cached_scorer.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/video/clip_file.h"
#include "trainer/scoring/feature_array.h"

#include <torch/types.h>

#include <cstring>

namespace dailies::trainer {

namespace {

constexpr auto kScoresWrittenEvery = std::chrono::seconds(10);  // what a kill may lose

Array textArray(const std::string& text) {
    return {"U8", {static_cast<std::int64_t>(text.size())}, {text.begin(), text.end()}};
}

/// uint8 [T, 3, H, W].
at::Tensor decoded(const std::filesystem::path& file) {
    video::ClipReader reader(file);
    const auto& info = reader.info();
    const auto frames = at::empty({info.frames, info.height, info.width, 3}, at::kByte);
    for (int i = 0; i < info.frames; ++i) {
        video::PixelBuffer canvas;
        canvas.pixels = frames[i].data_ptr<std::uint8_t>();
        canvas.width = info.width;
        canvas.height = info.height;
        canvas.rowBytes = std::ptrdiff_t{3} * info.width;
        reader.drawFrame(i, canvas);
    }
    return frames.permute({0, 3, 1, 2}).contiguous();
}

}  // namespace

CachedScorer::CachedScorer(const Scorer& scorer, const std::filesystem::path& folder)
    : m_scorer(scorer), m_cache(folder / scorer.identity()) {}

at::Tensor CachedScorer::framesOf(const std::filesystem::path& video) {
    if (m_decoded != video) {
        m_frames = decoded(video);
        m_decoded = video;
    }
    return m_frames;
}

/// The clip's bytes are read and hashed once for all that is asked about it.
std::string CachedScorer::answerKey(const char* question, const std::filesystem::path& video,
                                    const std::string& caption) {
    if (m_hashed != video) {
        m_content = contentKey({readFile(video)});
        m_hashed = video;
    }
    return contentKey({question, caption, m_content});
}

/// A cache that cannot be read costs the time to ask again, and nothing else.
std::optional<Array> CachedScorer::kept(const std::string& key) const {
    try {
        return m_cache.find(key);
    } catch (const Error&) {
        return std::nullopt;
    }
}

void CachedScorer::keep(const std::string& key, Array answer) {
    ++m_asked;
    m_cache.put(key, std::move(answer));
    const auto now = std::chrono::steady_clock::now();
    if (now - m_written < kScoresWrittenEvery) return;
    m_written = now;
    try {
        m_cache.flush();
    } catch (const Error&) {
        // a full disk: tried again with the next
    }
}

std::map<std::string, double> CachedScorer::values(const std::filesystem::path& video,
                                                   const std::string& caption) {
    const auto key = answerKey("values", video, m_scorer.readsCaptions() ? caption : "");
    std::map<std::string, double> values;
    if (const auto answer = kept(key)) {
        const std::string text(answer->bytes.begin(), answer->bytes.end());
        const Json json = parseJson(text, "the cache of scores");
        for (const auto& [name, value] : json.items()) values[name] = value.get<double>();
        return values;
    }
    values = m_scorer.values(framesOf(video), caption);
    keep(key, textArray(Json(values).dump()));
    return values;
}

at::Tensor CachedScorer::features(const std::filesystem::path& video) {
    const auto key = answerKey("features", video, "");
    if (const auto answer = kept(key)) return tensorOf(*answer);
    const auto features = m_scorer.features(framesOf(video));
    keep(key, arrayOf(features));
    return features;
}

}  // namespace dailies::trainer
