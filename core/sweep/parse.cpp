#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/sweep/argument_text.h"
#include "core/sweep/command.h"
#include "core/sweep/job_yaml.h"
#include "core/sweep/parameter.h"
#include "core/sweep/stage_yaml.h"
#include "core/sweep/stages.h"
#include "core/sweep/strategies/strategy.h"
#include "core/sweep/yaml_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

namespace dailies::sweep {

namespace {

const std::vector<std::string> kSweepKeys = {
    "name",        "experiment", "method",  "metric",          "parameters",
    "config",      "run_cap",    "seed",    "early_terminate", "resources",
    "environment", "after",      "program", "command",         "code",
    "nested",      "resume",     "start",   "config_file",     "sample_checkpoints",
    "sources",     "stages"};
const std::vector<std::string> kEarlyStopKeys = {"type", "min_iter", "max_iter", "s", "eta", "strict"};
const std::vector<std::string> kParameterKeys = {
    "value", "values", "probabilities", "distribution", "min", "max", "mu", "sigma", "a",
    "b",     "q",      "parameters"};
/// W&B's keys that mean nothing here, or nothing yet; silence about them would mislead.
const std::map<std::string, std::string> kForeignKeys = {
    {"entity", "The runs belong to this database."},
    {"description", "Write a note on the runs instead."},
    {"controller", "There is no sweep server: Dailies itself submits the runs."},
    {"image_uri", "Set environment.container instead."},
    {"job", "The cluster is chosen at launch."},
    {"launch", "The cluster is chosen at launch."},
    {"scheduler", "The cluster is chosen at launch."},
};

/// W&B's keys of `metric` that change when it stops, not what it ranks by.
const std::map<std::string, std::string> kForeignMetricKeys = {
    {"target", "The sweep goes on until its runs have ended; cancel it when the target is reached."},
    {"impute", "Runs without a result are left out."},
    {"impute_while_running", "Runs that go on count as open."},
};

constexpr std::string_view kTrainerProgram = "dailies-train";

class SweepParser {
public:
    SweepParser(const std::string& source, std::vector<std::string>* notices)
        : m_yaml(source), m_notices(notices) {
        m_sweep.name = std::filesystem::path(source).stem().string();
    }

    Sweep parse(std::string_view yaml) {
        const YAML::Node root = m_yaml.load(yaml);
        if (!root.IsMap()) m_yaml.refuse(root, "the sweep", "a mapping with at least parameters");
        std::string project;
        bool hasParameters = false;
        YAML::Node stages;
        readProgram(root);
        for (const auto& [key, node] : m_yaml.mapping(root, "the sweep")) {
            if (key.starts_with("x-") || key.starts_with('.'))
                continue;  // holds anchors for merge keys, as in Compose's and GitLab's files
            else if (key == "name")
                m_sweep.name = nonEmpty(node, key);
            else if (key == "experiment")
                m_sweep.experiment = nonEmpty(node, key);
            else if (key == "project")
                project = m_yaml.text(node, key);  // W&B's word for an experiment
            else if (key == "method")
                readMethod(node);
            else if (key == "metric")
                readMetric(node);
            else if (key == "parameters")
                readParameters(node, {}), hasParameters = true;
            else if (key == "config") {
                if (m_sweep.program)
                    m_yaml.refuse(node,
                                  "config: found it beside a program of your own, expected parameters "
                                  "alone; write fixed arguments as parameters that have a value.");
                m_sweep.config = m_yaml.config(node, "config");
            } else if (key == "code")
                readCode(node);
            else if (key == "nested")
                readNested(node);
            else if (key == "program" || key == "command")
                continue;  // read before all others
            else if (key == "resume" || key == "start" || key == "config_file" || key == "sources")
                requireProgram(node, key);  // ″
            else if (key == "sample_checkpoints")
                readCheckpointSampling(node);
            else if (key == "run_cap")
                m_sweep.runCap = readCount(node, key, 1);
            else if (key == "seed")
                m_sweep.seed = m_yaml.wholeNumber(node, key);
            else if (key == "resources")
                m_sweep.resources = readResources(m_yaml, node);
            else if (key == "environment")
                m_sweep.environment = readEnvironment(m_yaml, node);
            else if (key == "stages")
                stages = node;  // read when all is known that they stand over
            else if (key == "after")
                m_sweep.after = readDependency(m_yaml, node);
            else if (key == "early_terminate")
                readEarlyStop(node);
            else if (const auto foreign = kForeignKeys.find(key); foreign != kForeignKeys.end()) {
                notice(key + " has no effect. " + foreign->second);
            } else
                refuseUnknown(node, "", key, kSweepKeys);
        }
        if (stages.IsDefined() && !stages.IsNull()) readStages(stages);
        // one run is a grid in which nothing varies; that this is meant, its config, its program or an empty
        // map says
        const bool isOneRun =
            m_sweep.method == "grid" && (hasParameters || !m_sweep.config.empty() || m_sweep.program);
        if (m_sweep.parameters.empty() && !isOneRun)
            m_yaml.refuse(root,
                          "parameters: found nothing, expected at least one, such as "
                          "optimizer.lr: {values: [0.001, 0.01]}.");
        if (!m_sweep.experiment.empty() && !project.empty())
            notice("project has no effect, because experiment names where the runs belong.");
        if (m_sweep.experiment.empty()) m_sweep.experiment = project.empty() ? m_sweep.name : project;
        if (m_sweep.program) {
            for (const auto& sentence : commandNotices(m_sweep)) notice(sentence);
            if (findStrategy(m_sweep.method)->capped && !m_sweep.runCap) {
                m_sweep.runCap = kDefaultRunCap;
                notice("run_cap is " + std::to_string(kDefaultRunCap) +
                       ", for the file has none; W&B's sweep would go on until somebody stops it.");
            }
        }
        return std::move(m_sweep);
    }

private:
    void notice(const std::string& sentence) const {
        if (m_notices) m_notices->push_back(sentence);
    }

