#include "core/analysis/importance.h"

#include "core/analysis/forest.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace dailies::analysis {

namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t kTreesShare = 4;     ///< a resample's forest has a quarter of the trees
constexpr std::size_t kMaxKept = 1'000;    ///< runs of a resample: enough, and thousands more cost seconds
constexpr std::size_t kRunsPerLeaf = 250;  ///< leaves grow with the runs beyond 5 × this many

std::size_t minSamplesSplit(std::size_t runs) {
    return std::max<std::size_t>(ForestOptions{}.minSamplesSplit, runs / kRunsPerLeaf);
}

template <typename T>
std::vector<T> taken(const std::vector<T>& values, const Rows& rows) {
    std::vector<T> result;
    result.reserve(rows.size());
    for (const std::size_t row : rows) {
        result.push_back(values[row]);
    }
    return result;
}

Rows finiteRows(const Column& target) {
    Rows rows;
    for (std::size_t row = 0; row < target.values.size(); ++row) {
        if (std::isfinite(target.values[row])) {
            rows.push_back(row);
        }
    }
    return rows;
}

BinnedColumn binned(const Column& column) {
    return column.kind == Column::Kind::Number ? binNumbers(column.values)
                                               : binCategories(column.values, column.categories.size());
}

std::string nameOf(const Column& target) {
    return target.field.key.empty() ? toText(target.field) : "'" + sanitizedText(target.field.key) + "'";
}

/// The category whose runs have the highest mean target.
std::string highestCategory(const Column& column, const std::vector<double>& target) {
    std::vector<double> sums(column.categories.size()), counts(column.categories.size());
    for (std::size_t row = 0; row < target.size(); ++row) {
        if (std::isfinite(column.values[row])) {
            const auto category = static_cast<std::size_t>(column.values[row]);
            sums[category] += target[row];
            counts[category] += 1;
        }
    }
    std::string best;
    double bestMean = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (counts[i] > 0 && sums[i] / counts[i] > bestMean) {
            bestMean = sums[i] / counts[i];
            best = column.categories[i];
        }
    }
    return best;
}

/// Standard errors of the importances, by column.
std::vector<double> standardErrors(const std::vector<BinnedColumn>& columns,
                                   const std::vector<double>& target, const ImportanceOptions& options,
                                   ForestOptions forestOptions, std::stop_token stop) {
    const std::size_t runs = target.size();
    const std::size_t kept =
        std::min(kMaxKept, std::max<std::size_t>(runs / 2, std::min<std::size_t>(6, runs - 2)));
    forestOptions.minSamplesSplit = minSamplesSplit(kept);
    forestOptions.trees = std::max<std::size_t>(1, options.trees / kTreesShare);
    std::mt19937_64 engine(options.seed);
    Rows order(runs);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::vector<double>> samples;
    for (std::size_t k = 0; k < options.resamples; ++k) {
        for (std::size_t i = 0; i < kept; ++i) {
            std::swap(order[i], order[i + ((engine() >> 32) * (runs - i) >> 32)]);
        }
        const Rows rows(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
        std::vector<BinnedColumn> half;
        half.reserve(columns.size());
        for (const auto& column : columns) {
            half.push_back({taken(column.bins, rows), column.ordered});
        }
        forestOptions.seed = options.seed + 1 + k;
        samples.push_back(
            Forest(std::move(half), taken(target, rows), forestOptions, stop).importance(2, stop));
    }
    std::vector<double> errors(columns.size(), 0);
    if (samples.empty()) {
        return errors;
    }
    const double factor = static_cast<double>(kept) / static_cast<double>(runs - kept);
    const auto count = static_cast<double>(samples.size());
    for (std::size_t column = 0; column < columns.size(); ++column) {
        double mean = 0, squares = 0;
        for (const auto& sample : samples) {
            mean += sample[column] / count;
        }
        for (const auto& sample : samples) {
            squares += (sample[column] - mean) * (sample[column] - mean) / count;
        }
        errors[column] = std::sqrt(factor * squares);
    }
    return errors;
}

}  // namespace

ImportanceReport importanceOf(const std::vector<Column>& params, const Column& target,
                              const ImportanceOptions& options, std::stop_token stop) {
    const Rows rows = finiteRows(target);
    ImportanceReport report;
    report.runs = rows.size();
    report.runsLeftOut = target.values.size() - rows.size();
    report.logarithmicTarget = target.logarithmic;
    if (rows.size() < kMinRuns) {
        throw InputError(std::to_string(rows.size()) + (rows.size() == 1 ? " run has" : " runs have") +
                             " a finite value of " + nameOf(target) + ", too few to estimate importance.",
                         "Show at least " + std::to_string(kMinRuns) + " runs, or choose another metric.");
    }
    std::vector<double> values = taken(target.values, rows);
    if (target.logarithmic) {
        std::transform(values.begin(), values.end(), values.begin(), [](double v) { return std::log10(v); });
    }
    if (std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); })) {
        throw InputError("All " + std::to_string(rows.size()) + " runs have the same value of " +
                             nameOf(target) + ", so there is no difference to explain.",
                         "Choose another metric.");
    }

    std::vector<Column> columns;
    std::vector<BinnedColumn> bins;
    for (const Column& param : params) {
        Column column = param;
        column.values = taken(param.values, rows);
        if (!column.varies()) {
            continue;
        }
        if (column.isUniquePerRun() || (param.isUniquePerRun() && rows.size() > 2)) {
            report.setAside.push_back(param.field);
            continue;
        }
        bins.push_back(binned(column));
        columns.push_back(std::move(column));
    }
    if (columns.empty()) {
        throw InputError("No param differs between these " + std::to_string(rows.size()) + " runs.",
                         "Show runs of a sweep, or of several configurations.");
    }

    ForestOptions forestOptions{.trees = options.trees, .seed = options.seed};
    forestOptions.minSamplesSplit = minSamplesSplit(rows.size());
    forestOptions.threads =
        options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    const Forest forest(bins, values, forestOptions, stop);
    report.explained = forest.explained();
    const auto shares = forest.importance(options.repeats, stop);
    const auto errors = standardErrors(bins, values, options, forestOptions, stop);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        Importance importance{.field = columns[i].field, .share = shares[i], .error = errors[i]};
        if (columns[i].kind == Column::Kind::Number) {
            importance.direction = spearman(columns[i].values, values);
        } else {
            importance.direction.rho = kMissing;
            importance.highestWith = highestCategory(columns[i], values);
        }
        report.params.push_back(std::move(importance));
    }
    std::stable_sort(report.params.begin(), report.params.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return report;
}

}  // namespace dailies::analysis
