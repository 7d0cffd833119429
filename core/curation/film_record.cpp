#include "core/curation/film_record.h"

#include "core/base/error.h"
#include "core/curation/box_json.h"
#include "core/curation/hash_text.h"

#include <array>

namespace dailies::curation {

namespace {

struct Column {
    const char* name;
    std::vector<double> FilmScores::*values;
};

constexpr std::array kColumns{
    Column{"content", &FilmScores::content},     Column{"change", &FilmScores::change},
    Column{"motion", &FilmScores::motion},       Column{"luma", &FilmScores::luma},
    Column{"deviation", &FilmScores::deviation}, Column{"black", &FilmScores::black},
    Column{"white", &FilmScores::white},         Column{"flash", &FilmScores::flash},
    Column{"dissolve", &FilmScores::dissolve},
};

Json toJson(const PictureSample& sample) {
    return {{"frame", sample.frame},
            {"plain", sample.plain},
            {"sharpness", sample.sharpness},
            {"box", toJson(sample.box)}};
}

PictureSample sampleFromJson(const Json& json) {
    return {json.at("frame"), json.at("plain"), json.at("sharpness"), boxFromJson(json.at("box"))};
}

}  // namespace

Json toJson(const FilmScores& film) {
    Json json = {{"revision", kScoresRevision}, {"width", film.width}, {"height", film.height},
                 {"frames", film.frames},       {"fps", film.fps},     {"codec", film.codec},
                 {"damaged", film.damaged}};
    if (!film.seconds.empty()) json["seconds"] = film.seconds;
    auto& samples = json["samples"] = Json::array();
    for (const auto& sample : film.samples) samples.push_back(toJson(sample));
    for (const auto& column : kColumns) json[column.name] = film.*column.values;
    std::string hashes;
    for (const auto hash : film.hashes) hashes += hashText(hash);
    json["hashes"] = hashes;
    return json;
}

FilmScores parseFilmScores(const Json& json) {
    try {
        if (json.at("revision") != kScoresRevision) throw InputError("These scores are of another revision.");
        FilmScores film;
        film.width = json.at("width");
        film.height = json.at("height");
        film.frames = json.at("frames");
        film.fps = json.at("fps");
        film.codec = json.at("codec");
        film.damaged = json.at("damaged").get<std::vector<int>>();
        if (json.contains("seconds")) film.seconds = json.at("seconds").get<std::vector<double>>();
        for (const auto& sample : json.at("samples")) film.samples.push_back(sampleFromJson(sample));
        for (const auto& column : kColumns) {
            film.*column.values = json.at(column.name).get<std::vector<double>>();
            if ((film.*column.values).size() != static_cast<std::size_t>(film.frames))
                throw InputError(std::string("The scores \"") + column.name + "\" are not one a frame.");
        }
        const auto& hashes = json.at("hashes").get_ref<const std::string&>();
        if (hashes.size() != kHashDigits * static_cast<std::size_t>(film.frames))
            throw InputError("The hashes are not one a frame.");
        for (std::size_t i = 0; i < hashes.size(); i += kHashDigits)
            film.hashes.push_back(hashFromText(hashes.substr(i, kHashDigits)));
        return film;
    } catch (const Json::exception& error) {
        throw InputError(std::string("These are no scores of a film: ") + error.what() + ".");
    }
}

}  // namespace dailies::curation
