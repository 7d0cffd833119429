#pragma once

#include "core/base/files.h"
#include "core/objects/object_clients.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::curation {

/// Films wherever they lie: files, by their paths, and objects of buckets and web servers, by their URLs
/// (s3://bucket/film.mp4, https://…; keys as `objects::s3Access` finds them). Any thread. Errors of objects
/// are those of `ObjectReader`.
class FilmFiles {
public:
    explicit FilmFiles(std::stop_token stop = {}) : m_stop(std::move(stop)) {}

    /// The films that `named` stands for: files and URLs as they are, and all videos below folders and below
    /// "s3://bucket/folder/", by their endings; absolute, without what signs a URL, each once, sorted,
    /// without what lies below `except`. Throws `InputError` for a path where nothing is, for a folder that
    /// cannot be read, and when there is no film at all.
    std::vector<std::string> find(const std::vector<std::string>& named, const std::filesystem::path& except);

    /// 32 hexadecimal digits that stand for where the film lies, its size and when it changed: a film that is
    /// replaced is another. Throws `Error` where it is not there.
    std::string idOf(const std::string& film);

    bool has(const std::string& film);

    /// 0 where nobody can tell.
    std::uintmax_t bytesOf(const std::string& film);

    /// As `video::captionBeside`; of objects "film.txt" beside "film.mp4" in a listed folder.
    std::optional<std::string> captionOf(const std::string& film);

    /// A film's file, for as long as this lives: its own, or of an object a copy in this machine's folder for
    /// temporary files.
    class Open {
    public:
        explicit Open(const std::string& film) : m_film(film), m_file(film) {}
        const std::filesystem::path& file() const { return m_file; }
        /// A message in which the film is called as it was named.
        std::string named(std::string message) const;

    private:
        friend class FilmFiles;
        std::string m_film;
        std::filesystem::path m_file;
        std::optional<TemporaryFolder> m_copy = {};
    };
    std::unique_ptr<Open> open(const std::string& film);

private:
    objects::ObjectReaders& readers();
    objects::ObjectFacts factsOf(const std::string& url);
    std::string signedUrl(const std::string& url);
    void addNamed(const std::string& url, std::set<std::string>& films);
    void addListed(const std::string& folder, std::set<std::string>& films);

    const std::stop_token m_stop;
    std::mutex m_mutex;  ///< of what follows
    std::optional<objects::ObjectReaders> m_readers;
    std::map<std::string, std::string> m_signed;          ///< URLs that are signed, by what they are without
    std::map<std::string, objects::ObjectFacts> m_facts;  ///< by URL; of captions, too
};

}  // namespace dailies::curation
