#include "core/config/scoring_job.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::config {
namespace {

using testing::HasSubstr;

std::string scoringRefusal(const Json& job) {
    try {
        parseScoringJob(job);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

const Json kJob = {{"scorer", "a.pt"}, {"name", "aesthetic"}, {"run_folder", "/runs/1"}};

Json with(const char* key, Json value) {
    Json job = kJob;
    job[key] = std::move(value);
    return job;
}

TEST(ScoringJob, IsReadBackAsItWasWritten) {
    const auto job = parseScoringJob(with("steps", {100, 200}));
    EXPECT_EQ(toJson(parseScoringJob(toJson(job))), toJson(job));
}

TEST(ScoringJob, RefusesWhatItCannotMeanAndSaysWhatItWouldTake) {
    EXPECT_THAT(scoringRefusal(Json::object()), HasSubstr("scorer: found none"));
    EXPECT_THAT(scoringRefusal(with("run_folder", "")), HasSubstr("run_folder: found none"));
    EXPECT_THAT(scoringRefusal(with("scorers", 1)), HasSubstr("did you mean scorer?"));
    EXPECT_THAT(scoringRefusal(with("steps", "all")), HasSubstr("expected a list of whole numbers"));
    EXPECT_THAT(scoringRefusal(with("steps", {-5})), HasSubstr("steps: found -5"));
    for (const char* name : {"", "a/b", "a b", "ä"})
        EXPECT_THAT(scoringRefusal(with("name", name)), HasSubstr("letters, digits")) << name;
}

TEST(ScoringJob, NamesAScorerAndItsMetricsByTheFile) {
    EXPECT_EQ(scorerNameOf("/models/CLIP ViT-L.pt"), "CLIP-ViT-L");
    EXPECT_EQ(scoreMetric("aesthetic"), "score/aesthetic");
    EXPECT_EQ(scoreMetric("clip", "similarity"), "score/clip/similarity");
}

}  // namespace
}  // namespace dailies::config
