#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/train_config.h"
#include "trainer/cli/verbs.h"
#include "trainer/data/dataset_report.h"
#include "trainer/data/prior_clips.h"

#include <filesystem>
#include <iostream>

namespace dailies::trainer {

int data(const Args& args) {
    std::filesystem::path file;
    bool asJson = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "--json") {
            asJson = true;
        } else if (args[i] == "--config" && i + 1 < args.size()) {
            file = args[++i];
        } else {
            throw InputError("data: \"" + args[i] + "\" makes no sense there.",
                             "Give --config FILE and perhaps --json.");
        }
    }
    if (!std::filesystem::is_regular_file(file))
        throw InputError("data: there is no config file \"" + file.string() + "\".", "Give --config FILE.");
    const auto config = config::resolve(parseJson(readFile(file), file.string()));
    const auto cache = cacheFolder(config, std::filesystem::absolute(file).parent_path());
    const auto source = makeDataSource(config, {cache, 0, 1, {}});
    const auto prior = makePriorSource(config, {cache, 0, 1, {}});
    const auto mixed =
        prior ? std::make_unique<WithPriorClips>(*source, *prior, config.data.prior_share) : nullptr;
    DataSource& clips = mixed ? *mixed : *source;
    const auto report = reportOn(config, clips, 1);
    for (const auto& problem : clips.takeProblems())
        std::cerr << "dailies-train: " << sanitizedText(problem) << '\n';
    std::cout << (asJson ? report.toJson().dump(2) : report.text()) << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
