#include "core/curation/film_store.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/film_record.h"

#include <system_error>

namespace dailies::curation {

std::optional<FilmScores> FilmStore::load(const std::string& id) const {
    const auto file = fileOf(id);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
    try {
        return parseFilmScores(parseJson(readFile(file), file.string()));
    } catch (const InputError&) {
        return std::nullopt;  // made anew
    }
}

void FilmStore::save(const std::string& id, const FilmScores& film) const {
    writeFileAtomically(fileOf(id), toJson(film).dump() + "\n");
}

}  // namespace dailies::curation
