#include "core/judging/bradley_terry.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace dailies::judging {

namespace {

constexpr int kMaxIterations = 20'000;
constexpr double kStill = 1e-10;

/// How often two contestants were compared, with `first < second`.
struct Pair {
    int first = 0, second = 0;
    double comparisons = 0;
};

/// What the likelihood needs of the comparisons.
struct Counts {
    std::vector<double> score;  ///< of each: wins and half the ties
    double ties = 0;
    std::vector<Pair> pairs;
};

Counts count(int contestants, const std::vector<Comparison>& comparisons) {
    Counts counts;
    counts.score.resize(static_cast<std::size_t>(contestants));
    std::map<std::pair<int, int>, double> pairs;
    for (const Comparison& made : comparisons) {
        const double first = made.winner == Winner::First ? 1 : made.winner == Winner::Neither ? 0.5 : 0;
        counts.score[static_cast<std::size_t>(made.first)] += first;
        counts.score[static_cast<std::size_t>(made.second)] += 1 - first;
        counts.ties += made.winner == Winner::Neither;
        ++pairs[std::minmax(made.first, made.second)];
    }
    for (const auto& [pair, times] : pairs) counts.pairs.push_back({pair.first, pair.second, times});
    return counts;
}

struct Outcomes {
    double first, tie, second;
};

/// The three probabilities of a comparison; by differences, so that no strength overflows.
Outcomes outcomes(double first, double second, double tieWeight) {
    const double half = (first - second) / 2;
    const double scale = std::exp(-std::abs(half));
    const double a = half > 0 ? 1 : scale * scale, b = half > 0 ? scale * scale : 1, tie = tieWeight * scale;
    const double sum = a + b + tie;
    return {a / sum, tie / sum, b / sum};
}

/// Comparisons see only differences, so the prior alone says where zero is: at the shift that it likes best.
void centre(std::vector<double>& strength, const Prior& prior) {
    if (prior.wins <= 0 || strength.empty()) return;
    double shift = 0;
    for (int i = 0; i < 50; ++i) {
        double slope = 0, curvature = 0;
        for (const double s : strength) {
            const double win = 1 / (1 + std::exp(-(s + shift)));
            slope += 1 - 2 * win;
            curvature += 2 * win * (1 - win);
        }
        const double change = slope / std::max(curvature, 1e-12);
        shift += std::clamp(change, -2.0, 2.0);
        if (std::abs(change) < kStill) break;
    }
    for (double& s : strength) s += shift;
}

/// One step uphill. Hunter's minorisation of −ln D by its tangent, and of Davidson's √(πᵢπⱼ) by the mean of
/// its two factors at the present point, leaves a function of each strength alone, whose maximum is
///
///     πᵢ = score / Σⱼ nᵢⱼ (1 + ν/2 · √(πⱼ/πᵢ)) / Dᵢⱼ
///
/// and for ν, with the new strengths, ties / Σ nᵢⱼ √(πᵢπⱼ)/Dᵢⱼ. The largest change is returned.
double climb(const Counts& counts, const Prior& prior, std::vector<double>& strength, double& tieWeight) {
    std::vector<double> rate(strength.size());  // the denominator times πᵢ
    for (const Pair& pair : counts.pairs) {
        const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
        const Outcomes expected = outcomes(strength[i], strength[j], tieWeight);
        rate[i] += pair.comparisons * (expected.first + expected.tie / 2);
        rate[j] += pair.comparisons * (expected.second + expected.tie / 2);
    }
    double change = 0;
    for (std::size_t i = 0; i < strength.size(); ++i) {
        const double imaginary = 2 * prior.wins / (1 + std::exp(-strength[i]));
        if (rate[i] + imaginary <= 0) continue;
        const double step = std::log((counts.score[i] + prior.wins) / (rate[i] + imaginary));
        strength[i] += step;
        change = std::max(change, std::abs(step));
    }
    centre(strength, prior);

    double expectedTies = 3 * prior.ties * tieWeight / (2 + tieWeight);
    for (const Pair& pair : counts.pairs)
        expectedTies +=
            pair.comparisons * outcomes(strength[static_cast<std::size_t>(pair.first)],
                                        strength[static_cast<std::size_t>(pair.second)], tieWeight)
                                   .tie;
    if (expectedTies > 0) {
        const double factor = (counts.ties + prior.ties) / expectedTies;
        change = std::max(change, std::abs(std::log(factor)));
        tieWeight *= factor;
    }
    return change;
}

using Matrix = std::vector<std::vector<double>>;

/// The second derivatives of −ln(likelihood · prior) by the strengths and, last, ln ν. A comparison's share
/// is the covariance of (1, 0, 0), (½, ½, 1) and (0, 1, 0), what the outcomes' logarithms depend on.
Matrix observedInformation(const Counts& counts, const Prior& prior, const Strengths& fitted) {
    const std::size_t size = fitted.strength.size() + 1, last = size - 1;
    Matrix information(size, std::vector<double>(size));
    for (const Pair& pair : counts.pairs) {
        const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
        const Outcomes p = outcomes(fitted.strength[i], fitted.strength[j], fitted.tieWeight);
        const double n = pair.comparisons, meanI = p.first + p.tie / 2, meanJ = p.second + p.tie / 2;
        const double ij = n * (p.tie / 4 - meanI * meanJ);
        information[i][i] += n * (p.first + p.tie / 4 - meanI * meanI);
        information[j][j] += n * (p.second + p.tie / 4 - meanJ * meanJ);
        information[i][j] += ij;
        information[j][i] += ij;
        for (const auto& [k, mean] : {std::pair(i, meanI), std::pair(j, meanJ)}) {
            const double share = n * p.tie * (0.5 - mean);
            information[k][last] += share;
            information[last][k] += share;
        }
        information[last][last] += n * p.tie * (1 - p.tie);
    }
    for (std::size_t i = 0; i < last; ++i) {
        const double win = 1 / (1 + std::exp(-fitted.strength[i]));
        information[i][i] += 2 * prior.wins * win * (1 - win);
    }
    const double tie = fitted.tieWeight / (2 + fitted.tieWeight);
    information[last][last] += 3 * prior.ties * tie * (1 - tie);
    return information;
}

/// Of a symmetric positive definite matrix, by Cholesky's decomposition.
Matrix inverse(Matrix m) {
    const std::size_t n = m.size();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
        m[j][j] = std::sqrt(std::max(m[j][j], 1e-12));
        for (std::size_t i = j + 1; i < n; ++i) {
            for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
            m[i][j] /= m[j][j];
        }
    }
    Matrix result(n, std::vector<double>(n));
    for (std::size_t column = 0; column < n; ++column) {
        std::vector<double> x(n);
        x[column] = 1;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) x[i] -= m[i][k] * x[k];
            x[i] /= m[i][i];
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) x[i] -= m[k][i] * x[k];
            x[i] /= m[i][i];
        }
        for (std::size_t i = 0; i < n; ++i) result[i][column] = x[i];
    }
    return result;
}

