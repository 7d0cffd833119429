#include "core/sweep/job_yaml.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/resources.h"

#include <charconv>
#include <limits>

namespace dailies::sweep {

namespace {

const std::vector<std::string> kResourceKeys = {
    "partition",     "account",   "qos",           "reservation",   "nodes",      "ranks_per_node",
    "cpus_per_rank", "gpu_type",  "memory",        "time_limit",    "constraint", "nodelist",
    "exclude",       "exclusive", "parallel_runs", "gpus_per_node", "preflight"};

/// "8", or with a type as Slurm has it, "h100:8".
void readGpus(const YamlReader& yaml, const YAML::Node& node, const std::string& key, Resources& resources) {
    const std::string text = yaml.text(node, key);
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        resources.gpusPerNode = readCount(yaml, node, key, 0);
        return;
    }
    const char* const end = text.data() + text.size();
    const auto [stop, bad] = std::from_chars(text.data() + colon + 1, end, resources.gpusPerNode);
    if (bad != std::errc{} || stop != end || resources.gpusPerNode < 0)
        yaml.refuse(node, key, "a whole number, or a type and a number such as h100:8");
    resources.gpuType = text.substr(0, colon);
}

/// Text of variables stays as it was typed: 010 is no eight.
Json toJson(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    if (node.IsScalar()) return node.Scalar();
    Json json;
    if (node.IsSequence()) {
        json = Json::array();
        for (const auto& item : node) json.push_back(toJson(yaml, item, key));
    } else if (node.IsMap()) {
        json = Json::object();
        for (const auto& [name, value] : yaml.mapping(node, key)) json[name] = toJson(yaml, value, key);
    }
    return json;
}

}  // namespace

int readCount(const YamlReader& yaml, const YAML::Node& node, const std::string& key, int least) {
    const auto count = yaml.wholeNumber(node, key);
    if (count < least || count > std::numeric_limits<int>::max())
        yaml.refuse(node, key, "a whole number of " + std::to_string(least) + " or more");
    return static_cast<int>(count);
}

bool readFlag(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    const Json flag = node.IsScalar() ? parseScalar(node.Scalar()) : Json();
    if (!flag.is_boolean()) yaml.refuse(node, key, "true or false");
    return flag.get<bool>();
}

void refuseUnknown(const YamlReader& yaml, const YAML::Node& node, const std::string& where,
                   const std::string& key, const std::vector<std::string>& known) {
    const auto suggestion = nearestWord(key, known);
    yaml.refuse(node, where + sanitizedText(key) + ": no such key; " +
                          (suggestion.empty() ? "expected one of: " + join(known, ", ") + "."
                                              : "did you mean " + suggestion + "?"));
}

Resources readResources(const YamlReader& yaml, const YAML::Node& node) {
    Resources r;
    const std::map<std::string, std::string*> texts = {
        {"partition", &r.partition},     {"account", &r.account},       {"qos", &r.qos},
        {"reservation", &r.reservation}, {"gpu_type", &r.gpuType},      {"memory", &r.memory},
        {"time_limit", &r.timeLimit},    {"constraint", &r.constraint}, {"nodelist", &r.nodeList},
        {"exclude", &r.exclude}};
    const std::map<std::string, int*> counts = {{"nodes", &r.nodes},
                                                {"ranks_per_node", &r.ranksPerNode},
                                                {"cpus_per_rank", &r.cpusPerRank},
                                                {"parallel_runs", &r.parallelRuns}};
    for (const auto& [key, value] : yaml.mapping(node, "resources")) {
        const std::string where = "resources." + key;
        if (const auto text = texts.find(key); text != texts.end())
            *text->second = yaml.text(value, where);
        else if (const auto count = counts.find(key); count != counts.end())
            *count->second = readCount(yaml, value, where, 1);
        else if (key == "gpus_per_node")
            readGpus(yaml, value, where, r);
        else if (key == "exclusive")
            r.exclusive = readFlag(yaml, value, where);
        else if (key == "preflight")
            r.preflight = readFlag(yaml, value, where);
        else
            refuseUnknown(yaml, value, "resources.", key, kResourceKeys);
        Resources soFar = r;
        if (soFar.gpusPerNode == 0) soFar.gpuType.clear();  // their number may stand on a later line
        if (const auto problem = validationError(soFar)) yaml.refuse(value, "resources." + *problem);
    }
    if (const auto problem = validationError(r)) yaml.refuse(node, "resources." + *problem);
    return r;
}

Environment readEnvironment(const YamlReader& yaml, const YAML::Node& node) {
    Environment environment;
    for (const auto& [key, value] : yaml.mapping(node, "environment")) {
        try {
            setKey(environment, key, toJson(yaml, value, "environment." + key));
        } catch (const InputError& error) {
            yaml.refuse(value, "environment." + error.full());
        }
    }
    return environment;
}

SweepDependency readDependency(const YamlReader& yaml, const YAML::Node& node) {
    SweepDependency after;
    if (node.IsScalar()) {
        after.sweep = trim(node.Scalar());
        if (after.sweep.empty()) yaml.refuse(node, "after: found nothing, expected a sweep's name or id.");
        return after;
    }
    for (const auto& [key, value] : yaml.mapping(node, "after")) {
        const std::string where = "after." + key;
        if (key == "sweep") {
            after.sweep = trim(yaml.text(value, where));
        } else if (key == "when") {
            const std::string when = yaml.text(value, where);
            if (when != "finished" && when != "ended")
                yaml.refuse(value, where,
                            "finished (every run of it did) or ended (whatever became of its runs)");
            after.afterAny = when == "ended";
        } else if (key == "from_checkpoint") {
            after.fromCheckpoint = readFlag(yaml, value, where);
        } else {
            refuseUnknown(yaml, value, "after.", key, {"sweep", "when", "from_checkpoint"});
        }
    }
    return after;
}

}  // namespace dailies::sweep
