#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::config {

/// What `dailies-train sample` makes: a clip of every prompt with every seed from every checkpoint, at every
/// guidance, number of sampler steps and strength of an adapter. The sampling run's config.json.
struct SamplingJob {
    std::vector<std::string> checkpoints;  ///< their folders: RUN/checkpoints/step-000001000
    std::vector<std::string> prompts;
    std::vector<std::string> prompt_embeddings;  ///< files, one a prompt, where the model reads embeddings
    std::optional<std::string> negative_prompt;  ///< of all clips; none: what the run sampled with
    std::vector<std::string> given_files;  ///< what clips begin with: none, one for all, or one a prompt
    std::vector<std::string> last_files;   ///< and end with
    /// Whom models of characters animate: pictures, and videos of drawn poses; none (what the run sampled
    /// with), one for all, or one a prompt.
    std::vector<std::string> reference_files, pose_files, reference_pose_files;
    std::optional<bool> align_poses;  ///< of all clips; none: as the run sampled
    std::vector<std::int64_t> seeds = {1};
    std::vector<double> guidance;     ///< scales of classifier-free guidance; none: what the run sampled with
    std::vector<std::int64_t> steps;  ///< of the sampler; none: what the run sampled with
    std::vector<double> strength;     ///< by which what an adapter adds is multiplied; none: 1
    std::int64_t frames = 0;          ///< of each clip; 0: as many as the model learned
    std::int64_t overlap =
        0;  ///< frames that neighbouring chunks of a longer clip share; 0: a third of a chunk
    std::string blend = "linear";  ///< how they are joined: see `kBlends`

    std::int64_t clips() const;
    std::string conditioningFile(std::size_t prompt) const;  ///< empty: nothing is given
};

/// The file of a prompt: that of its place, or the one for all; empty where there are none.
std::string fileOfPrompt(const std::vector<std::string>& files, std::size_t prompt);

/// "linear" joins the finished chunks, the others join them after every step of the sampler: "progressive" as
/// "linear" does, "uniform" and "triangle" as the programs of AnimateAnyone and MimicMotion do.
inline const std::vector<std::string> kBlends = {"linear", "progressive", "uniform", "triangle"};

/// Throws `InputError` that names the key, what was found and what would be accepted.
SamplingJob parseSamplingJob(const Json& json);
Json toJson(const SamplingJob& job);

/// Whether the words make sense; throws `InputError` as `parseSamplingJob` does. `checkpoints` may be empty:
/// they are chosen later.
void throwIfInvalid(const SamplingJob& job);

/// A prompt a line, without empty lines and those that begin with '#'; or, where the text begins with '[', a
/// JSON list of texts. `source` is named in the `InputError` when there is none.
std::vector<std::string> parsePrompts(std::string_view text, const std::string& source);

/// "0..3, 7" → 0, 1, 2, 3, 7. Throws `InputError` beginning with `name`.
std::vector<std::int64_t> parseWholeNumbers(const std::string& text, const std::string& name);
/// "1, 2.5" → 1, 2.5.
std::vector<double> parseNumbers(const std::string& text, const std::string& name);

}  // namespace dailies::config
