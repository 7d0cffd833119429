// Makes the store of a finished sweep with its clips, to look at: demo_store FOLDER [--runs N] [--prompts P]
// [--samples S] [--mixed]
#include "core/base/error.h"
#include "tests/support/demo_store.h"

#include <cstdlib>
#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    dailies::test::DemoOptions options;
    const auto usage = [] {
        std::cerr << "usage: demo_store FOLDER [--runs N] [--prompts P] [--samples S] [--mixed]\n";
        return 2;
    };
    if (argc < 2) return usage();
    for (int i = 2; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--mixed") {
            options.mixedStates = true;
            continue;
        }
        int* const count = word == "--runs"      ? &options.runs
                           : word == "--prompts" ? &options.prompts
                           : word == "--samples" ? &options.samples
                                                 : nullptr;
        if (!count || ++i == argc) return usage();
        *count = std::atoi(argv[i]);
    }
    try {
        std::cout << dailies::test::makeDemoStore(argv[1], options).file.string() << '\n';
    } catch (const dailies::Error& error) {
        std::cerr << error.full() << "\n";
        return 1;
    }
}
