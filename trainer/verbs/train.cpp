#include "trainer/trainer.h"
#include "trainer/verbs/run_verb.h"

namespace dailies::trainer {

int train(const Words& words) {
    return runLoop<Trainer>("train", words);
}

}  // namespace dailies::trainer
