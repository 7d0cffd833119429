#pragma once

#include "ui/charts/curve_renderer.h"

#include <cmath>
#include <functional>
#include <memory>
#include <string>

namespace dailies::ui::test {

/// A history of exact points: step i, one second a step from 1,000 s on, the value of f.
inline HistoryPtr history(int points, const std::function<double(int)>& f) {
    auto history = std::make_shared<History>();
    for (int i = 0; i < points; ++i) {
        history->points.push_back({i, 1'000'000 + 1000 * i, f(i)});
    }
    return history;
}

/// The same as the store's pyramid gives it: buckets of `size` points.
inline HistoryPtr bucketed(const HistoryPtr& exact, std::size_t size) {
    auto result = std::make_shared<History>();
    const auto& points = exact->points;
    for (std::size_t i = 0; i < points.size(); i += size) {
        const std::size_t end = std::min(i + size, points.size());
        tracking::CurveBucket b;
        b.firstStep = points[i].step;
        b.lastStep = points[end - 1].step;
        b.firstMs = points[i].timestampMs;
        b.lastMs = points[end - 1].timestampMs;
        b.first = points[i].value;
        b.last = points[end - 1].value;
        b.minimum = b.maximum = b.first;
        b.count = b.finite = static_cast<std::uint32_t>(end - i);
        for (std::size_t j = i; j < end; ++j) {
            b.minimum = std::min(b.minimum, points[j].value);
            b.maximum = std::max(b.maximum, points[j].value);
            b.mean += points[j].value / b.count;
        }
        result->buckets.push_back(b);
    }
    return result;
}

inline CurveInput input(HistoryPtr history, const std::string& id = "a", const std::string& group = {}) {
    CurveInput input{id, QString::fromStdString(id), Qt::red};
    input.group = group;
    input.groupColor = Qt::blue;
    input.values.overview = std::move(history);
    return input;
}

inline CurveScene sceneOf(std::vector<CurveInput> curves) {
    CurveScene scene;
    scene.curves = std::move(curves);
    scene.settings.showAll = true;
    scene.size = {200, 100};
    return scene;
}

/// The uppermost row in which this column of the picture holds anything of at least that opacity; -1: none.
inline int top(const QImage& image, int x, int alpha = 20) {
    for (int y = 0; y < image.height(); ++y) {
        if (image.pixelColor(x, y).alpha() > alpha) {
            return y;
        }
    }
    return -1;
}

/// The same over some columns.
inline int topBetween(const QImage& image, int from, int to, int alpha = 20) {
    int best = image.height();
    for (int x = std::max(0, from); x <= std::min(to, image.width() - 1); ++x) {
        if (const int y = top(image, x, alpha); y >= 0) {
            best = std::min(best, y);
        }
    }
    return best;
}

}  // namespace dailies::ui::test
