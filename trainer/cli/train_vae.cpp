#include "trainer/cli/run_verb.h"
#include "trainer/training/vae_trainer.h"

namespace dailies::trainer {

int trainVae(const Args& args) {
    return runLoop<VaeTrainer>("train-vae", args);
}

}  // namespace dailies::trainer
