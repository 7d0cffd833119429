// save_brightness OUT.pt: a scorer for tests that do not link LibTorch. It gives the mean brightness of a
// clip.
#include "tests/trainer/scoring/scorer_modules.h"

#include <iostream>

int main(int count, char** words) {
    if (count != 2) {
        std::cerr << "save_brightness OUT.pt\n";
        return 2;
    }
    dailies::trainer::saveModule(words[1], {dailies::trainer::kBrightness});
    return 0;
}
