#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::remote {

/// A file that clips begin with or are animated by, and where the job reads it.
struct ConditioningFile {
    std::filesystem::path local;
    std::string remote;
};

/// What a job reads of this machine's files goes into `folder`: names them there in `files`, and says what to
/// send. `drawings`: files may be folders, of which the drawings of `config::kGuidanceTypes` are sent. Throws
/// `InputError` for what is not there.
std::vector<ConditioningFile> filesToSend(std::vector<std::string>& files, const std::string& folder,
                                          const std::string& remedy, bool drawings = false);

/// Throws `InputError` where one of `poses` is no folder that holds a drawing of each of `types`, a video or
/// a folder of pictures.
void requireDrawings(const std::vector<std::string>& poses, const std::vector<std::string>& types);

/// That each is key points by its name: a .json file, or a folder that holds some. Throws `InputError`.
void requireKeypoints(const std::vector<std::string>& poses);

}  // namespace dailies::remote
