#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// as transformers writes it, with json.dumps(indent=2, sort_keys=True)
const std::string kState = R"({
  "best_metric": null,
  "epoch": 0.5,
  "global_step": 20,
  "log_history": [
    {
      "epoch": 0.25,
      "grad_norm": NaN,
      "learning_rate": 0.0001,
      "loss": 2.5,
      "step": 10
    },
    {
      "epoch": 0.5,
      "eval_loss": 1.5,
      "eval_runtime": 3.25,
      "step": 20
    },
    {
      "step": 20.0,
      "total_flos": 1e+300,
      "train_loss": Infinity
    },
    {
      "note": "no step", "loss": 7
    },
    3
  ],
  "max_steps": 100,
  "save_steps": 500,
  "stateful_callbacks": {"TrainerControl": {"args": {"should_log": false}}},
  "trial_params": null
}
)";
const std::string kPath = "out/checkpoint-20/trainer_state.json";

TEST(TrainerState, KnowsItsFileByItsName) {
    EXPECT_EQ(sourceOf(kPath), &trainerState());
    EXPECT_EQ(sourceOf("trainer_state.json"), &trainerState());
    EXPECT_EQ(sourceOf("my_trainer_state.json"), nullptr);
}

TEST(TrainerState, ItsHistoryIsPoints) {
    const auto read = readWhole(trainerState(), kState, kPath);
    EXPECT_THAT(read.steps("loss"), ElementsAre(10));
    EXPECT_THAT(read.values("loss"), ElementsAre(2.5));
    EXPECT_THAT(read.values("grad_norm"), ElementsAre(testing::NanSensitiveDoubleEq(NAN)));
    EXPECT_THAT(read.steps("eval_loss"), ElementsAre(20));
    EXPECT_THAT(read.values("train_loss"), ElementsAre(INFINITY));
    EXPECT_THAT(read.findings.metrics, SizeIs(8));
    EXPECT_THAT(read.findings.problems, IsEmpty());
    const auto reading = trainerState().read({.path = kPath,
                                              .bytes = kState,
                                              .fileSize = static_cast<std::int64_t>(kState.size()),
                                              .readMs = kReadMs},
                                             {});
    EXPECT_TRUE(reading.findings.onlyMissing);
}

TEST(TrainerState, IsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(trainerState(), kState, kPath);
}

TEST(TrainerState, OneThatIsWrittenAgainIsReadAgain) {
    Followed followed;
    followed.read(trainerState(), R"({"log_history": [{"step": 1, "loss": 5}]})", kPath);
    const std::string longer = R"({"log_history": [{"step": 1, "loss": 5}, {"step": 2, "loss": 4}]})";
    followed.read(trainerState(), longer, kPath);
    EXPECT_EQ(followed.cursor.offset, 0);
    followed.read(trainerState(), longer, kPath);
    EXPECT_THAT(followed.steps("loss"), ElementsAre(1, 1, 2)) << "the store takes the missing ones";
    EXPECT_EQ(followed.cursor.offset, static_cast<std::int64_t>(longer.size()));
}

TEST(TrainerState, WhatIsNoStateIsTold) {
    EXPECT_THAT(readWhole(trainerState(), "step 1\n").findings.problems, ElementsAre(HasSubstr("no JSON")));
    EXPECT_THAT(readWhole(trainerState(), "[1]").findings.problems, ElementsAre(HasSubstr("no log_history")));
    EXPECT_THAT(readWhole(trainerState(), "{}").findings.problems, ElementsAre(HasSubstr("no log_history")));
    EXPECT_THAT(
        readWhole(trainerState(), R"({"log_history": [{"step": 1e300, "a": 1}, {"step": "1", "a": 1}]})")
            .findings.metrics,
        IsEmpty());
}

}  // namespace
}  // namespace dailies::sources
