#pragma once

#include "core/base/json.h"

#include <string>
#include <vector>

namespace dailies::captioning {

/// What a vision-language model is asked about a clip.
struct CaptionSettings {
    std::string model;  ///< as its server names it; empty: the first that it names
    std::string prompt =
        "Describe this video in one paragraph: the subjects and what they do, the setting, the light, and "
        "how the camera moves. Say only what can be seen. Do not mention that it is a video.";
    int frames = 8;       ///< spread evenly over the clip
    int maxSide = 448;    ///< pixels of a picture's longer side
    int maxTokens = 256;  ///< of an answer
    double temperature = 0.2;

    /// The same for all that are answered alike: a digest of everything above.
    std::string key() const;
};

/// Captions for the clips that a curated folder keeps: `dailies-train caption`, alone or as a task of a
/// cluster's job.
struct CaptionJob {
    std::string folder;  ///< that `curate` wrote
    CaptionSettings settings;
    /// The root of an OpenAI-compatible server, "http://127.0.0.1:8000/v1". With `serve`, "${port}" in both
    /// is a port that is free.
    std::string server;
    std::string serve;     ///< command that starts the server, for as long as it is asked; empty: it runs
    int parallel = 8;      ///< requests at once
    bool again = false;    ///< also clips that have a caption, unless it is by hand
    std::string sharedBy;  ///< the same in all tasks that share the clips; empty: this is the only one
};

inline constexpr const char* kServedAt = "http://127.0.0.1:${port}/v1";

/// What a person may say of one: all keys but what the tasks have in common.
std::vector<std::string> captionKeys();

/// Throws `InputError` that names the key, what was found and what would be accepted.
CaptionJob parseCaptionJob(const Json& json);
Json toJson(const CaptionJob& job);

/// Whether the words make sense; throws `InputError` as `parseCaptionJob` does.
void throwIfInvalid(const CaptionJob& job);

}  // namespace dailies::captioning
