#pragma once

#include "trainer/data/array_cache.h"
#include "trainer/scoring/scorer.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace dailies::trainer {

/// A scorer that is asked once of each video: its answers are kept by the video's bytes and caption in a
/// folder of the scorer's own (its identity), which jobs may share. One thread.
class CachedScorer {
public:
    /// `folder`: below it the scorer's own lies.
    CachedScorer(const Scorer& scorer, const std::filesystem::path& folder);

    /// As the scorer's own. Throw `Error` as it does, and for a file that cannot be read or decoded; such
    /// answers are not kept.
    std::map<std::string, double> values(const std::filesystem::path& video, const std::string& caption);
    at::Tensor features(const std::filesystem::path& video);

    /// How many answers the scorer itself gave.
    std::int64_t asked() const { return m_asked; }

private:
    at::Tensor framesOf(const std::filesystem::path& video);
    std::string answerKey(const char* question, const std::filesystem::path& video,
                          const std::string& caption);
    std::optional<Array> kept(const std::string& key) const;
    void keep(const std::string& key, Array answer);

    const Scorer& m_scorer;
    ArrayCache m_cache;
    std::int64_t m_asked = 0;
    std::chrono::steady_clock::time_point m_written = std::chrono::steady_clock::now();
    std::filesystem::path m_decoded;  ///< the video whose frames m_frames are
    at::Tensor m_frames;
    std::filesystem::path m_hashed;  ///< the video whose content m_content is
    std::string m_content;
};

}  // namespace dailies::trainer
