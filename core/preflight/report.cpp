#include "core/preflight/report.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>

namespace dailies::preflight {

namespace {

Json number(const std::optional<double>& value) {
    return value ? numberToJson(*value) : Json(nullptr);
}

std::optional<double> number(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional(numberFromJson(json));
}

std::optional<double> number(const Json& object, const char* key) {
    return object.contains(key) ? number(object[key]) : std::nullopt;
}

Json toJson(const Gpu& gpu) {
    return {{"name", gpu.name},
            {"temperature", gpu.temperature},
            {"clock", gpu.clock},
            {"highest_clock", gpu.highestClock},
            {"ecc_errors", gpu.eccErrors}};
}

Json toJson(const Link& link) {
    return {{"node", link.node},
            {"bytes_per_second", link.bytesPerSecond},
            {"latency", link.latency},
            {"problem", link.problem}};
}

Json toJson(const Node& node) {
    Json figures = Json::object();
    for (const auto& [key, value] : node.figures) figures[key] = numberToJson(value);
    return {{"name", node.name},
            {"verdict", toText(node.verdict)},
            {"reasons", node.reasons},
            {"figures", std::move(figures)},
            {"note", node.note}};
}

Node nodeFromJson(const Json& json) {
    Node node;
    node.name = json.at("name").get<std::string>();
    node.verdict = nodeVerdictFromText(json.at("verdict").get<std::string>());
    node.reasons = json.at("reasons").get<std::vector<std::string>>();
    for (const auto& [key, value] : json.at("figures").items()) node.figures[key] = numberFromJson(value);
    node.note = json.value("note", "");
    return node;
}

template <class Read>
auto readOrRefuse(const char* what, Read read) {
    try {
        return read();
    } catch (const Json::exception& error) {
        throw InputError(std::string("Not ") + what + ": " + error.what());
    }
}

}  // namespace

std::string toText(NodeVerdict verdict) {
    switch (verdict) {
        case NodeVerdict::ok:
            return "ok";
        case NodeVerdict::slow:
            return "slow";
        case NodeVerdict::bad:
            break;
    }
    return "bad";
}

NodeVerdict nodeVerdictFromText(const std::string& text) {
    for (const auto verdict : {NodeVerdict::ok, NodeVerdict::slow, NodeVerdict::bad})
        if (text == toText(verdict)) return verdict;
    throw InputError("Verdict: found \"" + sanitizedText(text) + "\", expected ok, slow or bad.");
}

Json toJson(const RankReport& part) {
    Json links = Json::array(), gpus = Json::array();
    for (const auto& link : part.links) links.push_back(toJson(link));
    for (const auto& gpu : part.gpus) gpus.push_back(toJson(gpu));
    return {{"rank", part.rank},
            {"node", part.node},
            {"phase", part.phase},
            {"problems", part.problems},
            {"flops", number(part.flops)},
            {"bytes_written", number(part.bytesWritten)},
            {"files_made", number(part.filesMade)},
            {"skew", number(part.skew)},
            {"all_reduce", number(part.allReduce)},
            {"links", std::move(links)},
            {"gpus", std::move(gpus)},
            {"xids", part.xids},
            {"gpu_note", part.gpuNote},
            {"device", part.device}};
}

RankReport rankReportFromJson(const Json& json) {
    return readOrRefuse("a part of a preflight", [&] {
        RankReport part;
        part.rank = json.at("rank").get<std::int64_t>();
        part.node = json.at("node").get<std::string>();
        part.phase = json.at("phase").get<std::string>();
        part.problems = json.at("problems").get<std::vector<std::string>>();
        part.flops = number(json, "flops");
        part.bytesWritten = number(json, "bytes_written");
        part.filesMade = number(json, "files_made");
        part.skew = number(json, "skew");
        part.allReduce = number(json, "all_reduce");
        for (const auto& link : json.at("links"))
            part.links.push_back({link.at("node").get<std::string>(),
                                  link.at("bytes_per_second").get<double>(), link.at("latency").get<double>(),
                                  link.at("problem").get<std::string>()});
        for (const auto& gpu : json.at("gpus"))
            part.gpus.push_back({gpu.at("name").get<std::string>(), gpu.at("temperature").get<double>(),
                                 gpu.at("clock").get<double>(), gpu.at("highest_clock").get<double>(),
                                 gpu.at("ecc_errors").get<std::int64_t>()});
        part.xids = json.at("xids").get<std::vector<int>>();
        part.gpuNote = json.value("gpu_note", "");
        part.device = json.value("device", "cpu");
        return part;
    });
}

bool Report::allOk() const {
    return std::ranges::all_of(nodes, [](const Node& node) { return node.verdict == NodeVerdict::ok; });
}

bool Report::anyBad() const {
    return std::ranges::any_of(nodes, [](const Node& node) { return node.verdict == NodeVerdict::bad; });
}

std::vector<std::string> Report::nodesToExclude() const {
    std::vector<std::string> bad;
    for (const auto& node : nodes)
        if (node.verdict == NodeVerdict::bad) bad.push_back(node.name);
    return 2 * bad.size() > nodes.size() ? std::vector<std::string>{} : bad;
}

std::vector<double> Report::values(const std::string& key) const {
    std::vector<double> found;
    for (const auto& node : nodes)
        if (const auto value = node.figures.find(key); value != node.figures.end())
            found.push_back(value->second);
    return found;
}

std::string Report::summary() const {
    std::vector<std::string> lines;
    for (const auto& node : nodes)
        if (node.verdict != NodeVerdict::ok)
            lines.push_back("Node " + node.name + " is " + toText(node.verdict) + ". " +
                            join(node.reasons, " "));
    if (lines.empty())
        return nodes.size() == 1   ? "The node is healthy."
               : nodes.size() == 2 ? "Both nodes healthy."
                                   : "All " + std::to_string(nodes.size()) + " nodes healthy.";
    return join(lines, "\n");
}

Json toJson(const Report& report) {
    Json nodes = Json::array(), links = Json::array();
    for (const auto& node : report.nodes) nodes.push_back(toJson(node));
    for (const auto& row : report.links) {
        links.push_back(Json::array());
        for (const auto& rate : row) links.back().push_back(number(rate));
    }
    return {{"version", 1},
            {"time", report.time},
            {"seconds", report.seconds},
            {"job", report.job},
            {"ranks", report.ranks},
            {"device", report.device},
            {"nodes", std::move(nodes)},
            {"links", std::move(links)},
            {"all_reduce", number(report.allReduce)}};
}

Report reportFromJson(const Json& json) {
    return readOrRefuse("the report of a preflight", [&] {
        Report report;
        report.time = json.at("time").get<double>();
        report.seconds = json.at("seconds").get<double>();
        report.job = json.value("job", "");
        report.ranks = json.value("ranks", std::int64_t{0});
        report.device = json.value("device", "cpu");
        for (const auto& node : json.at("nodes")) report.nodes.push_back(nodeFromJson(node));
        for (const auto& row : json.at("links")) {
            report.links.emplace_back();
            for (const auto& rate : row) report.links.back().push_back(number(rate));
            report.links.back().resize(report.nodes.size());
        }
        report.links.resize(report.nodes.size(), std::vector<std::optional<double>>(report.nodes.size()));
        report.allReduce = number(json, "all_reduce");
        return report;
    });
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const auto middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace dailies::preflight
