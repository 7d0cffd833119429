#include "core/curation/find_films.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

const std::set<std::string> kEndings = {".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov",  ".mp4", ".mpeg",
                                        ".mpg", ".mts", ".ogv",  ".ts",  ".vob", ".webm", ".wmv", ".y4m"};

bool isFilm(const fs::path& file) {
    const std::string ending = lowered(file.extension().string());
    return kEndings.contains(ending);
}

bool isBelow(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

fs::path absolutePath(const fs::path& path) {
    auto absolute = fs::absolute(path).lexically_normal();
    return absolute.has_filename() ? absolute : absolute.parent_path();  // "films/"
}

void addBelow(const fs::path& folder, const fs::path& except, std::set<fs::path>& films) {
    std::error_code error;
    const auto options =
        fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
         at.increment(error))
        if (isFilm(at->path()) && !at->is_directory(error) && !isBelow(at->path(), except))
            films.insert(at->path());
    if (error)
        throw InputError("Cannot read the folder " + folder.string() + ": " + error.message() + ".",
                         "Name a folder of films that you may read.");
}

}  // namespace

std::vector<fs::path> findFilms(const std::vector<fs::path>& named, const fs::path& except) {
    std::set<fs::path> films;
    for (const auto& name : named) {
        const auto path = absolutePath(name);
        std::error_code missing;
        if (fs::is_directory(path, missing))
            addBelow(path, absolutePath(except), films);
        else if (fs::exists(path, missing))
            films.insert(path);
        else
            throw InputError("There is no film or folder " + path.string() + ".");
    }
    if (films.empty()) {
        std::string endings;
        for (const auto& ending : kEndings) endings += " " + ending;
        throw InputError("There is no film in the folders named.",
                         "Files with these endings are taken:" + endings + ".");
    }
    return {films.begin(), films.end()};
}

}  // namespace dailies::curation
