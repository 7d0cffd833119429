#include "ui/main_window/options.h"

#include <array>
#include <utility>

namespace dailies::ui {

std::optional<Page> pageFromName(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Page>, 6> kPages{{{"runs", Page::Runs},
                                                                              {"review", Page::Review},
                                                                              {"launch", Page::Launch},
                                                                              {"cluster", Page::Cluster},
                                                                              {"compare", Page::Compare},
                                                                              {"run", Page::Run}}};
    for (const auto& [word, page] : kPages) {
        if (word == name) {
            return page;
        }
    }
    return std::nullopt;
}

}  // namespace dailies::ui
