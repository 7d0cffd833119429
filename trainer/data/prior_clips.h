#pragma once

#include "trainer/data/data_source.h"

namespace dailies::trainer {

/// Clips to train on among prior ones, which show what the model knows already (`data.prior_folder`): of all
/// that an epoch has, `share` are prior. Both are repeated until each of them is in it, the fewer ones the
/// more often. Of one bucket.
class WithPriorClips : public DataSource {
public:
    /// Both must outlive this.
    WithPriorClips(DataSource& own, DataSource& prior, double share);

    std::int64_t size() const override { return m_own + m_prior; }
    Example example(std::int64_t index) override { return at(index).source.example(at(index).index); }
    void readAhead(std::int64_t index) override { at(index).source.readAhead(at(index).index); }
    Example withoutPixels(std::int64_t index) override {
        return at(index).source.withoutPixels(at(index).index);
    }
    std::string identity(std::int64_t index) const override {
        return at(index).source.identity(at(index).index);
    }
    std::string origin(std::int64_t index) const override { return at(index).source.origin(at(index).index); }
    std::vector<std::string> parts() const override;
    DatasetStats facts() const override;
    std::int64_t latentChannels() const override { return m_ownClips.latentChannels(); }
    std::int64_t textWidth() const override { return m_ownClips.textWidth(); }
    std::vector<std::string> captions() const override;
    ValueScale valueScale() const override { return m_ownClips.valueScale(); }
    std::vector<std::string> takeProblems() override;

private:
    struct Place {
        DataSource& source;
        std::int64_t index;
    };
    Place at(std::int64_t index) const;

    DataSource &m_ownClips, &m_priorClips;
    std::int64_t m_own = 0, m_prior = 0;  ///< in an epoch, repeated ones as often as they come
};

}  // namespace dailies::trainer
