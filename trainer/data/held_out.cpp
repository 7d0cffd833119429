#include "trainer/data/held_out.h"

#include "core/base/error.h"

#include <algorithm>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kBeyondTraining = std::int64_t{1} << 40;  // of generated clips

/// The first clips of each bucket of another source.
class FirstOfBuckets : public DataSource {
public:
    FirstOfBuckets(DataSource& source, std::vector<std::int64_t> sizes)
        : m_source(source), m_sizes(std::move(sizes)) {
        std::int64_t end = 0, skipped = 0;
        const auto whole = source.bucketSizes();
        for (std::size_t i = 0; i < m_sizes.size(); ++i) {
            m_ends.push_back(end += m_sizes[i]);
            m_skipped.push_back(skipped);
            skipped += whole[i] - m_sizes[i];
        }
    }

    std::int64_t size() const override { return m_ends.back(); }
    std::int64_t clipsDrawnTogether() const override { return m_source.clipsDrawnTogether(); }
    Example example(std::int64_t index) override { return m_source.example(inSource(index)); }
    void readAhead(std::int64_t index) override { m_source.readAhead(inSource(index)); }
    Example withoutPixels(std::int64_t index) override { return m_source.withoutPixels(inSource(index)); }
    std::vector<std::int64_t> bucketSizes() const override { return m_sizes; }
    std::string identity(std::int64_t index) const override { return m_source.identity(inSource(index)); }
    std::string origin(std::int64_t index) const override { return m_source.origin(inSource(index)); }
    std::vector<std::string> parts() const override { return m_source.parts(); }
    DatasetStats facts() const override { return m_source.facts(); }
    std::int64_t latentChannels() const override { return m_source.latentChannels(); }
    std::int64_t textWidth() const override { return m_source.textWidth(); }
    std::vector<std::string> captions() const override { return m_source.captions(); }
    ValueScale valueScale() const override { return m_source.valueScale(); }
    const Judge* judge() const override { return m_source.judge(); }
    std::vector<std::string> takeProblems() override { return m_source.takeProblems(); }

private:
    std::int64_t inSource(std::int64_t index) const {
        const auto bucket = std::ranges::upper_bound(m_ends, index) - m_ends.begin();
        return index + m_skipped[static_cast<std::size_t>(bucket)];
    }

    DataSource& m_source;
    std::vector<std::int64_t> m_sizes, m_ends;
    std::vector<std::int64_t> m_skipped;  ///< clips held out of the buckets before
};

}  // namespace

HeldOut::HeldOut(DataSource& source, std::int64_t clips) : m_source(source) {
    if (clips == 0) return;
    const auto total = source.size();
    if (total == 0) {
        for (std::int64_t i = 0; i < clips; ++i) m_indices.push_back(kBeyondTraining + i);
        return;
    }
    if (clips >= total)
        throw InputError("validation.clips: found " + std::to_string(clips) + " for data of " +
                             std::to_string(total) + " clips, which would leave none to train on.",
                         "Keep fewer clips out, or none with validation.every 0.");
    auto sizes = source.bucketSizes();
    std::int64_t before = 0;
    for (auto& size : sizes) {
        const auto end = before + size;
        const auto held = clips * end / total - clips * before / total;
        for (auto index = end - held; index < end; ++index) m_indices.push_back(index);
        size -= held;
        before = end;
    }
    m_training = std::make_unique<FirstOfBuckets>(source, std::move(sizes));
}

}  // namespace dailies::trainer
