#pragma once

#include "core/config/train_config.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace dailies::trainer {

/// A point of an objective's path from clip to noise: z = alpha·x + sigma·e, for a clip x and noise e of
/// deviation 1. `level` is the objective's own name for the point.
struct PathPoint {
    double level = 0;
    double alpha = 1;
    double sigma = 0;

    /// sigma / (alpha + sigma): 0 is the clip, 1 pure noise; the same share is the same ratio of signal to
    /// noise, whatever the objective.
    double noiseFraction() const { return sigma / (alpha + sigma); }
};

/// What a denoiser is trained for: the path that joins a clip and noise, how noisy the clips of a step are,
/// what the network sees and must put out, and the loss. Implementations stand in a pair of files each; all
/// of them are immutable, and their tensors follow the device of the arguments.
///
/// "Levels" name points of the path: one number a clip, float32. Larger is noisier. Clips, noise and outputs
/// are [clips, …]; losses are means over a clip's values, one number a clip, float32.
class Objective {
public:
    virtual ~Objective() = default;

    /// The noise levels that lie at these quantiles (0 … 1, float64) of the training distribution. Clips of
    /// more tokens are trained at more noise where the objective has a resolution shift.
    virtual at::Tensor levels(const at::Tensor& quantiles, std::int64_t tokensPerClip) const = 0;

    virtual PathPoint point(double level) const = 0;

    /// The point whose noise has this share of it: see PathPoint::noiseFraction; 0 < share < 1. The noisiest
    /// one for a share that the path does not reach (a schedule that ends before pure noise).
    virtual PathPoint pointAtNoiseFraction(double share) const = 0;

    /// The points that a sampler of `steps` steps visits, noisiest first: steps + 1 of them, the last without
    /// noise.
    virtual std::vector<PathPoint> grid(std::int64_t steps, std::int64_t tokensPerClip) const = 0;

    /// z at the levels.
    virtual at::Tensor addNoise(const at::Tensor& clip, const at::Tensor& noise,
                                const at::Tensor& levels) const = 0;

    /// z as the network takes it.
    virtual at::Tensor networkInput(const at::Tensor& noised, const at::Tensor&) const { return noised; }

    /// The levels as the network is told them: numbers of size about 1.
    virtual at::Tensor networkTimes(const at::Tensor& levels) const { return levels; }

    /// The clean clip that a network's output at z means.
    virtual at::Tensor predictClean(const at::Tensor& output, const at::Tensor& noised,
                                    const at::Tensor& levels) const = 0;

    /// The weighted mean squared error of a network's output, for each clip.
    virtual at::Tensor loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                            const at::Tensor& levels) const = 0;
};

/// The objective that `config.diffusion.objective` names. Throws `InputError` for one that this trainer
/// lacks.
std::unique_ptr<Objective> makeObjective(const config::TrainConfig::Diffusion& config);

/// What a network puts out: the clean clip, or the objective's own velocity. The clip suits pixels, because a
/// network that is narrower than its patches cannot pass noise through; velocity is usual for latents.
enum class Prediction { clip, velocity };
Prediction predictionOf(const config::TrainConfig::Diffusion& config);

/// Errors of a predicted clip are divided by at least this times the deviation of a clip, so that losses stay
/// bounded where there is hardly any noise.
inline constexpr double kMinNoise = 0.05;

/// [clips] → [clips, 1, …], to go with a tensor of that many dims.
at::Tensor perClip(const at::Tensor& values, std::int64_t dims);

/// Mean of the squares of each clip.
at::Tensor meanSquares(const at::Tensor& error);

}  // namespace dailies::trainer
