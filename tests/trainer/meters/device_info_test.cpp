#include "trainer/meters/device_info.h"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

TEST(DeviceFacts, KnowsThePeakOfTheGpusThatLabsHave) {
    EXPECT_EQ(peakFlops("NVIDIA H200"), 989e12);
    EXPECT_EQ(peakFlops("NVIDIA H100 80GB HBM3"), 989e12);
    EXPECT_EQ(peakFlops("NVIDIA H100 PCIe"), 756e12);
    EXPECT_EQ(peakFlops("NVIDIA H20"), 148e12);
    EXPECT_EQ(peakFlops("NVIDIA A100-SXM4-80GB"), 312e12);
    EXPECT_EQ(peakFlops("cpu"), std::nullopt);
}

TEST(DeviceFacts, PeakMemoryGrowsWithWhatIsHeld) {
    const auto before = peakMemory(at::kCPU);
    EXPECT_GT(before, 1 << 20);
    const auto held = at::ones({before / 4}, at::kFloat);  // as many bytes as there were
    EXPECT_GT(peakMemory(at::kCPU), before + before / 2);
}

}  // namespace
}  // namespace dailies::trainer
