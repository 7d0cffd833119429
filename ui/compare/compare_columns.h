#pragma once

#include <QRect>

#include <algorithm>

namespace dailies::ui {

/// Where the columns of the compare page are: keys at the left, frozen; then a column a run, scrolled by
/// `offset`. Heads and table share one, so that they stay in line. Device-independent pixels.
struct CompareColumns {
    static constexpr int kKeyWidth = 248;
    static constexpr int kMinWidth = 148;
    static constexpr int kMaxWidth = 280;

    int count = 0;
    int width = kMinWidth;  ///< of a run's column
    int offset = 0;         ///< how far the runs' columns are scrolled to the left

    void fit(int viewport) {
        if (count > 0) width = std::clamp((viewport - kKeyWidth) / count, kMinWidth, kMaxWidth);
        offset = std::clamp(offset, 0, overflow(viewport));
    }
    /// How much of the columns does not fit.
    int overflow(int viewport) const { return std::max(0, kKeyWidth + count * width - viewport); }
    int left(int column) const { return kKeyWidth + column * width - offset; }
    QRect rect(int column, int top, int height) const { return {left(column), top, width, height}; }
    /// The column at x; -1: the keys, or beyond the last one.
    int at(int x) const {
        const int column = x < kKeyWidth ? -1 : (x - kKeyWidth + offset) / width;
        return column < count ? column : -1;
    }
};

}  // namespace dailies::ui
