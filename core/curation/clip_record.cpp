#include "core/curation/clip_record.h"

#include "core/base/error.h"
#include "core/curation/box_json.h"
#include "core/curation/hash_text.h"
#include "core/curation/picture_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace dailies::curation {

namespace {

constexpr double kBlackShare = 0.98;
constexpr double kUnchanged = 0.255;  ///< levels: FFmpeg's freezedetect, -60 dB
constexpr double kFrozenSeconds = 0.5;

struct Score {
    const char* name;
    double ClipScores::*value;
};

constexpr std::array kScores{
    Score{"motion", &ClipScores::motion},       Score{"frozen", &ClipScores::frozen},
    Score{"luma", &ClipScores::luma},           Score{"contrast", &ClipScores::contrast},
    Score{"black", &ClipScores::black},         Score{"white", &ClipScores::white},
    Score{"sharpness", &ClipScores::sharpness},
};

double roundedTo(double value, double places) {
    const double factor = std::pow(10, places);
    return std::round(value * factor) / factor;
}

/// The mean over the frames first…last.
double meanOf(const std::vector<double>& column, int first, int last) {
    double sum = 0;
    for (int n = first; n <= last; ++n) sum += column[static_cast<std::size_t>(n)];
    return last < first ? 0 : sum / (last - first + 1);
}

double shareOf(const std::vector<double>& column, const Span& span, double atLeast) {
    int count = 0;
    for (int n = span.first; n <= span.last; ++n) count += column[static_cast<std::size_t>(n)] >= atLeast;
    return static_cast<double>(count) / (span.last - span.first + 1);
}

double frozenShare(const FilmScores& film, const Span& span) {
    const int shortest = std::max(2, static_cast<int>(std::lround(kFrozenSeconds * film.fps)));
    int frozen = 0;
    // a stretch: a frame and all that follow it without change
    for (int first = span.first; first <= span.last;) {
        int end = first + 1;
        while (end <= span.last && film.change[static_cast<std::size_t>(end)] < kUnchanged) ++end;
        if (end - first >= shortest) frozen += end - first;
        first = end;
    }
    return static_cast<double>(frozen) / (span.last - span.first + 1);
}

bool contains(const Box& outer, const Box& inner) {
    return outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width &&
           outer.y + outer.height >= inner.y + inner.height;
}

Box unionOf(const Box& a, const Box& b) {
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

/// The box that most samples of the film have; all of the picture where none says.
Box usualBox(const FilmScores& film) {
    std::map<std::tuple<int, int, int, int>, int> counts;
    for (const auto& sample : film.samples)
        if (!sample.plain) ++counts[{sample.box.x, sample.box.y, sample.box.width, sample.box.height}];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (most == counts.end()) return {0, 0, film.width, film.height};
    const auto& [x, y, width, height] = most->first;
    return {x, y, width, height};
}

/// Of a clip that is dark at its edges the film's usual box: the smallest box that holds all that is bright
/// would cut into the picture.
Box cropOf(const std::vector<const PictureSample*>& samples, const Box& usual) {
    std::optional<Box> seen;
    for (const auto* sample : samples)
        if (!sample->plain) seen = seen ? unionOf(*seen, sample->box) : sample->box;
    return !seen || contains(usual, *seen) ? usual : *seen;
}

double medianSharpness(const std::vector<const PictureSample*>& samples) {
    std::vector<double> values;
    for (const auto* sample : samples) values.push_back(sample->sharpness);
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

ClipScores scoresOf(const FilmScores& film, const Span& span,
                    const std::vector<const PictureSample*>& samples) {
    ClipScores scores;
    // what the first frame differs by is the cut before it
    scores.motion = roundedTo(meanOf(film.motion, span.first + 1, span.last), 3);
    scores.frozen = roundedTo(frozenShare(film, span), 4);
    scores.luma = roundedTo(meanOf(film.luma, span.first, span.last), 2);
    scores.contrast = roundedTo(meanOf(film.deviation, span.first, span.last), 2);
    scores.black = roundedTo(shareOf(film.black, span, kBlackShare), 4);
    scores.white = roundedTo(shareOf(film.white, span, kBlackShare), 4);
    scores.sharpness = medianSharpness(samples);
    return scores;
}

/// Two a second, counted from the clip's first frame: in a copy of the film that begins or ends elsewhere,
/// the same shot has the same ones.
std::vector<std::uint64_t> hashesOf(const FilmScores& film, const Span& span) {
    std::vector<std::uint64_t> hashes;
    const int every = std::max(1, static_cast<int>(std::lround(film.fps / 2)));
    for (int n = span.first + every / 2; n <= span.last; n += every)
        if (film.deviation[static_cast<std::size_t>(n)] >= kPlainDeviation)
            hashes.push_back(film.hashes[static_cast<std::size_t>(n)]);
    return hashes;
}

void readScore(const std::string& name, const Json& value, ClipRecord& clip) {
    auto key = name.substr(std::string_view(kScorePrefix).size());
    if (value.is_number())
        clip.scorerValues[key] = value;
    else if (value.is_string() && key.ends_with(kNearestToSuffix))
        clip.nearestTo[key.substr(0, key.size() - std::string_view(kNearestToSuffix).size())] = value;
}

std::string clipId(const std::string& filmId, const Span& span) {
    constexpr std::size_t kFilmDigits = 12, kFrameDigits = 6;
    auto id = filmId.substr(0, kFilmDigits);
    for (const int frame : {span.first, span.last}) {
        const auto number = std::to_string(frame);
        id += "-" + std::string(kFrameDigits - std::min(kFrameDigits, number.size()), '0') + number;
    }
    return id;
}

}  // namespace

std::vector<ClipRecord> clipsOf(const FilmScores& film, const std::string& filmId, const std::string& source,
                                const CutRules& rules) {
    std::vector<ClipRecord> clips;
    const Box usual = usualBox(film);
    for (const auto& span : findSpans(film, findTransitions(film, rules), rules)) {
        std::vector<const PictureSample*> samples;
        for (const auto& sample : film.samples)
            if (sample.frame >= span.first && sample.frame <= span.last) samples.push_back(&sample);
        ClipRecord clip;
        clip.id = clipId(filmId, span);
        clip.source = source;
        clip.firstFrame = span.first;
        clip.lastFrame = span.last;
        clip.start = roundedTo(film.secondsOf(span.first), 6);
        clip.end = roundedTo(film.secondsOf(span.last + 1), 6);
        clip.fps = film.fps;
        clip.width = film.width;
        clip.height = film.height;
        clip.crop = cropOf(samples, usual);
        clip.begins = span.begins;
        clip.ends = span.ends;
        clip.scores = scoresOf(film, span, samples);
        clip.hashes = hashesOf(film, span);
        clips.push_back(std::move(clip));
    }
    return clips;
}

Json toJson(const ClipRecord& clip) {
    Json json = {{"id", clip.id},
                 {"source", clip.source},
                 {"first_frame", clip.firstFrame},
                 {"last_frame", clip.lastFrame},
                 {"start", clip.start},
                 {"end", clip.end},
                 {"fps", clip.fps},
                 {"width", clip.width},
                 {"height", clip.height},
                 {"crop", toJson(clip.crop)},
                 {"begins", toText(clip.begins)},
                 {"ends", toText(clip.ends)}};
    for (const auto& score : kScores) json[score.name] = clip.scores.*score.value;
    addScores(clip, json);
    auto& hashes = json["hashes"] = Json::array();
    for (const auto hash : clip.hashes) hashes.push_back(hashText(hash));
    json["duplicate_of"] = clip.duplicateOf ? Json(*clip.duplicateOf) : Json();
    if (!clip.caption.empty()) json["caption"] = clip.caption;
    return json;
}

void addScores(const ClipRecord& clip, Json& line) {
    for (const auto& [key, value] : clip.scorerValues) line[kScorePrefix + key] = value;
    for (const auto& [scorer, id] : clip.nearestTo) line[kScorePrefix + scorer + kNearestToSuffix] = id;
}

ClipRecord parseClipRecord(const Json& json) {
    try {
        ClipRecord clip;
        clip.id = json.at("id");
        clip.source = json.at("source");
        clip.firstFrame = json.at("first_frame");
        clip.lastFrame = json.at("last_frame");
        clip.start = json.at("start");
        clip.end = json.at("end");
        clip.fps = json.at("fps");
        clip.width = json.at("width");
        clip.height = json.at("height");
        clip.crop = boxFromJson(json.at("crop"));
        clip.begins = boundaryFromText(json.at("begins"));
        clip.ends = boundaryFromText(json.at("ends"));
        for (const auto& score : kScores) clip.scores.*score.value = json.at(score.name);
        for (auto at = json.begin(); at != json.end(); ++at)
            if (at.key().starts_with(kScorePrefix)) readScore(at.key(), *at, clip);
        for (const auto& hash : json.at("hashes"))
            clip.hashes.push_back(hashFromText(hash.get<std::string>()));
        if (const auto& other = json.at("duplicate_of"); !other.is_null())
            clip.duplicateOf = other.get<std::string>();
        if (const auto caption = json.find("caption"); caption != json.end() && caption->is_string())
            clip.caption = caption->get<std::string>();
        return clip;
    } catch (const Json::exception& error) {
        throw InputError(std::string("This is no clip of a clips.jsonl: ") + error.what() + ".");
    }
}

}  // namespace dailies::curation
