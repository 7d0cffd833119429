#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dailies::ui {

/// A store whose clips say which they are: two runs, two prompts, three sampled steps, four frames each.
/// Every frame of every clip shows a number of its own (see `numberOf`), so that a picture of the wall can be
/// read back.
struct NumberedStore {
    std::filesystem::path file;
    std::vector<std::string> runIds;

    static constexpr int kFrames = 4;
    static constexpr int kSteps[] = {100, 200, 300};

    static int numberOf(int run, int prompt, int stepIndex, int frame) {
        return 1 + frame + kFrames * (stepIndex + 3 * (prompt + 2 * run));
    }
};

/// `lastStepOfSecondRun`: the second run has clips up to that step only.
NumberedStore makeNumberedStore(const std::filesystem::path& folder, int lastStepOfSecondRun = 300);

/// Lets another sampling arrive while the page is open: step 400, whose clips show 200 + run * 8 + prompt * 4
/// + frame.
void addLaterClips(const NumberedStore& store, const std::vector<int>& runs = {0, 1});

/// A run of that id that samples a checkpoint of a run of the store again, with other params, and has the
/// store's prompts' clips of it.
void addResample(const NumberedStore& store, int run, char id,
                 const std::map<std::string, std::string>& params, int step);

/// A clip of another run of the store, at step 300; it looks like the first run's first one.
void addClipOf(const NumberedStore& store, const std::string& runId, const std::string& prompt);

/// The file of a clip of the store.
std::filesystem::path clipFile(const NumberedStore& store, int run, int prompt, int step);

}  // namespace dailies::ui
