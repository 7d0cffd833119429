#include "core/base/text.h"
#include "core/sweep/parameter.h"
#include "core/sweep/yaml_writer.h"

#include <algorithm>
#include <set>

namespace dailies::sweep {

namespace {

/// The value as the file spelled it, where that was kept.
void emitListed(YAML::Emitter& out, const Parameter& parameter, std::size_t index) {
    const auto spelling = spellingOf(parameter, index);
    const Json& value = parameter.values[index];
    if (spelling.empty())
        emitValue(out, value, value.is_structured());
    else
        out << std::string(spelling);
}

void emitParameter(YAML::Emitter& out, const Parameter& parameter, const std::string& name) {
    using Kind = Parameter::Kind;
    const auto number = [&](std::string_view key, double value) {
        out << YAML::Key << std::string(key) << YAML::Value << shortNumber(value);
    };
    out << YAML::Key << name << YAML::Value << YAML::Flow << YAML::BeginMap;
    switch (parameter.kind) {
        case Kind::Fixed:
            out << YAML::Key << "value" << YAML::Value;
            if (parameter.values.empty())
                out << YAML::Null;
            else
                emitListed(out, parameter, 0);
            break;
        case Kind::Values:
            out << YAML::Key << "values" << YAML::Value;
            out << YAML::Flow << YAML::BeginSeq;
            for (std::size_t i = 0; i < parameter.values.size(); ++i) emitListed(out, parameter, i);
            out << YAML::EndSeq;
            if (!parameter.probabilities.empty()) {
                out << YAML::Key << "probabilities" << YAML::Value;
                emitValue(out, Json(parameter.probabilities));
            }
            break;
        default:
            out << YAML::Key << "distribution" << YAML::Value
                << std::string(distributionName(parameter.kind));
            for (const auto& [key, member] : numbersOf(parameter.kind)) number(key, parameter.*member);
            if (isQuantized(parameter.kind)) number("q", parameter.q);
    }
    out << YAML::EndMap;
}

/// Those of one group stand together. `depth`: how many groups are open around them.
void emitParameters(YAML::Emitter& out, const std::vector<const Parameter*>& parameters, std::size_t depth) {
    std::set<std::string> written;
    out << YAML::BeginMap;
    for (const Parameter* parameter : parameters) {
        if (parameter->groups.size() <= depth) {
            emitParameter(out, *parameter, leafOf(*parameter));
            continue;
        }
        const std::string& group = parameter->groups[depth];
        if (!written.insert(group).second) continue;
        std::vector<const Parameter*> inside;
        for (const Parameter* other : parameters)
            if (other->groups.size() > depth && other->groups[depth] == group) inside.push_back(other);
        out << YAML::Key << group << YAML::Value << YAML::BeginMap << YAML::Key << "parameters"
            << YAML::Value;
        emitParameters(out, inside, depth + 1);
        out << YAML::EndMap;
    }
    out << YAML::EndMap;
}

void emitWords(YAML::Emitter& out, const std::vector<std::string>& words) {
    out << YAML::Flow << YAML::BeginSeq;
    for (const auto& word : words) out << YAML::DoubleQuoted << word;
    out << YAML::EndSeq;
}

void emitStop(YAML::Emitter& out, const StopRequest& stop) {
    out << YAML::Key << "stop" << YAML::Value;
    if (stop.way == StopRequest::Way::None) {
        out << "none";
        return;
    }
    out << YAML::Flow << YAML::BeginMap << YAML::Key
        << (stop.way == StopRequest::Way::Signal ? "signal" : "file") << YAML::Value << YAML::DoubleQuoted
        << stop.what;
    if (stop.lead > 0) out << YAML::Key << "lead" << YAML::Value << stop.lead;
    out << YAML::EndMap;
}

/// What its preset does not say already.
void emitResume(YAML::Emitter& out, const Resume& resume) {
    const auto& presets = resumePresets();
    const auto preset = std::ranges::find(presets, resume.preset, &Resume::preset);
    const Resume base = preset == presets.end() ? Resume{} : *preset;
    out << YAML::Key << "resume" << YAML::Value << YAML::BeginMap;
    if (!base.preset.empty()) out << YAML::Key << "preset" << YAML::Value << base.preset;
    if (resume.arguments != base.arguments) {
        out << YAML::Key << "arguments" << YAML::Value;
        emitWords(out, resume.arguments);
    }
    if (resume.checkpoints != base.checkpoints)
        out << YAML::Key << "checkpoints" << YAML::Value << YAML::DoubleQuoted << resume.checkpoints;
    if (resume.always != base.always) out << YAML::Key << "always" << YAML::Value << resume.always;
    if (resume.stop != base.stop) emitStop(out, resume.stop);
    if (resume.requeuesItself != base.requeuesItself)
        out << YAML::Key << "requeues_itself" << YAML::Value << resume.requeuesItself;
    out << YAML::EndMap;
}

void emitConfigFile(YAML::Emitter& out, const ConfigFile& file) {
    out << YAML::Key << "config_file" << YAML::Value;
    if (file.text.empty()) {
        out << YAML::DoubleQuoted << file.path;
        return;
    }
    out << YAML::BeginMap << YAML::Key << "path" << YAML::Value << YAML::DoubleQuoted << file.path
        << YAML::Key << "text" << YAML::Value << YAML::DoubleQuoted << file.text << YAML::EndMap;
}

void emitSources(YAML::Emitter& out, const rules::SourceRules& sources) {
    out << YAML::Key << "sources" << YAML::Value << YAML::BeginMap;
    if (!sources.output.empty())
        out << YAML::Key << "output" << YAML::Value << YAML::DoubleQuoted << sources.output;
    if (!sources.clips.empty()) {
        out << YAML::Key << "clips" << YAML::Value;
        emitWords(out, sources.clips);
    }
    out << YAML::EndMap;
}

void emitCode(YAML::Emitter& out, const Code& code) {
    const auto emit = [&out](const char* key, const std::string& value) {
        if (!value.empty()) out << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << value;
    };
    out << YAML::Key << "code" << YAML::Value << YAML::Flow << YAML::BeginMap;
    if (code.place == Code::Place::Git) {
        emit("git", code.repository);
        emit("ref", code.commit);
        emit("folder", code.folder);
    } else {
        emit(code.place == Code::Place::Local ? "local" : "cluster", code.folder);
        emit("commit", code.commit);
        emit("repository", code.repository);
    }
    out << YAML::EndMap;
}

void emitProgram(YAML::Emitter& out, const Program& program) {
    if (!program.file.empty()) {
        out << YAML::Key << "program" << YAML::Value;
        emitText(out, program.file);
    }
    if (!program.command.empty()) {
        out << YAML::Key << "command" << YAML::Value;
        emitWords(out, program.command);
    }
    if (program.code.place != Code::Place::Unknown) emitCode(out, program.code);
    if (program.dottedGroups) out << YAML::Key << "nested" << YAML::Value << "dotted";
    if (program.start != Start::Process)
        out << YAML::Key << "start" << YAML::Value << std::string(nameOf(program.start));
    if (program.resume) emitResume(out, *program.resume);
    if (program.configFile) emitConfigFile(out, *program.configFile);
    if (!program.sources.isEmpty()) emitSources(out, program.sources);
}

void emitEarlyStop(YAML::Emitter& out, const EarlyStop& rule) {
    out << YAML::Key << "early_terminate" << YAML::Value << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << "type" << YAML::Value << (rule.rule == EarlyStop::Rule::Asha ? "asha" : "hyperband");
    if (rule.minIter) out << YAML::Key << "min_iter" << YAML::Value << *rule.minIter;
    if (rule.maxIter) {
        out << YAML::Key << "max_iter" << YAML::Value << *rule.maxIter;
        out << YAML::Key << "s" << YAML::Value << rule.s;
    }
    out << YAML::Key << "eta" << YAML::Value << shortNumber(rule.eta);
    if (rule.strict) out << YAML::Key << "strict" << YAML::Value << true;
    out << YAML::EndMap;
}

void emitResources(YAML::Emitter& out, const Resources& r) {
    const auto text = [&](const char* key, const std::string& value) {
        if (value.empty()) return;
        out << YAML::Key << key << YAML::Value;
        emitText(out, value);
    };
    const auto count = [&](const char* key, int value) { out << YAML::Key << key << YAML::Value << value; };
    out << YAML::Key << "resources" << YAML::Value << YAML::BeginMap;
    text("partition", r.partition);
    text("account", r.account);
    text("qos", r.qos);
    text("reservation", r.reservation);
    count("nodes", r.nodes);
    count("ranks_per_node", r.ranksPerNode);
    count("cpus_per_rank", r.cpusPerRank);
    count("gpus_per_node", r.gpusPerNode);
    text("gpu_type", r.gpuType);
    text("memory", r.memory);
    // unlike the others its default is not empty: an emptied limit has to be said
    out << YAML::Key << "time_limit" << YAML::Value << YAML::DoubleQuoted << r.timeLimit;
    text("constraint", r.constraint);
    text("nodelist", r.nodeList);
    text("exclude", r.exclude);
    if (r.exclusive) out << YAML::Key << "exclusive" << YAML::Value << true;
    count("parallel_runs", r.parallelRuns);
    if (!r.preflight) out << YAML::Key << "preflight" << YAML::Value << false;
    out << YAML::EndMap;
}

void emitCheckpointSampling(YAML::Emitter& out, const CheckpointSampling& sampling) {
    out << YAML::Key << "sample_checkpoints" << YAML::Value << YAML::BeginMap;
    out << YAML::Key << "command" << YAML::Value;
    emitWords(out, sampling.command);
    if (!sampling.checkpoints.empty())
        out << YAML::Key << "checkpoints" << YAML::Value << YAML::DoubleQuoted << sampling.checkpoints;
    if (sampling.resources) emitResources(out, *sampling.resources);
    out << YAML::EndMap;
}

void emitDependency(YAML::Emitter& out, const SweepDependency& after) {
    out << YAML::Key << "after" << YAML::Value << YAML::Flow << YAML::BeginMap;
    if (!after.sweep.empty()) {
        out << YAML::Key << "sweep" << YAML::Value;
        emitText(out, after.sweep);
    }
    out << YAML::Key << "when" << YAML::Value << (after.afterAny ? "ended" : "finished");
    if (after.fromCheckpoint) out << YAML::Key << "from_checkpoint" << YAML::Value << true;
    if (after.initFromBest) out << YAML::Key << "init_from" << YAML::Value << "best";
    out << YAML::EndMap;
}

void emitStages(YAML::Emitter& out, const std::vector<Stage>& stages) {
    out << YAML::Key << "stages" << YAML::Value << YAML::BeginSeq;
    for (const auto& stage : stages) {
        out << YAML::BeginMap << YAML::Key << "name" << YAML::Value;
        emitText(out, stage.name);
        for (const auto& [key, part] :
             {std::pair("config", &stage.config), {"resources", &stage.resources}}) {
            if (part->empty()) continue;
            out << YAML::Key << key << YAML::Value;
            emitValue(out, *part);
        }
        out << YAML::EndMap;
    }
    out << YAML::EndSeq;
}

}  // namespace

std::string toYaml(const Sweep& sweep) {
    YAML::Emitter out;
    const auto text = [&](const char* key, const std::string& value) {
        out << YAML::Key << key << YAML::Value;
        emitText(out, value);
    };
    out << YAML::BeginMap;
    text("name", sweep.name);
    if (!sweep.experiment.empty()) text("experiment", sweep.experiment);
    text("method", sweep.method);
    if (sweep.runCap) out << YAML::Key << "run_cap" << YAML::Value << *sweep.runCap;
    if (sweep.seed != 0) out << YAML::Key << "seed" << YAML::Value << sweep.seed;
    if (!sweep.metric.empty()) {
        out << YAML::Key << "metric" << YAML::Value << YAML::Flow << YAML::BeginMap;
        text("name", sweep.metric);
        text("goal", sweep.goal == Goal::Maximize ? "maximize" : "minimize");
        out << YAML::EndMap;
    }
    if (sweep.earlyStop) emitEarlyStop(out, *sweep.earlyStop);
    if (sweep.program) emitProgram(out, *sweep.program);
    if (sweep.sampleCheckpoints) emitCheckpointSampling(out, *sweep.sampleCheckpoints);
    std::vector<const Parameter*> parameters;
    for (const auto& parameter : sweep.parameters) parameters.push_back(&parameter);
    out << YAML::Key << "parameters" << YAML::Value;
    emitParameters(out, parameters, 0);
    if (!sweep.config.empty()) {
        out << YAML::Key << "config" << YAML::Value;
        emitValue(out, sweep.config);
    }
    emitResources(out, sweep.resources);
    if (!sweep.environment.empty()) {
        out << YAML::Key << "environment" << YAML::Value;
        emitValue(out, toJson(sweep.environment));
    }
    if (sweep.after) emitDependency(out, *sweep.after);
    if (!sweep.stages.empty()) emitStages(out, sweep.stages);
    out << YAML::EndMap;
    return std::string(out.c_str()) + "\n";
}

}  // namespace dailies::sweep
