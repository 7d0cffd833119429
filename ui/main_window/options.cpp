#include "ui/main_window/options.h"

#include <array>
#include <utility>

namespace dailies::ui {

namespace {

constexpr std::array<std::pair<std::string_view, Page>, 7> kPages{{{"runs", Page::Runs},
                                                                   {"review", Page::Review},
                                                                   {"launch", Page::Launch},
                                                                   {"cluster", Page::Cluster},
                                                                   {"datasets", Page::Datasets},
                                                                   {"compare", Page::Compare},
                                                                   {"run", Page::Run}}};

}  // namespace

std::optional<Page> pageFromName(std::string_view name) {
    for (const auto& [word, page] : kPages) {
        if (word == name) {
            return page;
        }
    }
    return std::nullopt;
}

std::string_view nameOf(Page page) {
    return kPages[static_cast<std::size_t>(page)].first;
}

}  // namespace dailies::ui
