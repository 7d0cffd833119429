#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/train_config.h"
#include "trainer/data/dataset_report.h"
#include "trainer/verbs/verbs.h"

#include <filesystem>
#include <iostream>

namespace dailies::trainer {

int data(const Words& words) {
    std::filesystem::path file;
    bool asJson = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--json") {
            asJson = true;
        } else if (words[i] == "--config" && i + 1 < words.size()) {
            file = words[++i];
        } else {
            throw InputError("data: \"" + words[i] + "\" makes no sense there.",
                             "Give --config FILE and perhaps --json.");
        }
    }
    if (!std::filesystem::is_regular_file(file))
        throw InputError("data: there is no config file \"" + file.string() + "\".", "Give --config FILE.");
    const auto config = config::resolve(parseJson(readFile(file), file.string()));
    const auto cache = cacheFolder(config, std::filesystem::absolute(file).parent_path());
    const auto source = makeDataSource(config, {cache, 0, 1, {}});
    const auto report = reportOn(config, *source, 1);
    for (const auto& problem : source->takeProblems())
        std::cerr << "dailies-train: " << inertText(problem) << '\n';
    std::cout << (asJson ? report.toJson().dump(2) : report.text()) << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
