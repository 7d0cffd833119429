#include "trainer/cli/run_verb.h"
#include "trainer/training/trainer.h"

namespace dailies::trainer {

int train(const Args& args) {
    return runLoop<Trainer>("train", args);
}

}  // namespace dailies::trainer
