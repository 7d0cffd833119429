#include "core/config/schema.h"

#include "core/base/error.h"
#include "trainer/verbs/verbs.h"

#include <iostream>

namespace dailies::trainer {

int schema(const Words& words) {
    if (!words.empty()) throw InputError("schema: takes no words.");
    std::cout << config::schemaToJson().dump(2) << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