    std::string nonEmpty(const YAML::Node& node, const std::string& key) const {
        const std::string text(trim(m_yaml.text(node, key)));
        if (text.empty()) m_yaml.refuse(node, key + ": found nothing, expected a text.");
        return text;
    }

    int readCount(const YAML::Node& node, const std::string& key, int least) const {
        return sweep::readCount(m_yaml, node, key, least);
    }

    [[noreturn]] void refuseUnknown(const YAML::Node& node, const std::string& where, const std::string& key,
                                    const std::vector<std::string>& known) const {
        sweep::refuseUnknown(m_yaml, node, where, key, known);
    }

    /// Which program the runs are of decides how all other keys are read, wherever it stands.
    void readProgram(const YAML::Node& root) {
        Program program;
        YAML::Node at;
        for (const auto& [key, node] : m_yaml.mapping(root, "the sweep")) {
            if (key == "program") {
                program.file = nonEmpty(node, key);
                at = node;
            } else if (key == "command") {
                program.command = readCommand(node);
                if (program.file.empty()) at = node;
            } else if (key == "resume") {
                program.resume = readResume(m_yaml, node);
            } else if (key == "config_file") {
                program.configFile = readConfigFile(m_yaml, node);
            } else if (key == "sources") {
                program.sources = readSources(m_yaml, node);
            } else if (key == "start") {
                const auto start = startFromName(m_yaml.text(node, key));
                if (!start) m_yaml.refuse(node, key, "one of: " + join(startNames(), ", "));
                program.start = *start;
            }
        }
        if (!at.IsDefined() || at.IsNull()) return;
        if (std::filesystem::path(nameOf(program)).filename() == kTrainerProgram) {
            notice("program and command have no effect: Dailies starts " + std::string(kTrainerProgram) +
                   " itself.");
            return;
        }
        if (const auto problem = commandProblem(program); !problem.empty()) m_yaml.refuse(at, problem);
        m_sweep.program = std::move(program);
    }

    std::vector<std::string> readCommand(const YAML::Node& node) const {
        const std::string example = "[${env}, python, train.py, ${args}]";
        auto words = readWords(m_yaml, node, "command", example);
        if (words.empty()) m_yaml.refuse(node, "command", "a list of words, such as " + example);
        return words;
    }

