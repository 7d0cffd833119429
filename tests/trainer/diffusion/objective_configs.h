#pragma once

#include "trainer/diffusion/objective.h"

#include <ostream>
#include <string>
#include <vector>

namespace dailies::trainer {

/// An objective of the tests, named for their output.
struct NamedObjective {
    std::string name;
    config::TrainConfig::Diffusion config;

    std::unique_ptr<Objective> make() const { return makeObjective(config); }
};

inline void PrintTo(const NamedObjective& objective, std::ostream* out) {
    *out << objective.name;
}

/// Every objective with either prediction, and what else changes its path.
inline std::vector<NamedObjective> everyObjective() {
    std::vector<NamedObjective> all;
    for (const auto* objective : {"rectified_flow", "edm", "v_prediction"})
        for (const auto* prediction : {"clip", "velocity"}) {
            config::TrainConfig::Diffusion config;
            config.objective = objective;
            config.prediction = prediction;
            all.push_back({std::string(objective) + "_" + prediction, config});
        }
    config::TrainConfig::Diffusion shifted;
    shifted.shift = 5;
    all.push_back({"shifted_flow", shifted});
    config::TrainConfig::Diffusion narrow;
    narrow.objective = "edm";
    narrow.prediction = "velocity";
    narrow.sigma_data = 0.5;
    all.push_back({"edm_of_half_deviation", narrow});
    config::TrainConfig::Diffusion cosine;
    cosine.objective = "v_prediction";
    cosine.noise_schedule = "cosine";
    cosine.min_snr_gamma = 5;
    all.push_back({"cosine_v", cosine});
    config::TrainConfig::Diffusion unrescaled;
    unrescaled.objective = "v_prediction";
    unrescaled.prediction = "velocity";
    unrescaled.zero_terminal_snr = false;
    all.push_back({"v_without_zero_snr", unrescaled});
    return all;
}

inline std::string nameOf(const NamedObjective& objective) {
    return objective.name;
}

}  // namespace dailies::trainer
