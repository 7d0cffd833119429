#include "core/analysis/forest.h"

#include "core/analysis/parallel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace dailies::analysis {

namespace {

constexpr std::size_t kBins = 256;
constexpr std::size_t kBlock = 128;  ///< rows whose working memory stays in the cache
constexpr double kMinGain = 1e-12;

}  // namespace

/// The standard's engines give the same numbers everywhere, its distributions do not.
class Forest::Random {
public:
    Random(std::uint64_t seed, std::uint64_t stream) : m_engine(seed * 0x9e3779b97f4a7c15ULL + stream) {}
    std::size_t below(std::size_t count) { return ((m_engine() >> 32) * count) >> 32; }

    template <typename T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[below(i)]);
        }
    }

private:
    std::mt19937_64 m_engine;
};

BinnedColumn binNumbers(const std::vector<double>& values) {
    std::vector<double> sorted;
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
                 [](double v) { return std::isfinite(v); });
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> different = sorted;
    different.erase(std::unique(different.begin(), different.end()), different.end());
    std::vector<double> upper;  // the greatest value of every bin
    if (different.size() < kBins) {
        upper = std::move(different);
    } else {
        for (std::size_t bin = 1; bin < kBins; ++bin) {
            upper.push_back(sorted[bin * sorted.size() / (kBins - 1) - 1]);
        }
        upper.erase(std::unique(upper.begin(), upper.end()), upper.end());
    }
    BinnedColumn column;
    column.bins.reserve(values.size());
    for (const double value : values) {
        const auto bin = std::lower_bound(upper.begin(), upper.end(), value) - upper.begin();
        column.bins.push_back(std::isfinite(value) ? static_cast<std::uint8_t>(bin + 1) : std::uint8_t{0});
    }
    return column;
}

BinnedColumn binCategories(const std::vector<double>& values, std::size_t categories) {
    std::vector<std::size_t> counts(categories);
    for (const double value : values) {
        if (std::isfinite(value)) {
            ++counts[static_cast<std::size_t>(value)];
        }
    }
    std::vector<std::size_t> order(categories);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
    std::vector<std::uint8_t> binOf(categories);
    for (std::size_t i = 0; i < categories; ++i) {
        binOf[order[i]] = static_cast<std::uint8_t>(std::min(i + 1, kMaxCategories));
    }
    BinnedColumn column{.ordered = false};
    column.bins.reserve(values.size());
    for (const double value : values) {
        column.bins.push_back(std::isfinite(value) ? binOf[static_cast<std::size_t>(value)]
                                                   : std::uint8_t{0});
    }
    return column;
}

/// Grows one tree on a bootstrap sample.
class Forest::Grower {
public:
    Grower(const Forest& forest, std::uint64_t stream)
        : m_forest(forest), m_random(forest.m_options.seed, stream), m_order(forest.m_columns.size()) {
        std::iota(m_order.begin(), m_order.end(), std::uint16_t{0});
    }

    Tree grow() {
        const std::size_t rows = m_forest.m_target.size();
        Tree tree;
        tree.inBag.resize(rows);
        m_rows.resize(rows);
        for (auto& row : m_rows) {
            row = static_cast<std::uint32_t>(m_random.below(rows));
            tree.inBag[row] = true;
        }
        struct Work {
            std::uint32_t node;
            std::size_t first, last;
        };
        tree.nodes.emplace_back();
        std::vector<Work> open{{0, 0, rows}};
        while (!open.empty()) {
            const Work work = open.back();
            open.pop_back();
            Node node = split(work.first, work.last);
            const bool isSplit = node.left != 0 || node.highestLeft != kNoSplit;
            if (isSplit) {
                const auto& bins = m_forest.m_columns[node.column].bins;
                const auto middle = static_cast<std::size_t>(
                    std::partition(m_rows.begin() + static_cast<std::ptrdiff_t>(work.first),
                                   m_rows.begin() + static_cast<std::ptrdiff_t>(work.last),
                                   [&](std::uint32_t row) { return node.goesLeft(bins[row]); }) -
                    m_rows.begin());
                node.child = static_cast<std::uint32_t>(tree.nodes.size());
                open.push_back({node.child, work.first, middle});
                open.push_back({node.child + 1, middle, work.last});
                tree.nodes.resize(tree.nodes.size() + 2);
            }
            tree.nodes[work.node] = node;
        }
        return tree;
    }

private:
    static constexpr std::uint8_t kNoSplit = 255;  ///< all rows would go left

