#include "core/curation/film_files.h"

#include "core/base/error.h"
#include "core/base/media_names.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "core/video/caption_beside.h"

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCaptionEnding = ".txt";

bool isBelow(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

fs::path absolutePath(const fs::path& path) {
    auto absolute = fs::absolute(path).lexically_normal();
    return absolute.has_filename() ? absolute : absolute.parent_path();  // "films/"
}

void addBelow(const fs::path& folder, const fs::path& except, std::set<std::string>& films) {
    std::error_code error;
    const auto options =
        fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
         at.increment(error))
        if (isVideoName(at->path().string()) && !at->is_directory(error) && !isBelow(at->path(), except))
            films.insert(at->path().string());
    if (error)
        throw InputError("Cannot read the folder " + folder.string() + ": " + error.message() + ".",
                         "Name a folder of films that you may read.");
}

}  // namespace

std::vector<std::string> FilmFiles::find(const std::vector<std::string>& named, const fs::path& except) {
    std::set<std::string> films;
    for (const auto& name : named) {
        if (objects::isObjectUrl(name)) {
            if (name.ends_with('/'))
                addListed(name, films);
            else
                addNamed(name, films);
            continue;
        }
        const auto path = absolutePath(name);
        std::error_code missing;
        if (fs::is_directory(path, missing))
            addBelow(path, absolutePath(except), films);
        else if (fs::exists(path, missing))
            films.insert(path.string());
        else
            throw InputError("There is no film or folder " + path.string() + ".");
    }
    if (films.empty()) {
        std::string endings;
        for (const auto ending : videoEndings()) endings.append(" ").append(ending);
        throw InputError("There is no film in the folders named.",
                         "Files with these endings are taken:" + endings + ".");
    }
    return {films.begin(), films.end()};
}

void FilmFiles::addNamed(const std::string& url, std::set<std::string>& films) {
    const auto film = objects::withoutQuery(url);
    films.insert(film);
    const std::lock_guard lock(m_mutex);
    if (film != url) m_signed[film] = url;
}

void FilmFiles::addListed(const std::string& folder, std::set<std::string>& films) {
    auto listed = readers().lend()->list(folder);
    const std::lock_guard lock(m_mutex);
    for (auto& object : listed) {
        const fs::path key(object.url);
        if (isVideoName(key.string())) films.insert(object.url);
        if (isVideoName(key.string()) || key.extension() == kCaptionEnding)
            m_facts[object.url] = std::move(object.facts);
    }
}

objects::ObjectReaders& FilmFiles::readers() {
    const std::lock_guard lock(m_mutex);
    if (!m_readers) m_readers.emplace(objects::s3Access(), m_stop);
    return *m_readers;
}

objects::ObjectFacts FilmFiles::factsOf(const std::string& url) {
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_facts.find(url); known != m_facts.end()) return known->second;
    }
    const auto facts = readers().lend()->facts(signedUrl(url));
    const std::lock_guard lock(m_mutex);
    return m_facts.emplace(url, facts).first->second;
}

std::string FilmFiles::signedUrl(const std::string& url) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_signed.find(url);
    return found == m_signed.end() ? url : found->second;
}

std::string FilmFiles::idOf(const std::string& film) {
    Sha256 digest;
    const auto add = [&](const std::string& where, std::uintmax_t bytes, const std::string& changed) {
        digest.add(where);
        digest.add({"\0", 1});
        digest.add(std::to_string(bytes) + "@" + changed);
        return digest.hex(kIdDigits);
    };
    if (objects::isObjectUrl(film)) {
        const auto facts = factsOf(film);
        return add(film, facts.bytes, facts.stamp);
    }
    std::error_code missing;
    const auto bytes = fs::file_size(film, missing);
    const auto changed = missing ? fs::file_time_type() : fs::last_write_time(film, missing);
    if (missing) throw Error("Cannot read the film " + film + ": " + missing.message() + ".");
    return add(film, bytes, std::to_string(changed.time_since_epoch().count()));
}

bool FilmFiles::has(const std::string& film) {
    std::error_code unknown;
    if (!objects::isObjectUrl(film)) return fs::exists(film, unknown);
    try {
        factsOf(film);
        return true;
    } catch (const objects::Refused&) {
        return false;
    }
}

std::uintmax_t FilmFiles::bytesOf(const std::string& film) {
    try {
        if (objects::isObjectUrl(film)) return factsOf(film).bytes;
    } catch (const Error&) {
        return 0;  // said when it is opened
    }
    std::error_code missing;
    const auto bytes = fs::file_size(film, missing);
    return missing ? 0 : bytes;
}

std::optional<std::string> FilmFiles::captionOf(const std::string& film) {
    if (!objects::isObjectUrl(film)) return video::captionBeside(film);
    const auto file = fs::path(film).replace_extension(kCaptionEnding).string();
    objects::ObjectFacts facts;
    {
        const std::lock_guard lock(m_mutex);
        const auto known = m_facts.find(file);
        if (known == m_facts.end()) return std::nullopt;
        facts = known->second;
    }
    auto caption = video::captionLine(readers().lend()->read(file, 0, facts.bytes, facts.stamp));
    return caption.empty() ? std::nullopt : std::optional(std::move(caption));
}

std::string FilmFiles::Open::named(std::string message) const {
    const auto file = m_file.string();
    for (auto at = message.find(file); at != std::string::npos; at = message.find(file, at + m_film.size()))
        message.replace(at, file.size(), m_film);
    return message;
}

std::unique_ptr<FilmFiles::Open> FilmFiles::open(const std::string& film) {
    auto opened = std::make_unique<Open>(film);
    if (!objects::isObjectUrl(film)) return opened;
    opened->m_copy.emplace("dailies-film");
    // by its own name, for its ending says what it is
    opened->m_file = opened->m_copy->path() / fs::path(film).filename();
    readers().lend()->download(signedUrl(film), factsOf(film), opened->m_file);
    return opened;
}

}  // namespace dailies::curation
