#pragma once

#include "core/curation/film_scores.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dailies::curation {

/// The films that were decoded before: a file each, <folder>/<id>.json (`FilmFiles::idOf`), whole or absent.
/// Any thread; several programs may share the folder.
class FilmStore {
public:
    explicit FilmStore(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// Nothing where it was not decoded yet, or its file was damaged or of another revision.
    std::optional<FilmScores> load(const std::string& id) const;
    void save(const std::string& id, const FilmScores& film) const;  ///< throws `Error`

private:
    std::filesystem::path fileOf(const std::string& id) const { return m_folder / (id + ".json"); }

    std::filesystem::path m_folder;
};

}  // namespace dailies::curation