    struct Cell {
        double sum = 0;
        double count = 0;
    };

    /// The node of these rows with its best split, if one lowers the squared error.
    Node split(std::size_t first, std::size_t last) {
        double sum = 0;
        m_values.clear();
        for (std::size_t i = first; i < last; ++i) {
            m_values.push_back(m_forest.m_target[m_rows[i]]);
            sum += m_values.back();
        }
        const auto count = static_cast<double>(last - first);
        Node best;
        best.highestLeft = kNoSplit;
        best.value = sum / count;
        if (last - first < m_forest.m_options.minSamplesSplit) {
            return best;
        }
        const auto wanted = static_cast<std::size_t>(
            std::ceil(m_forest.m_options.columnsPerSplit * static_cast<double>(m_order.size())));
        double bestScore = sum * sum / count + kMinGain;
        bool found = false;
        // Columns that happen to be constant here cost a look, not a try.
        for (std::size_t tried = 0; tried < m_order.size() && (tried < wanted || !found); ++tried) {
            std::swap(m_order[tried], m_order[tried + m_random.below(m_order.size() - tried)]);
            fill(m_order[tried], first, last);
            found = bestCut(m_order[tried], sum, count, bestScore, best) || found;
        }
        return best;
    }

    void fill(std::uint16_t column, std::size_t first, std::size_t last) {
        const auto& bins = m_forest.m_columns[column].bins;
        for (std::size_t i = first; i < last; ++i) {
            const std::uint8_t bin = bins[m_rows[i]];
            m_cells[bin].sum += m_values[i - first];
            m_cells[bin].count += 1;
            m_used[bin / 64] |= std::uint64_t{1} << (bin % 64);
        }
        // Only the bins that hold something are visited (and emptied): small nodes are most of a tree.
        m_present.clear();
        for (std::size_t word = 0; word < m_used.size(); ++word) {
            for (std::uint64_t bits = m_used[word]; bits != 0; bits &= bits - 1) {
                m_present.push_back(
                    static_cast<std::uint8_t>(64 * word + static_cast<std::size_t>(std::countr_zero(bits))));
            }
            m_used[word] = 0;
        }
    }

    /// Improves `best` by a cut of the filled column if it can; false when the column is constant here.
    bool bestCut(std::uint16_t column, double sum, double count, double& bestScore, Node& best) {
        const bool ordered = m_forest.m_columns[column].ordered;
        if (!ordered) {
            std::sort(m_present.begin(), m_present.end(), [&](std::uint8_t a, std::uint8_t b) {
                return m_cells[a].sum * m_cells[b].count < m_cells[b].sum * m_cells[a].count;
            });
        }
        double leftSum = 0, leftCount = 0;
        std::uint64_t left = 0;
        for (std::size_t i = 0; i + 1 < m_present.size(); ++i) {
            const std::uint8_t bin = m_present[i];
            leftSum += m_cells[bin].sum;
            leftCount += m_cells[bin].count;
            left |= std::uint64_t{1} << (bin % 64);
            const double rightSum = sum - leftSum;
            const double score = leftSum * leftSum / leftCount + rightSum * rightSum / (count - leftCount);
            if (score > bestScore) {
                bestScore = score;
                best.column = column;
                best.ordered = ordered;
                best.highestLeft = ordered ? bin : std::uint8_t{0};
                best.left = ordered ? 0 : left;
            }
        }
        for (const std::uint8_t bin : m_present) {
            m_cells[bin] = {};
        }
        return m_present.size() > 1;
    }

    const Forest& m_forest;
    Random m_random;
    std::vector<std::uint16_t> m_order;
    std::vector<std::uint32_t> m_rows;
    std::vector<double> m_values;  ///< targets of the rows of the node at hand
    std::array<Cell, kBins> m_cells{};
    std::array<std::uint64_t, kBins / 64> m_used{};
    std::vector<std::uint8_t> m_present;
};

