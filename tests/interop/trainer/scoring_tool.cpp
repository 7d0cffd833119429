// Our Fréchet distance for Python: scoring_tool IN.safetensors prints that of the features a and b, [N, D].
#include "trainer/scoring/frechet.h"
#include "trainer/serialization/safetensors.h"

#include <cstdio>
#include <exception>
#include <iostream>

int main(int count, char** words) {
    using namespace dailies::trainer;
    if (count != 2) {
        std::cerr << "scoring_tool IN.safetensors\n";
        return 2;
    }
    try {
        const auto features = readSafetensors(words[1]);
        std::printf("%.17g\n", frechetDistance(statisticsOf(features["a"]), statisticsOf(features["b"])));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
