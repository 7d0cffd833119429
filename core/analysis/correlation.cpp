#include "core/analysis/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace dailies::analysis {

namespace {

std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
            ++last;
        }
        for (std::size_t i = first; i <= last; ++i) {
            result[order[i]] = 0.5 * static_cast<double>(first + last);
        }
        first = last + 1;
    }
    return result;
}

void setInterval(RankCorrelation& of) {
    constexpr double kZ95 = 1.959964;
    const auto n = static_cast<double>(of.n);
    // Fisher's z of ±1 is infinite, which would make four runs a certainty. Two neighbours swapped is as near
    // to it as ranks come.
    const double nearest = 1 - 12 / (n * (n * n - 1));
    const double z = std::atanh(std::clamp(of.rho, -nearest, nearest));
    const double half = kZ95 * std::sqrt((1 + of.rho * of.rho / 2) / (n - 3));
    of.low = std::min(of.rho, std::tanh(z - half));
    of.high = std::max(of.rho, std::tanh(z + half));
}

}  // namespace

double dependence(const std::vector<double>& x, bool categories, const std::vector<double>& y) {
    constexpr std::size_t kGroups = 8;
    std::vector<double> a, b;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (std::isfinite(x[i]) && std::isfinite(y[i])) {
            a.push_back(x[i]);
            b.push_back(y[i]);
        }
    }
    const auto n = static_cast<double>(a.size());
    b = ranks(b);
    if (!categories) {
        a = ranks(a);
        const auto groups = static_cast<double>(std::clamp<std::size_t>(a.size() / 4, 2, kGroups));
        for (double& value : a) {
            value = std::floor(value * groups / n);
        }
    }
    struct Group {
        double sum = 0, count = 0;
    };
    std::map<double, Group> groups;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        groups[a[i]].sum += b[i];
        groups[a[i]].count += 1;
        sum += b[i];
        squares += b[i] * b[i];
    }
    const auto k = static_cast<double>(groups.size());
    const double total = squares - sum * sum / std::max(n, 1.0);
    if (k < 2 || n <= k || total <= 0) {
        return 0;
    }
    double between = -sum * sum / n;
    for (const auto& [place, group] : groups) {
        between += group.sum * group.sum / group.count;
    }
    return std::max(0.0, 1 - (1 - between / total) * (n - 1) / (n - k));
}

RankCorrelation spearman(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> a, b;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (std::isfinite(x[i]) && std::isfinite(y[i])) {
            a.push_back(x[i]);
            b.push_back(y[i]);
        }
    }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    RankCorrelation result{kNone, a.size(), kNone, kNone};
    if (result.n < 3) {
        return result;
    }
    a = ranks(a);
    b = ranks(b);
    const double middle = 0.5 * static_cast<double>(result.n - 1);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < result.n; ++i) {
        ab += (a[i] - middle) * (b[i] - middle);
        aa += (a[i] - middle) * (a[i] - middle);
        bb += (b[i] - middle) * (b[i] - middle);
    }
    if (aa > 0 && bb > 0) {
        result.rho = ab / std::sqrt(aa * bb);
        if (result.n > 3) {
            setInterval(result);
        }
    }
    return result;
}

}  // namespace dailies::analysis
