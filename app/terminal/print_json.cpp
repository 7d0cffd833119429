#include "app/terminal/print_json.h"

#include <iostream>

namespace dailies::app {

void printJson(const Json& document) {
    std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace dailies::app