    /// "code: {local: .}", "code: {cluster: ~/src/trainer}" or "code: {git: ADDRESS, ref: v1}"; a text is
    /// what `codeFromText` reads.
    void readCode(const YAML::Node& node) {
        Code& code = requireProgram(node, "code").code;
        const std::string expected =
            "one of {local: FOLDER}, {cluster: FOLDER} and {git: ADDRESS, ref: NAME}";
        if (node.IsScalar()) {
            code = codeFromText(nonEmpty(node, "code"));
        } else {
            std::string below;
            for (const auto& [key, value] : m_yaml.mapping(node, "code")) {
                if (key == "commit" || key == "ref")
                    code.commit = m_yaml.text(value, "code." + key);
                else if (key == "repository")
                    code.repository = m_yaml.text(value, "code.repository");
                else if (key == "folder")
                    below = nonEmpty(value, "code.folder");
                else if (const auto place = placeFromKey(key); place == Code::Place::Unknown)
                    refuseUnknown(value, "code.", key,
                                  {"local", "cluster", "git", "ref", "folder", "commit", "repository"});
                else if (code.place != Code::Place::Unknown)
                    m_yaml.refuse(node, "code", expected);
                else {
                    code.place = place;
                    (place == Code::Place::Git ? code.repository : code.folder) =
                        nonEmpty(value, "code." + key);
                }
            }
            if (code.place == Code::Place::Git)
                code.folder = below;
            else if (code.place == Code::Place::Unknown || !below.empty())
                m_yaml.refuse(node, "code", expected);
        }
        if (code.place != Code::Place::Git) return;
        if (const auto problem = repositoryProblem(code); !problem.empty())
            m_yaml.refuse(node, "code: " + problem + ".");
    }

    static Code::Place placeFromKey(const std::string& key) {
        if (key == "local") return Code::Place::Local;
        if (key == "cluster") return Code::Place::Cluster;
        return key == "git" ? Code::Place::Git : Code::Place::Unknown;
    }

    void readNested(const YAML::Node& node) {
        const std::string nested = m_yaml.text(node, "nested");
        if (nested != "dict" && nested != "dotted") m_yaml.refuse(node, "nested", "dict or dotted");
        requireProgram(node, "nested").dottedGroups = nested == "dotted";
    }

    void readCheckpointSampling(const YAML::Node& node) {
        const auto& program = requireProgram(node, "sample_checkpoints");
        m_sweep.sampleCheckpoints = sweep::readCheckpointSampling(m_yaml, node);
        if (const auto problem = samplingProblem(*m_sweep.sampleCheckpoints, program); !problem.empty())
            m_yaml.refuse(node, problem);
    }

    Program& requireProgram(const YAML::Node& node, const std::string& key) {
        if (!m_sweep.program)
            m_yaml.refuse(node, key + ": found it without a program, expected program or command beside it.");
        return *m_sweep.program;
    }

    void readMethod(const YAML::Node& node) {
        m_sweep.method = m_yaml.text(node, "method");
        if (!findStrategy(m_sweep.method))
            m_yaml.refuse(node, "method", "one of: " + join(strategyMethods(), ", "));
    }

    void readMetric(const YAML::Node& node) {
        for (const auto& [key, value] : m_yaml.mapping(node, "metric")) {
            if (key == "name")
                m_sweep.metric = nonEmpty(value, "metric.name");
            else if (key == "goal") {
                const std::string goal = m_yaml.text(value, "metric.goal");
                if (goal != "minimize" && goal != "maximize")
                    m_yaml.refuse(value, "metric.goal", "minimize or maximize");
                m_sweep.goal = goal == "maximize" ? Goal::Maximize : Goal::Minimize;
            } else if (const auto foreign = kForeignMetricKeys.find(key); foreign != kForeignMetricKeys.end())
                notice("metric." + key + " has no effect. " + foreign->second);
            else
                refuseUnknown(value, "metric.", key, {"name", "goal"});
        }
        if (m_sweep.metric.empty())
            m_yaml.refuse(node, "metric.name: found nothing, expected the name of a metric.");
    }

