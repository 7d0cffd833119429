#include "core/events/event.h"

#include "core/base/error.h"
#include "core/base/json_numbers.h"

namespace dailies::events {

namespace {

void write(Json& line, const Start& e) {
    line["type"] = "start";
    line["trainer"] = e.trainer;
    line["host"] = e.host;
    line["ranks"] = e.ranks;
    line["job"] = e.job;
    line["restarts"] = e.restarts;
    line["facts"] = e.facts.is_object() ? e.facts : Json::object();
}
void write(Json& line, const Resume& e) {
    line["type"] = "resume";
    line["from_step"] = e.fromStep;
}
void write(Json& line, const Certificate& e) {
    line["type"] = "certificate";
    line.update(toJson(e));
}
void writeValues(Json& line, const std::map<std::string, double>& values) {
    Json& written = line["values"] = Json::object();
    for (const auto& [key, value] : values) written[key] = numberToJson(value);
}
void write(Json& line, const Metrics& e) {
    line["type"] = "metrics";
    line["step"] = e.step;
    writeValues(line, e.values);
}
void write(Json& line, const Clip& e) {
    line["type"] = "clip";
    line["step"] = e.step;
    line["prompt"] = e.prompt;
    line["seed"] = e.seed;
    line["path"] = e.path;
    line["frames"] = e.frames;
    line["height"] = e.height;
    line["width"] = e.width;
    line["fps"] = e.fps;
    if (e.adherence) line["adherence"] = *e.adherence;
    if (!e.inputs.empty()) line["inputs"] = e.inputs;
    for (const auto& [name, values] : e.perFrame) line["per_frame"][name] = numbersToJson(values);
}
void write(Json& line, const Score& e) {
    line["type"] = "score";
    line["run"] = e.run;
    line["step"] = e.step;
    line["path"] = e.path;
    line["scorer"] = e.scorer;
    writeValues(line, e.values);
    if (!e.problem.empty()) line["problem"] = e.problem;
}
void write(Json& line, const Checkpoint& e) {
    line["type"] = "checkpoint";
    line["step"] = e.step;
    line["path"] = e.path;
    line["bytes"] = e.bytes;
}
void write(Json& line, const Health& e) {
    line["type"] = "health";
    line["kind"] = e.kind;
    line["text"] = e.text;
    if (e.step) line["step"] = *e.step;
}
void write(Json& line, const Message& e) {
    line["type"] = "message";
    line["level"] = e.level;
    line["text"] = e.text;
}
void write(Json& line, const End& e) {
    line["type"] = "end";
    line["status"] = e.status;
    line["step"] = e.step;
    line["reason"] = e.reason;
}

std::map<std::string, double> readValues(const Json& line) {
    std::map<std::string, double> values;
    for (const auto& [key, value] : line.at("values").items()) values[key] = numberFromJson(value);
    return values;
}

std::optional<Payload> readPayload(const std::string& type, const Json& line) {
    if (type == "start")
        return Start{line.value("trainer", ""),
                     line.value("host", ""),
                     line.value("ranks", std::int64_t{1}),
                     line.value("job", ""),
                     line.value("restarts", std::int64_t{0}),
                     line.value("facts", Json::object())};
    if (type == "resume") return Resume{line.at("from_step").get<std::int64_t>()};
    if (type == "certificate") return certificateFromJson(line);
    if (type == "metrics") return Metrics{line.at("step").get<std::int64_t>(), readValues(line)};
    if (type == "clip") {
        Clip e;
        e.step = line.at("step").get<std::int64_t>();
        e.prompt = line.at("prompt").get<std::string>();
        e.seed = line.at("seed").get<std::int64_t>();
        e.path = line.at("path").get<std::string>();
        e.frames = line.value("frames", std::int64_t{0});
        e.height = line.value("height", std::int64_t{0});
        e.width = line.value("width", std::int64_t{0});
        e.fps = line.value("fps", 0.0);
        if (line.contains("adherence")) e.adherence = numberFromJson(line["adherence"]);
        e.inputs = line.value("inputs", e.inputs);
        if (line.contains("per_frame"))
            for (const auto& [name, values] : line["per_frame"].items())
                e.perFrame[name] = numbersFromJson(values);
        return e;
    }
    if (type == "score")
        return Score{line.at("run").get<std::string>(),
                     line.at("step").get<std::int64_t>(),
                     line.value("path", ""),
                     line.at("scorer").get<std::string>(),
                     readValues(line),
                     line.value("problem", "")};
    if (type == "checkpoint")
        return Checkpoint{line.at("step").get<std::int64_t>(), line.at("path").get<std::string>(),
                          line.value("bytes", std::int64_t{0})};
    if (type == "health") {
        Health e{line.value("kind", ""), line.value("text", ""), std::nullopt};
        if (line.contains("step")) e.step = line["step"].get<std::int64_t>();
        return e;
    }
    if (type == "message") return Message{line.value("level", "info"), line.value("text", "")};
    if (type == "end")
        return End{line.at("status").get<std::string>(), line.value("step", std::int64_t{0}),
                   line.value("reason", "")};
    return std::nullopt;
}

}  // namespace

std::string encode(const Event& event) {
    Json line = {{"seq", event.seq}, {"attempt", event.attempt}, {"time", event.time}};
    std::visit([&](const auto& payload) { write(line, payload); }, event.payload);
    // texts may hold whatever a caption file held; a bad byte must not lose the event
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Event> decode(std::string_view text) {
    try {
        const Json line = Json::parse(text.begin(), text.end());
        auto payload = readPayload(line.at("type").get<std::string>(), line);
        if (!payload) return std::nullopt;
        return Event{line.at("seq").get<std::int64_t>(), line.at("attempt").get<std::int64_t>(),
                     line.at("time").get<double>(), std::move(*payload)};
    } catch (const Json::exception& e) {
        throw InputError(std::string("Not an event: ") + e.what());
    }
}

}  // namespace dailies::events
