#include "trainer/data/data_source.h"

#include "core/base/error.h"
#include "trainer/data/moving_shapes.h"
#include "trainer/data/video_folder.h"

namespace dailies::trainer {

std::unique_ptr<DataSource> makeDataSource(const config::TrainConfig& config) {
    if (config.data.source == "shapes") return std::make_unique<MovingShapes>(config.data, config.seed);
    if (config.data.source == "folder") return std::make_unique<VideoFolder>(config.data);
    throw InputError("data.source: this trainer has no source \"" + config.data.source + "\".");
}

}  // namespace dailies::trainer