/// The covariance of strengths relative to their mean.
Matrix centred(Matrix covariance) {
    const std::size_t n = covariance.size();
    for (int pass = 0; pass < 2; ++pass) {  // rows, then columns
        for (auto& row : covariance) {
            const double mean = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(n);
            for (double& value : row) value -= mean;
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) std::swap(covariance[i][j], covariance[j][i]);
    }
    return covariance;
}

}  // namespace

Strengths fitStrengths(int contestants, const std::vector<Comparison>& comparisons, const Prior& prior) {
    const Counts counts = count(contestants, comparisons);
    Strengths fitted;
    fitted.strength.resize(static_cast<std::size_t>(contestants));
    for (int i = 0; i < kMaxIterations; ++i)
        if (climb(counts, prior, fitted.strength, fitted.tieWeight) < kStill) break;

    Matrix covariance = inverse(observedInformation(counts, prior, fitted));
    covariance.pop_back();
    for (auto& row : covariance) row.pop_back();
    fitted.covariance = centred(std::move(covariance));
    const double mean = std::accumulate(fitted.strength.begin(), fitted.strength.end(), 0.0) /
                        std::max<double>(contestants, 1);
    for (double& strength : fitted.strength) strength -= mean;
    return fitted;
}

double Strengths::standardError(int contestant) const {
    const auto i = static_cast<std::size_t>(contestant);
    return std::sqrt(std::max(covariance[i][i], 0.0));
}

double Strengths::standardErrorOfDifference(int first, int second) const {
    const auto i = static_cast<std::size_t>(first), j = static_cast<std::size_t>(second);
    return std::sqrt(std::max(covariance[i][i] + covariance[j][j] - 2 * covariance[i][j], 0.0));
}

Interval Strengths::interval(int contestant) const {
    const double middle = strength[static_cast<std::size_t>(contestant)];
    const double half = kZ95 * standardError(contestant);
    return {middle - half, middle + half};
}

double Strengths::winProbability(int first, int second) const {
    return outcomes(strength[static_cast<std::size_t>(first)], strength[static_cast<std::size_t>(second)],
                    tieWeight)
        .first;
}

double Strengths::tieProbability(int first, int second) const {
    return outcomes(strength[static_cast<std::size_t>(first)], strength[static_cast<std::size_t>(second)],
                    tieWeight)
        .tie;
}

double Strengths::information(int first, int second) const {
    // the variance of ½, 0, −½ over win, tie, loss
    const double win = winProbability(first, second), loss = winProbability(second, first);
    return (win + loss - (win - loss) * (win - loss)) / 4;
}

std::vector<int> Strengths::ranking() const {
    std::vector<int> order(strength.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{},
                             [&](int i) { return strength[static_cast<std::size_t>(i)]; });
    return order;
}

}  // namespace dailies::judging
