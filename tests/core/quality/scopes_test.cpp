#include "core/quality/scopes.h"

#include "tests/core/quality/painted_picture.h"

#include <gtest/gtest.h>

#include <numeric>

namespace dailies::quality {
namespace {

TEST(HistogramOf, CountsEveryPixelInEachChannel) {
    const auto picture = painted(40, 10, [](int x, int) { return x < 10 ? rgb(255, 0, 7) : grey(128); });
    const Histogram histogram = histogramOf(picture.view());
    EXPECT_EQ(histogram.red[255], 100u);
    EXPECT_EQ(histogram.green[0], 100u);
    EXPECT_EQ(histogram.blue[7], 100u);
    EXPECT_EQ(histogram.luma[128], 300u);
    EXPECT_EQ(std::accumulate(histogram.luma.begin(), histogram.luma.end(), 0u), 400u);
}

TEST(WaveformOf, PutsEachStripesLevelsWhereTheyAreInThePicture) {
    const auto picture = painted(64, 8, [](int x, int) { return grey(x < 32 ? 10 : 200); });
    const Waveform waveform = waveformOf(picture.view(), 4);
    ASSERT_EQ(waveform.columns, 4);
    EXPECT_EQ(waveform.at(0, 10), 128u);
    EXPECT_EQ(waveform.at(1, 200), 0u);
    EXPECT_EQ(waveform.at(2, 200), 128u);
}

TEST(WaveformOf, HasNoMoreColumnsThanThePicture) {
    const auto picture = painted(3, 2, [](int, int) { return grey(1); });
    EXPECT_EQ(waveformOf(picture.view(), 100).columns, 3);
}

}  // namespace
}  // namespace dailies::quality
