#pragma once

#include "trainer/data/data_source.h"

#include <memory>
#include <vector>

namespace dailies::trainer {

/// A data source in two: the clips to train on, and those that are kept out of training to measure it by.
/// Each bucket gives its share, from its end, because neighbours in the data are alike: most videos are then
/// on one side as a whole. A function of the data's sizes, so every rank and every resumption splits alike.
class HeldOut {
public:
    /// Keeps `clips` of the source's clips out, 0 for none. Throws `InputError` when nothing would be left to
    /// train on. The source must outlive this.
    HeldOut(DataSource& source, std::int64_t clips);

    /// The rest, with indices of its own.
    DataSource& training() { return m_training ? *m_training : m_source; }

    /// What is kept out, as indices of the source. Of generated clips, ones that no training comes to.
    const std::vector<std::int64_t>& indices() const { return m_indices; }

private:
    DataSource& m_source;
    std::vector<std::int64_t> m_indices;
    std::unique_ptr<DataSource> m_training;  ///< null where it is the whole source
};

}  // namespace dailies::trainer
