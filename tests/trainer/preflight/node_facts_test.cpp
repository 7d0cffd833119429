#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/preflight/file_rates.h"
#include "trainer/preflight/gpu_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

TEST(GpuInfo, ReadsWhatNvidiaSmiPrints) {
    const auto gpus =
        parseGpus("NVIDIA H100 80GB HBM3, 34, 1980, 1980, 0\nTesla V100-SXM2-16GB, 41, 1312, 1530, [N/A]\n");
    ASSERT_EQ(gpus.size(), 2u);
    EXPECT_EQ(gpus[0].name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(gpus[0].temperature, 34);
    EXPECT_EQ(gpus[1].clock, 1312);
    EXPECT_EQ(gpus[1].highestClock, 1530);
    EXPECT_EQ(gpus[1].eccErrors, 0);
    EXPECT_TRUE(parseGpus("No devices were found\n").empty());
}

TEST(GpuInfo, FindsTheXidsOfTheLastDayInTheKernelsLog) {
    const std::string log =
        "[  100.5] NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault\n"
        "[250000.125] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', GPU has fallen off the bus.\n"
        "[250001.0] eth0: link up\n";
    EXPECT_THAT(parseXids(log, 250100), testing::ElementsAre(79));
    EXPECT_THAT(parseXids(log, 200), testing::ElementsAre(31, 79));
}

TEST(GpuInfo, SaysWhyNothingIsKnown) {
    const auto facts = gpuInfo();
    EXPECT_TRUE(!facts.gpus.empty() || !facts.note.empty());
}

TEST(FileRates, AreMeasuredAndLeaveNothing) {
    const TemporaryFolder folder;
    const auto rates = measureFiles(folder.path() / "x");
    EXPECT_GT(rates.bytesPerSecond, 1e5);
    EXPECT_GT(rates.filesPerSecond, 1);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileRates, OfAFolderThatCannotBeMadeSayWhy) {
    const TemporaryFolder folder;
    writeFileAtomically(folder.path() / "file", "");
    try {
        measureFiles(folder.path() / "file" / "x");
        FAIL() << "a file is no folder";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Not a directory"));
    }
}

}  // namespace
}  // namespace dailies::trainer
