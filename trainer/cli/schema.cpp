#include "core/config/schema.h"

#include "core/base/error.h"
#include "trainer/cli/verbs.h"

#include <iostream>

namespace dailies::trainer {

int schema(const Args& args) {
    if (!args.empty()) throw InputError("schema: takes no words.");
    std::cout << config::schemaToJson().dump(2) << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
