#pragma once

#include "core/config/sampling_job.h"
#include "core/config/train_config.h"

#include <string>
#include <vector>

namespace dailies::config {

/// Files that clips are made with. A run and a sampling job have a list of each kind: none, one for all
/// prompts, or one for each (`fileOfPrompt`).
struct PromptFiles {
    const char* key;  ///< of the sampling job; of the run with "sampling." before it
    std::vector<std::string> SamplingJob::*ofJob;
    std::vector<std::string> TrainConfig::Sampling::*ofRun;
};

inline constexpr PromptFiles kPromptFiles[] = {
    {"given_files", &SamplingJob::given_files, &TrainConfig::Sampling::given_files},
    {"last_files", &SamplingJob::last_files, &TrainConfig::Sampling::last_files},
    {"reference_files", &SamplingJob::reference_files, &TrainConfig::Sampling::reference_files},
    {"pose_files", &SamplingJob::pose_files, &TrainConfig::Sampling::pose_files},
    {"reference_pose_files", &SamplingJob::reference_pose_files,
     &TrainConfig::Sampling::reference_pose_files},
};

/// Whether so many files can be shared out to so many prompts.
constexpr bool fitsPrompts(std::size_t files, std::size_t prompts) {
    return files <= 1 || files == prompts;
}

}  // namespace dailies::config
