#include "remote/program/code_location.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/sweep/command.h"
#include "core/sweep/config_file.h"

#include <algorithm>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

using Place = sweep::Code::Place;

constexpr std::size_t kMaxConfigFileBytes = 1 << 20;

/// The program as a path below a folder: "train.py", "src/train.py", "package" of `-m package.train`.
fs::path pathOf(const sweep::Program& program) {
    const std::string name = nameOf(program);
    const auto& words = commandOf(program);
    const auto module = std::ranges::find(words, "-m");
    const bool isModule = module != words.end() && module + 1 != words.end() && *(module + 1) == name;
    return isModule ? name.substr(0, name.find('.')) : name;
}

fs::path requireFolder(const fs::path& folder) {
    std::error_code problem;
    if (!fs::is_directory(folder, problem))
        throw InputError("code: there is no folder " + sanitizedText(folder.string()) + " on this machine.",
                         "Name one that is there, one of the cluster as cluster:FOLDER, or a repository as "
                         "git+https://HOST/OWNER/NAME@COMMIT.");
    return fs::canonical(folder);
}

}  // namespace

void locateProgram(sweep::Sweep& sweep, const std::string& asked, const fs::path& sweepFolder,
                   std::vector<std::string>& notices) {
    if (!sweep.program) {
        if (!asked.empty())
            throw InputError("--code is for a program of your own, and sweep " + sanitizedText(sweep.name) +
                                 " names none.",
                             "Add a line such as program: train.py, or leave --code out.");
        return;
    }
    locateCode(*sweep.program, asked, sweepFolder);
    readConfigFile(*sweep.program, sweepFolder);
    std::ranges::move(sweep::configFileNotices(sweep), std::back_inserter(notices));
}

void locateCode(sweep::Program& program, const std::string& asked, const fs::path& sweepFolder) {
    auto& code = program.code;
    const fs::path here = fs::current_path();
    if (!asked.empty()) {
        code = sweep::codeFromText(asked);
        if (code.place == Place::Git)
            if (const auto problem = repositoryProblem(code); !problem.empty())
                throw InputError("code: " + problem + ".");
        if (code.place == Place::Local) code.folder = requireFolder(here / code.folder).string();
    } else if (code.place == Place::Local) {
        code.folder = requireFolder((here / sweepFolder) / code.folder).string();
    } else if (code.place == Place::Unknown) {
        const fs::path path = pathOf(program);
        if (path.is_absolute()) {
            code = {Place::Cluster, path.parent_path().string()};
            return;
        }
        for (const fs::path& folder : {(here / sweepFolder), here})
            if (!path.empty() && fs::exists(folder / path)) {
                code = {Place::Local, fs::canonical(folder).string()};
                return;
            }
    }
}

void readConfigFile(sweep::Program& program, const fs::path& sweepFolder) {
    if (!program.configFile || !program.configFile->text.empty()) return;
    auto& file = *program.configFile;
    const fs::path beside = fs::current_path() / sweepFolder / file.path;
    const bool isLocal = program.code.place == Place::Local;
    const fs::path inCode = isLocal ? fs::path(program.code.folder) / file.path : fs::path();
    if (isLocal && fs::exists(inCode))
        file.text = readFile(inCode);
    else if (fs::exists(beside))
        file.text = readFile(beside);
    else if (program.code.place != Place::Cluster && program.code.place != Place::Git)
        throw InputError("config_file: there is no " + sanitizedText(file.path) +
                             (isLocal ? " in " + sanitizedText(program.code.folder) + "." : "."),
                         "Name it from the folder of the code, or from that of the sweep file.");
    else
        return;  // it may be there, where `Program::prepare` reads it
    checkConfigFile(file);
}

void checkConfigFile(const sweep::ConfigFile& file) {
    if (file.text.empty()) throw InputError("config_file: " + sanitizedText(file.path) + " is empty.");
    if (file.text.size() > kMaxConfigFileBytes)
        throw InputError("config_file: " + sanitizedText(file.path) + " is larger than 1 MiB.",
                         "Name the file that the program is configured by.");
    sweep::keysMissingIn(file, {});  // whether it can be read
}

}  // namespace dailies::remote