Forest::Forest(std::vector<BinnedColumn> columns, std::vector<double> target, const ForestOptions& options,
               std::stop_token stop)
    : m_columns(std::move(columns)), m_target(std::move(target)), m_options(options) {
    const auto rows = static_cast<double>(m_target.size());
    const double mean = std::accumulate(m_target.begin(), m_target.end(), 0.0) / rows;
    for (double& value : m_target) {
        value -= mean;
        m_variance += value * value / rows;
    }
    m_trees.resize(options.trees);
    forEachIndex(options.trees, options.threads, stop,
                 [&](std::size_t i) { m_trees[i] = Grower(*this, i).grow(); });

    m_predictions.assign(m_target.size(), 0);
    m_judges.assign(m_target.size(), 0);
    for (const Tree& tree : m_trees) {
        for (std::size_t row = 0; row < m_target.size(); ++row) {
            if (!tree.inBag[row]) {
                m_predictions[row] += predicted(tree, 0, row, m_columns.size(), 0);
                ++m_judges[row];
            }
        }
    }
    double error = 0, judged = 0;
    for (std::size_t row = 0; row < m_target.size(); ++row) {
        if (m_judges[row] > 0) {
            m_predictions[row] /= m_judges[row];
            error += (m_target[row] - m_predictions[row]) * (m_target[row] - m_predictions[row]);
            judged += 1;
        }
    }
    m_explained = m_variance > 0 && judged > 0 ? 1 - error / judged / m_variance : 0;
}

double Forest::predicted(const Tree& tree, std::uint32_t at, std::size_t row, std::size_t replaced,
                         std::uint8_t bin) const {
    const Node* node = &tree.nodes[at];
    while (node->child != 0) {
        const bool left = node->goesLeft(node->column == replaced ? bin : m_columns[node->column].bins[row]);
        node = &tree.nodes[node->child + (left ? 0 : 1)];
    }
    return node->value;
}

std::vector<double> Forest::importance(std::size_t repeats, std::stop_token stop) const {
    const std::size_t rows = m_target.size();
    const std::size_t columns = m_columns.size();
    // shuffled[c * repeats + r][row]: the bin that the row gets in that shuffle.
    std::vector<std::vector<std::uint8_t>> shuffled(columns * repeats);
    forEachIndex(shuffled.size(), m_options.threads, stop, [&](std::size_t i) {
        shuffled[i] = m_columns[i / repeats].bins;
        Random(m_options.seed, m_options.trees + i).shuffle(shuffled[i]);
    });

    // A block of rows is one thread's, trees in their order: the sums do not depend on the threads.
    const std::size_t blocks = (rows + kBlock - 1) / kBlock;
    std::vector<std::vector<double>> increases(blocks, std::vector<double>(columns, 0));
    forEachIndex(blocks, m_options.threads, stop, [&](std::size_t block) {
        const std::size_t first = block * kBlock;
        const std::size_t last = std::min(rows, first + kBlock);
        const std::size_t width = columns * repeats;
        std::vector<double> change(kBlock * width, 0);  // of the sum of the predictions of a row's trees
        std::vector<std::size_t> seenAt(columns, 0);
        std::size_t visit = 0;
        for (const Tree& tree : m_trees) {
            for (std::size_t row = first; row < last; ++row) {
                if (tree.inBag[row]) {
                    continue;
                }
                const double before = predicted(tree, 0, row, columns, 0);
                double* const changes = &change[(row - first) * width];
                ++visit;
                // Only columns on the row's way through the tree can change where it ends, and only from
                // where they are first asked for.
                for (std::uint32_t at = 0; tree.nodes[at].child != 0;) {
                    const Node& node = tree.nodes[at];
                    const std::size_t column = node.column;
                    const bool left = node.goesLeft(m_columns[column].bins[row]);
                    if (seenAt[column] != visit) {
                        seenAt[column] = visit;
                        for (std::size_t r = 0; r < repeats; ++r) {
                            const std::uint8_t bin = shuffled[column * repeats + r][row];
                            changes[column * repeats + r] += predicted(tree, at, row, column, bin) - before;
                        }
                    }
                    at = node.child + (left ? 0 : 1);
                }
            }
        }
        for (std::size_t row = first; row < last; ++row) {
            if (m_judges[row] == 0) {
                continue;
            }
            const double residual = m_target[row] - m_predictions[row];
            for (std::size_t i = 0; i < width; ++i) {
                const double worse = residual - change[(row - first) * width + i] / m_judges[row];
                increases[block][i / repeats] += worse * worse - residual * residual;
            }
        }
    });

    const auto judged = static_cast<double>(
        std::count_if(m_judges.begin(), m_judges.end(), [](auto count) { return count > 0; }));
    std::vector<double> result(columns, 0);
    for (const auto& block : increases) {
        for (std::size_t column = 0; column < columns; ++column) {
            result[column] += block[column];
        }
    }
    for (double& value : result) {
        value = m_variance > 0 && judged > 0
                    ? value / (static_cast<double>(repeats) * judged * 2 * m_variance)
                    : 0;
    }
    return result;
}

}  // namespace dailies::analysis
