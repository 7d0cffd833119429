#include "core/compare/params_yaml.h"

#include <gtest/gtest.h>

namespace dailies::compare {
namespace {

TEST(ParamsYaml, NestsKeysInTheSchemasOrderWithItsTypes) {
    tracking::Run run;
    run.params = {
        {"optimizer.lr", "1e-2"}, {"steps", "1600"}, {"model.family", "dit"}, {"extra.flag", "true"}};
    EXPECT_EQ(paramsToYaml(run),
              "steps: 1600\nmodel:\n  family: dit\noptimizer:\n  lr: 0.01\nextra:\n  flag: \"true\"\n");
}

TEST(ParamsYaml, KeepsAKeyDottedThatIsAValueAndAGroup) {
    tracking::Run run;
    run.params = {{"a", "1x"}, {"a.b", "2x"}};
    EXPECT_EQ(paramsToYaml(run), "a: \"1x\"\n\"a.b\": \"2x\"\n");
}

TEST(ParamsYaml, QuotesWhatAReaderWouldTakeForSomethingElse) {
    tracking::Run run;
    run.params = {{"x", "yes: [1,\n2]"}};
    EXPECT_EQ(paramsToYaml(run), "x: \"yes: [1,\\n2]\"\n");
}

}  // namespace
}  // namespace dailies::compare
