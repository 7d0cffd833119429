#include "tests/trainer/runs/rank_processes.h"

#include "tests/trainer/free_port.h"

#include <algorithm>
#include <string>

namespace dailies::trainer {

TrainerProcess::Variables variablesOfRank(int rank, int size, int port) {
    return {{"RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(size)},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port)}};
}

std::vector<std::unique_ptr<TrainerProcess>> startRanks(
    const std::vector<std::string>& words, const std::filesystem::path& folder, int size,
    const std::function<TrainerProcess::Variables(int rank)>& ofRank, std::int64_t fileLimitOfLast) {
    const int port = freePort();
    std::vector<std::unique_ptr<TrainerProcess>> ranks;
    for (int rank = 0; rank < size; ++rank) {
        auto variables = ofRank ? ofRank(rank) : TrainerProcess::Variables();
        variables.merge(variablesOfRank(rank, size, port));
        ranks.push_back(std::make_unique<TrainerProcess>(words,
                                                         folder / ("output-" + std::to_string(rank) + ".txt"),
                                                         variables, rank + 1 == size ? fileLimitOfLast : 0));
    }
    return ranks;
}

std::vector<std::unique_ptr<TrainerProcess>> startRanks(const TrainingRun& run, int size) {
    return startRanks({"train", "--config", (run.path() / "config.json").string()}, run.path(), size);
}

int trainOnRanks(const TrainingRun& run, int size) {
    int worst = 0;
    for (const auto& rank : startRanks(run, size)) worst = std::max(worst, rank->wait());
    return worst;
}

}  // namespace dailies::trainer
