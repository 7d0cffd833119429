#include "remote/launch/conditioning_files.h"

#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/config/guidance_types.h"

#include <algorithm>

namespace dailies::remote {

namespace {

namespace fs = std::filesystem;

void addFilesIn(const fs::path& folder, std::vector<fs::path>& files) {
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
        if (at->is_regular_file(problem)) files.push_back(at->path());
    if (problem)
        throw InputError("Cannot read " + sanitizedText(folder.string()) + ": " + problem.message() + ".");
}

/// The files of all drawings in `folder`, which the job reads in `remote`; where it holds none by the names
/// of their types, its own files: one a frame.
void addDrawings(const fs::path& folder, const std::string& remote, std::vector<ConditioningFile>& sent) {
    std::vector<fs::path> files;
    for (const auto& type : config::kGuidanceTypes) {
        const auto drawing = config::drawingIn(folder, type);
        std::error_code problem;
        if (!fs::exists(drawing, problem)) continue;
        if (fs::is_directory(drawing, problem))
            addFilesIn(drawing, files);
        else
            files.push_back(drawing);
    }
    if (files.empty()) addFilesIn(folder, files);
    std::ranges::sort(files);
    for (const auto& file : files)
        sent.push_back({file, remote + "/" + file.lexically_relative(folder).string()});
}

}  // namespace

std::vector<ConditioningFile> filesToSend(std::vector<std::string>& files, const std::string& folder,
                                          const std::string& remedy, bool drawings) {
    std::vector<ConditioningFile> sent;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const fs::path local(files[i]);
        files[i] = folder + "/" + std::to_string(i + 1);
        std::error_code unseen;
        if (drawings && fs::is_directory(local, unseen)) {
            addDrawings(local, files[i], sent);
            continue;
        }
        requireFile(local, remedy);
        files[i] += local.extension().string();
        sent.push_back({local, files[i]});
    }
    return sent;
}

void requireDrawings(const std::vector<std::string>& poses, const std::vector<std::string>& types) {
    for (const auto& folder : poses)
        for (const auto& type : types)
            if (std::error_code unseen; !fs::exists(config::drawingIn(folder, type), unseen))
                throw InputError(
                    "There is no drawing of the type " + type + " in " + sanitizedText(folder) + ".",
                    "Name a folder that holds " + join(types, ", ") +
                        ", each a folder of pictures or an mp4.");
}

void requireKeypoints(const std::vector<std::string>& poses) {
    for (const auto& file : poses) {
        std::error_code unseen;
        std::vector<fs::path> files = {file};
        if (fs::is_directory(file, unseen)) addFilesIn(file, files);
        if (std::ranges::none_of(files, [](const fs::path& each) { return each.extension() == ".json"; }))
            throw InputError(sanitizedText(file) + " holds no key points, and drawn poses cannot be aligned.",
                             "Name the key points that it was drawn from (JSON, as OpenPose and DWPose "
                             "write them), or leave poses as they are.");
    }
}

}  // namespace dailies::remote
