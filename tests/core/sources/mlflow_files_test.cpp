#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRun = "mlruns/0/0123456789abcdef0123456789abcdef/";
const std::string kLoss = kRun + "metrics/train/loss";

TEST(MlflowFilesSource, KnowsItsFilesByTheirPlace) {
    EXPECT_EQ(sourceOf(kLoss), &mlflowFiles());
    EXPECT_EQ(sourceOf(kRun + "params/lr"), &mlflowFiles());
    EXPECT_EQ(sourceOf(kRun + "meta.yaml"), nullptr);
    EXPECT_EQ(sourceOf(kRun + "artifacts/metrics/loss"), nullptr);
    EXPECT_EQ(sourceOf("metrics/train/loss"), nullptr);
}

TEST(MlflowFilesSource, ALineIsAPoint) {
    const auto read = readWhole(mlflowFiles(),
                                "1700000000000 0.5 1\n1700000001000 nan 2\n1700000002000 7\nx\n"
                                "1700000003000 1 4 data abc\n17000",
                                kLoss);
    EXPECT_THAT(read.steps("train/loss"), ElementsAre(1, 2, 0, 4));
    EXPECT_EQ(read.findings.metrics.at("train/loss")[0], (tracking::MetricPoint{1, 1'700'000'000'000, 0.5}));
    EXPECT_THAT(read.findings.problems, ElementsAre(HasSubstr("timestamp value step")));
}

TEST(MlflowFilesSource, ReadsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(mlflowFiles(),
                             "1700000000000 0.5 1\n1700000001000 nan 2\n1700000002000 -inf 3\n1", kLoss);
}

TEST(MlflowFilesSource, AParamIsReadOnceItIsWhole) {
    const std::string path = kRun + "params/optimizer/lr";
    Followed followed;
    for (const char* seen : {"", "0.0", "0.001"}) {
        followed.read(mlflowFiles(), seen, path);
        EXPECT_THAT(followed.findings.params, IsEmpty()) << seen;
    }
    followed.read(mlflowFiles(), "0.001", path);
    EXPECT_EQ(followed.findings.params.at("optimizer/lr"), "0.001");
    followed.findings = {};
    followed.read(mlflowFiles(), "0.001", path);
    EXPECT_TRUE(followed.findings.isEmpty());
}

}  // namespace
}  // namespace dailies::sources
