#include "core/judging/judgement.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace dailies::judging {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

Json noteToJson(const Note& note) {
    Json strokes = Json::array();
    for (const Stroke& stroke : note.strokes) {
        Json places = Json::array();
        for (const Place& place : stroke.places) places.push_back({place.x, place.y});
        strokes.push_back({{"color", stroke.color}, {"width", stroke.width}, {"places", std::move(places)}});
    }
    return {{"id", note.id},
            {"first_frame", note.firstFrame},
            {"last_frame", note.lastFrame},
            {"text", note.text},
            {"strokes", std::move(strokes)}};
}

Note noteFromJson(const Json& json) {
    Note note;
    note.id = json.at("id").get<std::string>();
    note.firstFrame = json.at("first_frame").get<int>();
    note.lastFrame = json.at("last_frame").get<int>();
    note.text = json.at("text").get<std::string>();
    for (const Json& drawn : json.at("strokes")) {
        Stroke& stroke = note.strokes.emplace_back();
        stroke.color = drawn.at("color").get<std::string>();
        stroke.width = drawn.at("width").get<double>();
        for (const Json& place : drawn.at("places"))
            stroke.places.push_back({place.at(0).get<double>(), place.at(1).get<double>()});
    }
    return note;
}

void check(Stars& stars) {
    if (stars.count < 0 || stars.count > kMaxStars)
        throw InputError("A clip cannot have " + std::to_string(stars.count) + " stars.",
                         "Give it 1 to 5, or 0 to take the rating away.");
}

void check(Tags& tags) {
    std::set<std::string> kept;
    for (const std::string& tag : tags.tags)
        if (const auto text = sanitizedText(trim(tag)); !text.empty()) kept.insert(text);
    tags.tags = std::move(kept);
}

void check(WrittenNote& written) {
    Note& note = written.note;
    note.text = sanitizedText(trim(note.text));
    std::erase_if(note.strokes, [](const Stroke& stroke) { return stroke.places.empty(); });
    if (note.text.empty() && note.strokes.empty())
        throw InputError("The note is empty.", "Write something, or draw on the frame.");
    if (note.firstFrame < 0 || note.lastFrame < note.firstFrame)
        throw InputError("Invalid frame range for a note: " + std::to_string(note.firstFrame) + " to " +
                             std::to_string(note.lastFrame) + ".",
                         "Let it end where it begins, or later.");
}

void check(Rejection&) {}
void check(RemovedNote&) {}

}  // namespace

Judgement validate(Judgement judgement) {
    std::visit([](auto& action) { check(action); }, judgement.action);
    judgement.author = sanitizedText(trim(judgement.author));
    return judgement;
}

Json toJson(const ReviewAction& action) {
    return std::visit(Overloaded{
                          [](const Stars& stars) {
                              return Json{{"stars", stars.count}};
                          },
                          [](const Rejection& rejection) {
                              return Json{{"rejected", rejection.rejected}};
                          },
                          [](const Tags& tags) {
                              return Json{{"tags", tags.tags}};
                          },
                          [](const WrittenNote& written) {
                              return Json{{"note", noteToJson(written.note)}};
                          },
                          [](const RemovedNote& removed) {
                              return Json{{"removed_note", removed.id}};
                          },
                      },
                      action);
}

ReviewAction reviewActionFromJson(const Json& json) {
    try {
        if (json.contains("stars")) return Stars{json.at("stars").get<int>()};
        if (json.contains("rejected")) return Rejection{json.at("rejected").get<bool>()};
        if (json.contains("tags")) return Tags{json.at("tags").get<std::set<std::string>>()};
        if (json.contains("note")) return WrittenNote{noteFromJson(json.at("note"))};
        if (json.contains("removed_note")) return RemovedNote{json.at("removed_note").get<std::string>()};
    } catch (const Json::exception&) {
    }
    throw InputError("The judgement record has an unknown format: " + sanitizedText(json.dump()) + ".",
                     "A newer Dailies may have written it.");
}

}  // namespace dailies::judging