    void readEarlyStop(const YAML::Node& node) {
        EarlyStop rule;
        bool typed = false;
        for (const auto& [key, value] : m_yaml.mapping(node, "early_terminate")) {
            const std::string where = "early_terminate." + key;
            if (key == "type") {
                const std::string type = m_yaml.text(value, where);
                if (type != "hyperband" && type != "asha") m_yaml.refuse(value, where, "hyperband or asha");
                rule.rule = type == "asha" ? EarlyStop::Rule::Asha : EarlyStop::Rule::Hyperband;
                typed = true;
            } else if (key == "min_iter")
                rule.minIter = m_yaml.wholeNumber(value, where);
            else if (key == "max_iter")
                rule.maxIter = m_yaml.wholeNumber(value, where);
            else if (key == "s")
                rule.s = readCount(value, where, 1);
            else if (key == "eta")
                rule.eta = m_yaml.number(value, where);
            else if (key == "strict")
                rule.strict = readFlag(m_yaml, value, where);
            else
                refuseUnknown(value, "early_terminate.", key, kEarlyStopKeys);
        }
        if (!typed) m_yaml.refuse(node, "early_terminate.type: found nothing, expected hyperband or asha.");
        if (const auto problem = validationError(rule)) m_yaml.refuse(node, *problem);
        if (!m_sweep.program)
            notice("early_terminate counts steps of training; W&B counts how often the metric was logged.");
        m_sweep.earlyStop = rule;
    }

    void readParameters(const YAML::Node& node, const std::vector<std::string>& groups) {
        const std::string prefix = groups.empty() ? std::string() : join(groups, ".") + ".";
        for (const auto& [name, description] : m_yaml.mapping(node, groups.empty() ? "parameters" : prefix)) {
            const std::string key = prefix + name;
            const auto entries = m_yaml.mapping(description, key);
            if (entries.size() == 1 && entries.front().first == "parameters") {
                if (!m_sweep.program && !config::isGroup(key)) m_yaml.refuse(description, unknownKey(key));
                auto inner = groups;
                inner.push_back(name);
                readParameters(entries.front().second, inner);
                continue;
            }
            Parameter parameter = readParameter(key, description, entries);
            for (const auto& other : m_sweep.parameters)
                if (other.key == key) m_yaml.refuse(description, key + ": found twice, expected once.");
            if (m_sweep.program) parameter.groups = groups;
            const auto problem =
                m_sweep.program ? validationErrorOfArgument(parameter) : validationError(parameter);
            if (problem) m_yaml.refuse(description, *problem);
            m_sweep.parameters.push_back(std::move(parameter));
        }
    }

