#include "trainer/data/data_source.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "core/config/latent_size.h"
#include "trainer/data/figures.h"
#include "trainer/data/moving_shapes.h"
#include "trainer/data/preference_pairs.h"
#include "trainer/data/video_folder.h"
#include "trainer/data/webdataset.h"

#include <string_view>

namespace dailies::trainer {

std::filesystem::path cacheFolder(const config::TrainConfig& config, const std::filesystem::path& runFolder) {
    return config.data.cache.empty() ? runFolder / "cache" : std::filesystem::path(config.data.cache);
}

std::unique_ptr<DataSource> makeDataSource(const config::TrainConfig& config,
                                           const DataSourceOptions& place) {
    if (config.data.source == "shapes") return std::make_unique<MovingShapes>(config.data, config.seed);
    if (config.data.source == "figures")
        return std::make_unique<Figures>(config.data, config.seed, config.model.guidance_types,
                                         config::readsReferencePose(config.model.family));
    if (config.data.source == "folder") {
        const auto& types = config.model.guidance_types;
        auto videos = std::make_unique<VideoFolder>(config.data, VideoFolder::kCacheBytes, types,
                                                    poseStyleOf(config.model));
        if (config::animates(config.model) && !videos->hasPoses())
            throw InputError("data.folder: " + config.data.folder + " names no poses.",
                             types.empty()
                                 ? "Give each video the one of its poses as kps_path."
                                 : "Keep " + join(types, ", ") +
                                       " beside the folder \"images\" of each video, or name the folder "
                                       "that holds them as data.poses.");
        return videos;
    }
    if (config.data.source == "preferences") return std::make_unique<PreferencePairs>(config.data);
    if (config.data.source == "webdataset") {
        auto sized = place;
        if (!sized.latentSize)
            sized.latentSize = [&](const config::Bucket& clip) {
                return config::modelInputSize(config, clip);
            };
        return std::make_unique<WebDataset>(config.data, sized);
    }
    throw InputError("data.source: this trainer has no source \"" + config.data.source + "\".");
}

std::unique_ptr<DataSource> makePriorSource(const config::TrainConfig& config,
                                            const DataSourceOptions& place) {
    if (config.data.prior_folder.empty()) return nullptr;
    auto prior = config;
    prior.data.folder = config.data.prior_folder;
    try {
        return makeDataSource(prior, place);
    } catch (const InputError& error) {
        constexpr std::string_view kFolder = "data.folder";  // what the message begins with
        const std::string what = error.what();
        throw InputError("data.prior_folder" + what.substr(what.starts_with(kFolder) ? kFolder.size() : 0),
                         error.remedy());
    }
}

}  // namespace dailies::trainer
