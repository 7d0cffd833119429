#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

namespace dailies::analysis {

/// Columns as small integers, which is all that a tree looks at: 0 where a row has no value, so that "none"
/// is below every number and a category of its own; else 1 + the quantile of a number (at most 255, exact
/// where there are no more different values) or 1 + the index of a category.
struct BinnedColumn {
    std::vector<std::uint8_t> bins = {};  ///< a row each
    bool ordered = true;                  ///< false: categories, at most `kMaxCategories`
};
inline constexpr std::size_t kMaxCategories = 63;

/// `values`: a row each, NaN (or infinite) where there is none.
BinnedColumn binNumbers(const std::vector<double>& values);
/// `values`: indexes of categories. Beyond `kMaxCategories` the rarer ones are one category.
BinnedColumn binCategories(const std::vector<double>& values, std::size_t categories);

struct ForestOptions {
    std::size_t trees = 200;
    std::uint64_t seed = 1;  ///< the same seed gives the same forest on any number of threads
    unsigned threads = 1;
    double columnsPerSplit = 0.5;     ///< share of the columns that a split chooses from
    std::size_t minSamplesSplit = 5;  ///< a node of fewer rows is a leaf
};

/// Regression by bagged trees (Breiman, Random Forests, Machine Learning 45, 2001). Splits of categories are
/// the best of all subsets, found by ordering the categories by their mean (Fisher 1958; Breiman et al.
/// 1984).
///
/// It answers for the rows that it was trained on, each by the trees that have not seen it ("out of bag"),
/// which is as good as a test set and costs no run.
class Forest {
public:
    /// All columns and `target` have the same number of rows, at least two; `target` is finite. Throws
    /// `Cancelled`.
    Forest(std::vector<BinnedColumn> columns, std::vector<double> target, const ForestOptions& options,
           std::stop_token stop = {});

    /// 1 − mean squared error / variance of the out-of-bag predictions; ≤ 0 when the columns tell nothing.
    double explained() const { return m_explained; }

    /// How much worse the out-of-bag predictions get when one column is shuffled over the rows: the increase
    /// of the mean squared error over twice the variance of the target. For a perfect model and independent
    /// columns this is the column's total Sobol index, the share of the variance that goes through it alone
    /// or with others (Jansen, Computer Physics Communications 117, 1999; Gregorutti, Michel, Saint-Pierre,
    /// Statistics and Computing 27, 2017). Columns that say the same share their importance. The mean over
    /// `repeats` shuffles, by column; may be slightly negative. Throws `Cancelled`.
    std::vector<double> importance(std::size_t repeats, std::stop_token stop = {}) const;

private:
    struct Node {
        std::uint64_t left = 0;   ///< of categories: the bins that go left, a bit each
        double value = 0;         ///< mean of the rows here
        std::uint32_t child = 0;  ///< index of the left child, the right one follows; 0: a leaf
        std::uint16_t column = 0;
        std::uint8_t highestLeft = 0;  ///< of ordered columns: the highest bin that goes left
        bool ordered = true;

        bool goesLeft(std::uint8_t bin) const {
            return ordered ? bin <= highestLeft : (left >> bin & 1) != 0;
        }
    };
    struct Tree {
        std::vector<Node> nodes;
        std::vector<bool> inBag;  ///< a row each
    };
    class Random;
    class Grower;

    double predicted(const Tree& tree, std::uint32_t node, std::size_t row, std::size_t replaced,
                     std::uint8_t bin) const;

    std::vector<BinnedColumn> m_columns;
    std::vector<double> m_target;  ///< minus its mean
    ForestOptions m_options;
    std::vector<Tree> m_trees;
    std::vector<double> m_predictions;    ///< out of bag, a row each
    std::vector<std::uint32_t> m_judges;  ///< how many trees made it
    double m_variance = 0;
    double m_explained = 0;
};

}  // namespace dailies::analysis
