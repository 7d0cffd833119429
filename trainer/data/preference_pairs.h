#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_source.h"

#include <filesystem>
#include <mutex>

namespace dailies::trainer {

/// Pairs of clips of one prompt of which people preferred one: JSON lines with `prompt`, `better` and
/// `worse`, as `dailies export --what preferences` writes them; relative paths begin where the list lies.
/// Each pair gives two clips, the preferred one first, of the first frames of its files.
///
/// Pairs that cannot be used are left out, each with a line in `takeProblems`.
class PreferencePairs : public DataSource {
public:
    /// Throws `InputError` for a list that cannot be read or holds no usable pair.
    explicit PreferencePairs(const config::TrainConfig::Data& data);

    std::int64_t size() const override { return static_cast<std::int64_t>(m_clips.size()); }
    std::int64_t clipsDrawnTogether() const override { return 2; }
    /// Throws `Error` with the file's name where it cannot be decoded.
    Example example(std::int64_t index) override;
    Example withoutPixels(std::int64_t index) override;
    std::string identity(std::int64_t index) const override;
    std::string origin(std::int64_t index) const override;
    std::vector<std::string> parts() const override;
    std::vector<std::string> captions() const override;
    ValueScale valueScale() const override { return m_scale; }
    DatasetStats facts() const override { return m_facts; }
    std::vector<std::string> takeProblems() override;

private:
    struct Clip {
        std::filesystem::path file;
        std::string caption, stamp;  ///< stamp: size and time
    };

    Clip usable(const std::filesystem::path& file, const std::string& caption) const;
    void measureScale();
    const Clip& at(std::int64_t index) const { return m_clips[static_cast<std::size_t>(index)]; }

    int m_frames, m_height, m_width, m_stride;
    std::vector<Clip> m_clips;
    ValueScale m_scale;
    DatasetStats m_facts;
    std::mutex m_mutex;  ///< of the problems
    std::vector<std::string> m_problems;
};

}  // namespace dailies::trainer
