#include "core/base/error.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/verbs/verbs.h"

#include <iostream>

namespace dailies::trainer {

int inspect(const Words& words) {
    if (words.size() != 1) throw InputError("inspect: expected one checkpoint folder.");
    std::cout << inspectCheckpoint(words[0]).dump(2) << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
