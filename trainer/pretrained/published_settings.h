#pragma once

#include "trainer/models/model_shape.h"

#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// A published model that a run may begin with.
struct PublishedBase {
    std::string family;  ///< "wan", "ltx" or "mimic-motion"
    std::string called;  ///< by its publisher; empty where its sizes are of none
    Json sizes;          ///< as its family's `recognise…` gave them
};

/// What a run must set otherwise to be trained as the published model was: "model.width is 1536". Empty: it
/// is.
std::vector<std::string> otherSettings(const ModelShape& shape,
                                       const config::TrainConfig::Diffusion& diffusion,
                                       const PublishedBase& published);

}  // namespace dailies::trainer::pretrained
