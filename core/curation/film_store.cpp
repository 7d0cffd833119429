#include "core/curation/film_store.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/film_record.h"
#include "core/digest/sha256.h"

#include <system_error>

namespace dailies::curation {

std::string FilmStore::idOf(const std::filesystem::path& film) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(film, missing);
    if (missing) throw Error("Cannot read the film " + film.string() + ": " + missing.message() + ".");
    const auto changed = std::filesystem::last_write_time(film, missing).time_since_epoch().count();
    if (missing) throw Error("Cannot read the film " + film.string() + ": " + missing.message() + ".");
    Sha256 digest;
    digest.add(film.string());
    digest.add({"\0", 1});
    digest.add(std::to_string(bytes) + "@" + std::to_string(changed));
    return digest.hex(kIdDigits);
}

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
