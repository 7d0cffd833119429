#include "core/base/error.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/cli/verbs.h"

#include <iostream>

namespace dailies::trainer {

int inspect(const Args& args) {
    if (args.size() != 1) throw InputError("inspect: expected one checkpoint folder.");
    std::cout << inspectCheckpoint(args[0]).dump(2) << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
