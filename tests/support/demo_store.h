#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dailies::test {

struct DemoOptions {
    int runs = 4;     ///< of one sweep over the learning rate
    int prompts = 3;  ///< at most 6
    int samples = 8;  ///< how often clips were sampled; 0: none yet
    int sampleEvery = 200;
    int frames = 16;  ///< of each clip
    int size = 32;    ///< of the generated picture, before `scale`
    int scale = 8;
    double fps = 8;
    /// The states that a person meets: a run still going on (half its steps, its newest clips not arrived), a
    /// failed one with an unreadable clip, one that waits in the queue. Otherwise all runs are finished.
    bool mixedStates = false;
    std::int64_t startMs = 1'763'700'000'000;  ///< when the sweep was launched
};

struct DemoStore {
    std::filesystem::path file;
    std::string sweepId;
    std::vector<std::string> runIds;  ///< in the order of their learning rates
};

/// Makes a tracking store in `folder` as a finished sweep of the moving-shapes preset leaves it: curves,
/// clips that learn to show their prompt (the second learning rate best), checkpoints, messages. The same
/// every time.
DemoStore makeDemoStore(const std::filesystem::path& folder, const DemoOptions& options = {});

/// One picture of the clip that a run of this quality (0: noise, 1: perfect) makes from a prompt such as "red
/// square left".
std::vector<std::uint8_t> shapePicture(const std::string& prompt, int frame, int frames, int size,
                                       double quality, std::uint32_t noiseSeed);

}  // namespace dailies::test
