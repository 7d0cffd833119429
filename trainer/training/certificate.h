#pragma once

#include "core/events/certificate.h"
#include "trainer/data/data_source.h"
#include "trainer/data/value_scale.h"
#include "trainer/diffusion/objective.h"
#include "trainer/models/model_shape.h"
#include "trainer/parallel/layout_mismatch.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/text/text_encoder.h"

#include <optional>

namespace dailies::trainer {

/// What a certificate is about.
struct CertifiedRun {
    const config::TrainConfig& config;
    const ModelShape& shape;
    const Objective& objective;
    DataSource& source;  ///< the clips to train on
    const TextEncoder& text;
    const ValueScale& scale;
    at::Device device;
};

/// A run of two blocks of its model (three where a third attends differently; with stages as many more as
/// give each chunk of each stage equally many) and as few clips as keep every rank and every kind of pass
/// busy. Its weights are as wide and its clips as long as the run's.
config::TrainConfig sliceOf(const config::TrainConfig& config, const config::LayoutSizes& sizes);

/// How far the loss and any weight's gradient may be from one process's.
struct CertificateTolerance {
    double loss = 0, gradient = 0;
};
CertificateTolerance certificateTolerance(const config::TrainConfig& config);

/// Computes loss and gradients of a slice of the run under its layout, as training does, and on the leading
/// rank once more in one process, clip by clip; compares. Every rank of `world` must ask, and all get the
/// same answer but for `seconds`. Needs the memory of the slice, which is free again afterwards; nullopt
/// where one GPU has no room for it.
std::optional<events::Certificate> certify(const CertifiedRun& run, const DistEnv& ranks, const Mesh& mesh,
                                           const ParallelDims& groups, ProcessGroup& world);

}  // namespace dailies::trainer
