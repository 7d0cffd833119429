#include "trainer/vae_trainer.h"
#include "trainer/verbs/run_verb.h"

namespace dailies::trainer {

int trainVae(const Words& words) {
    return runLoop<VaeTrainer>("train-vae", words);
}

}  // namespace dailies::trainer
