#include "app/terminal/output_target.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace dailies::app {

void requireFree(const std::filesystem::path& file, bool force) {
    if (!force && std::filesystem::exists(std::filesystem::symlink_status(file)))
        throw InputError("There is a file " + sanitizedText(file.string()) + " already.",
                         "Name another with --to, or replace it with --force.");
}

}  // namespace dailies::app
