#include "core/sources/registry.h"

#include <algorithm>

namespace dailies::sources {

const std::vector<const Source*>& sources() {
    static const std::vector<const Source*> all = {&dailiesEvents(), &tensorBoard(), &wandbRuns(),
                                                   &lightningCsv(),  &mlflowFiles(), &mlflowDatabase(),
                                                   &trainerState(),  &jsonLines(),   &programOutput()};
    return all;
}

const Source* sourceOf(std::string_view path) {
    const auto found = std::find_if(sources().begin(), sources().end(),
                                    [&](const Source* source) { return source->recognizes(path); });
    return found == sources().end() ? nullptr : *found;
}

const Source* sourceNamed(std::string_view name) {
    const auto found = std::find_if(sources().begin(), sources().end(),
                                    [&](const Source* source) { return source->name() == name; });
    return found == sources().end() ? nullptr : *found;
}

}  // namespace dailies::sources
