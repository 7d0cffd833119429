// Makes a large store to look at: large_store FILE --runs N --params P --metrics M --points K [--sweeps S]
// [--mlflow]
#include "core/base/error.h"
#include "tests/support/large_store.h"

#include <cstdlib>
#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    dailies::test::LargeStoreOptions options;
    const auto usage = [] {
        std::cerr
            << "usage: large_store FILE [--runs N] [--params P] [--metrics M] [--points K] [--sweeps S] "
               "[--mlflow]\n";
        return 2;
    };
    if (argc < 2) return usage();
    for (int i = 2; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--mlflow") {
            options.mlflowOnly = true;
            continue;
        }
        int* const count = word == "--runs"      ? &options.runs
                           : word == "--params"  ? &options.params
                           : word == "--metrics" ? &options.metrics
                           : word == "--points"  ? &options.points
                           : word == "--sweeps"  ? &options.sweeps
                                                 : nullptr;
        if (!count || ++i == argc) return usage();
        *count = std::atoi(argv[i]);
    }
    if (std::filesystem::exists(argv[1])) {
        std::cerr << argv[1] << " exists already; name another file.\n";
        return 2;
    }
    try {
        dailies::test::makeLargeStore(argv[1], options);
    } catch (const dailies::Error& error) {
        std::cerr << error.full() << "\n";
        return 1;
    }
}
