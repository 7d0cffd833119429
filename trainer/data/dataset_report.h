#pragma once

#include "core/base/json.h"
#include "trainer/data/batch_order.h"
#include "trainer/data/data_source.h"

namespace dailies::trainer {

/// What a run is going to train on, told before it does: how much of the input is used, what was dropped and
/// why, the clips of each bucket, and the steps of an epoch.
struct DatasetReport {
    struct BucketLine {
        std::string bucket;
        std::int64_t clips = 0;
        std::int64_t tokensPerClip = 0;
    };

    std::string source;
    DatasetStats facts;
    std::int64_t clips = 0;  ///< one epoch; 0: they are generated
    std::vector<BucketLine> buckets;
    std::int64_t clipsPerStep = 0;   ///< data.batch_size; 0 where clips are packed
    std::int64_t tokensPerStep = 0;  ///< data.tokens_per_step; 0 where they are not
    double stepsPerEpoch = 0;
    double epochs = 0;   ///< that the run's steps walk
    double padding = 0;  ///< share of a step's tokens that no clip fills, over the first steps

    Json toJson() const;
    std::string text() const;  ///< a few lines for a person
};

DatasetReport reportOn(const config::TrainConfig& config, const DataSource& source, std::int64_t ranks);

}  // namespace dailies::trainer