    Parameter readParameter(const std::string& key, const YAML::Node& node,
                            const std::vector<YamlReader::Entry>& entries) const {
        const config::Field* field = m_sweep.program ? nullptr : config::findField(key);
        if (!field && !m_sweep.program) m_yaml.refuse(node, unknownKey(key));
        Parameter parameter;
        parameter.key = key;
        const auto addValue = [&](const YAML::Node& value) {
            if (field) return parameter.values.push_back(m_yaml.value(value, *field));
            addArgument(parameter, m_yaml, value);
        };
        std::optional<Parameter::Kind> kind;
        bool hasMin = false, hasMax = false, whole = true;
        Exponents exponents = Exponents::None;
        const auto edge = [&](const YAML::Node& value, const std::string& name) {
            whole = whole && parseScalar(value.Scalar()).is_number_integer();
            return m_yaml.number(value, key + "." + name);
        };
        for (const auto& [name, value] : entries) {
            if (name == "value") {
                parameter.values.clear(), parameter.spellings.clear();
                addValue(value);
                kind = kind.value_or(Parameter::Kind::Fixed);
            } else if (name == "values") {
                if (!value.IsSequence()) m_yaml.refuse(value, key + ".values", "a list of values");
                if (value.size() == 0)
                    m_yaml.refuse(value, key + ".values is empty; give at least one value.");
                for (const auto& item : value) addValue(item);
                kind = kind.value_or(Parameter::Kind::Values);
            } else if (name == "distribution")
                kind = readDistribution(value, key, exponents);
            else if (name == "probabilities") {
                if (!value.IsSequence()) m_yaml.refuse(value, key + ".probabilities", "a list of numbers");
                for (const auto& item : value)
                    parameter.probabilities.push_back(m_yaml.number(item, key + ".probabilities"));
            } else if (name == "min")
                parameter.minimum = edge(value, name), hasMin = true;
            else if (name == "max")
                parameter.maximum = edge(value, name), hasMax = true;
            else if (name == "mu")
                parameter.mu = m_yaml.number(value, key + ".mu");
            else if (name == "sigma")
                parameter.sigma = m_yaml.number(value, key + ".sigma");
            else if (name == "a")
                parameter.a = m_yaml.number(value, key + ".a");
            else if (name == "b")
                parameter.b = m_yaml.number(value, key + ".b");
            else if (name == "q")
                parameter.q = m_yaml.number(value, key + ".q");
            else
                refuseUnknown(value, key + ".", name, kParameterKeys);
        }
        // W&B's rule for a range without a distribution
        if (!kind && hasMin && hasMax) kind = whole ? Parameter::Kind::IntUniform : Parameter::Kind::Uniform;
        if (!kind) m_yaml.refuse(node, key + ": expected value, values, or min and max.");
        parameter.kind = *kind;
        const bool listed = kind == Parameter::Kind::Fixed || kind == Parameter::Kind::Values;
        if (listed && (hasMin || hasMax || parameter.values.empty()))
            m_yaml.refuse(node, key + ": expected either value, or values, or min and max.");
        if (!listed && !parameter.values.empty())
            m_yaml.refuse(node, key + ": found values beside a distribution, expected one of the two.");
        if (!listed && !parameter.probabilities.empty())
            m_yaml.refuse(node, key + ".probabilities: found them beside a distribution, expected values.");
        if (!listed && !isNormal(*kind) && !isBeta(*kind) && (!hasMin || !hasMax))
            m_yaml.refuse(
                node, key + ": expected both min and max for " + std::string(distributionName(*kind)) + ".");
        if (exponents != Exponents::None) {
            if (exponents == Exponents::OfTheInverse)
                std::tie(parameter.minimum, parameter.maximum) =
                    std::pair(-parameter.maximum, -parameter.minimum);
            parameter.minimum = std::exp(parameter.minimum);
            parameter.maximum = std::exp(parameter.maximum);
            notice(key + " is read as " + std::string(distributionName(*kind)) + " from " +
                   shortNumber(parameter.minimum) + " to " + shortNumber(parameter.maximum) +
                   ": min and max of W&B's distribution of that name are exponents of e.");
        }
        return parameter;
    }

    /// What min and max are of W&B's older distributions: exponents of e, of the value or of its inverse.
    enum class Exponents { None, OfTheValue, OfTheInverse };

    Parameter::Kind readDistribution(const YAML::Node& node, const std::string& key,
                                     Exponents& exponents) const {
        const std::string name = m_yaml.text(node, key + ".distribution");
        if (const auto kind = distributionFromName(name)) return *kind;
        if (name == "log_uniform" || name == "q_log_uniform") exponents = Exponents::OfTheValue;
        if (name == "inv_log_uniform") exponents = Exponents::OfTheInverse;
        if (name == "log_uniform" || name == "inv_log_uniform") return Parameter::Kind::LogUniform;
        if (name == "q_log_uniform") return Parameter::Kind::QLogUniform;
        // the inverse of a log-uniform value is log-uniform between the inverse ends
        if (name == "inv_log_uniform_values") return Parameter::Kind::LogUniform;
        m_yaml.refuse(node, key + ".distribution", "one of: " + join(distributionNames(), ", "));
    }

    void readStages(const YAML::Node& node) {
        if (m_sweep.program)
            m_yaml.refuse(node,
                          "stages: found them beside a program of your own, expected them of "
                          "dailies-train alone, whose checkpoints Dailies knows.");
        if (!node.IsSequence())
            m_yaml.refuse(node, "stages", "a list such as [{name: 256px, config: {steps: 1000}}]");
        for (const auto& item : node) {
            m_sweep.stages.push_back(readStage(
                m_yaml, item, "stage-" + std::to_string(m_sweep.stages.size() + 1), m_sweep.resources));
            if (const auto problem = stageProblem(m_sweep, m_sweep.stages.size() - 1); !problem.empty())
                m_yaml.refuse(item, problem);
        }
    }

    YamlReader m_yaml;
    std::vector<std::string>* m_notices;
    Sweep m_sweep;
};

}  // namespace

Sweep parseSweep(std::string_view yaml, const std::string& source, std::vector<std::string>* notices) {
    return SweepParser(source, notices).parse(yaml);
}

}  // namespace dailies::sweep
