#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/data/batch_order.h"
#include "trainer/data/data_source.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Where a run stands in its data: which data, and by what rule its steps took clips of them. It is part of
/// every checkpoint, so that a resumed run whose batch size has changed goes on behind the clips that were
/// taken, in the same epoch, and a run whose data have changed says so.
struct DataPosition {
    std::string data;                       ///< tells their clips and the order of these from all others
    std::vector<std::int64_t> bucketClips;  ///< clips to train on, in each bucket
    std::vector<DataSegment> segments;      ///< since the first step that took clips of these data

    /// Of a run whose first step after `step` takes the first clips of the source.
    static DataPosition atStartOf(const DataSource& training, const config::TrainConfig& config,
                                  std::int64_t step);
    static DataPosition fromJson(const Json& json);  ///< throws `Json::exception`
    Json toJson() const;
};

/// What a run that resumes has to know of its data.
struct ResumedData {
    DataPosition position;
    std::string note;         ///< for a person, where something changed
    bool startsOver = false;  ///< the clips taken so far do not count: the data are others
};

/// The position from which a run goes on after `step`, given what its checkpoint says: the position (null in
/// checkpoints of before positions were kept) and the configuration that wrote it.
ResumedData resumedPosition(const DataSource& training, const config::TrainConfig& config, std::int64_t step,
                            const Json& savedPosition, const Json& savedConfig);

}  // namespace dailies::trainer
