#include "remote/launch/adopt.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/launch/submission.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

constexpr std::uint64_t kMaxSweepFile = 4u << 20;
constexpr std::uint64_t kMaxConfig = 256u << 10;
constexpr std::string_view kSweepFile = "/sweep.json";

/// What a folder below sweeps/ is called: a sweep's id, or "<id>.<task>" of a run that it decided on later.
struct SubmissionName {
    std::string sweep;
    std::optional<std::size_t> task;
};

std::optional<SubmissionName> readName(const std::string& folder) {
    SubmissionName name{folder.substr(0, folder.find('.')), {}};
    if (!isId(name.sweep)) return std::nullopt;
    if (name.sweep == folder) return name;
    const std::string task = folder.substr(name.sweep.size() + 1);
    name.task = parseAs<std::size_t>(task);
    return name.task ? std::optional(name) : std::nullopt;
}

/// Somebody else's file: what is not as expected is passed over.
std::optional<Json> readDocument(const std::string& text) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("runs") || !document.at("runs").is_array())
        return std::nullopt;
    return document;
}

std::string textIn(const Json& json, const char* key) {
    const auto at = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

void addRuns(UntrackedSweep& sweep, const Json& document, const std::string& folder,
             const SubmissionName& name, const tracking::Store& store) {
    std::vector<UntrackedRun> runs;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < document.at("runs").size(); ++i) {
        const Json& entry = document.at("runs").at(i);
        UntrackedRun run{textIn(entry, "run_id"), textIn(entry, "name"), name.task.value_or(i), {}, {}};
        if (!isId(run.id)) continue;
        if (name.task) {
            run.submission = folder;
            run.why = textIn(entry, "why");
        }
        ids.push_back(run.id);
        runs.push_back(std::move(run));
    }
    std::set<std::string> known;
    for (const tracking::Run& run : store.runs(ids)) known.insert(run.id);
    std::erase_if(runs, [&](const UntrackedRun& run) { return known.contains(run.id); });
    sweep.runs.insert(sweep.runs.end(), runs.begin(), runs.end());
}

/// The configurations as their trainers got them, by run.
std::map<std::string, Json> configsOf(Cluster& cluster, const UntrackedSweep& sweep,
                                      const std::stop_token& stop) {
    std::vector<std::string> names;
    for (const UntrackedRun& run : sweep.runs) names.push_back(run.id + "/config.json");
    const std::string folder = cluster.workspace() + "/runs";
    std::vector<ssh::FolderEntry> files;
    for (auto& [name, stat] : cluster.session().statAll(folder, names, stop)) files.push_back({name, stat});
    std::map<std::string, Json> configs;
    for (const auto& [name, text] : cluster.session().readHeads(folder, files, kMaxConfig, stop)) {
        Json config = Json::parse(text, nullptr, false);
        if (config.is_object()) configs.emplace(name.substr(0, name.find('/')), std::move(config));
    }
    return configs;
}

std::string scriptOf(Cluster& cluster, const std::string& id, const std::stop_token& stop) {
    const std::string name = id + "/job.sbatch";
    const std::string folder = cluster.workspace() + "/sweeps";
    std::vector<ssh::FolderEntry> files;
    for (auto& [found, stat] : cluster.session().statAll(folder, {name}, stop))
        files.push_back({found, stat});
    const auto heads = cluster.session().readHeads(folder, files, kMaxSweepFile, stop);
    return heads.empty() ? std::string() : heads.begin()->second;
}

bool names(const std::string& word, const std::string& id, const std::string& name) {
    return id == word || name == word || (word.size() >= 4 && id.starts_with(word));
}

}  // namespace

std::vector<UntrackedSweep> findUntrackedSweeps(Cluster& cluster, const tracking::Store& store,
                                                std::stop_token stop) {
    const std::string folder = cluster.workspace() + "/sweeps";
    std::vector<ssh::FolderEntry> files;
    std::map<std::string, std::int64_t> written;
    for (ssh::FolderEntry& file : cluster.session().listTree(folder, 2, stop)) {
        if (!file.name.ends_with(kSweepFile) || file.stat.size > kMaxSweepFile) continue;
        written[file.name] = file.stat.modified;
        files.push_back(std::move(file));
    }
    std::map<std::string, UntrackedSweep> sweeps;
    for (const auto& [file, text] : cluster.session().readHeads(folder, files, kMaxSweepFile, stop)) {
        const std::string submission = file.substr(0, file.size() - kSweepFile.size());
        const auto name = readName(submission);
        const auto document = readDocument(text);
        if (!name || !document) continue;
        UntrackedSweep& sweep = sweeps[name->sweep];
        sweep.id = name->sweep;
        if (!name->task) {
            sweep.yaml = textIn(*document, "yaml");
            sweep.createdMs = written[file] * 1000;
        }
        if (sweep.name.empty()) sweep.name = textIn(*document, "name");
        addRuns(sweep, *document, submission, *name, store);
    }
    std::vector<UntrackedSweep> found;
    for (auto& [id, sweep] : sweeps)
        if (!sweep.yaml.empty() && !sweep.runs.empty()) {
            std::ranges::sort(sweep.runs, {}, &UntrackedRun::task);
            found.push_back(std::move(sweep));
        }
    std::ranges::stable_sort(found, std::greater{}, &UntrackedSweep::createdMs);
    return found;
}

std::vector<UntrackedSweep> selectUntracked(const std::vector<UntrackedSweep>& found,
                                            const std::vector<std::string>& words) {
    std::map<std::string, UntrackedSweep> chosen;
    for (const std::string& word : words) {
        std::vector<UntrackedSweep> matches;
        for (const UntrackedSweep& sweep : found) {
            if (names(word, sweep.id, sweep.name)) {
                matches.push_back(sweep);
                continue;
            }
            for (const UntrackedRun& run : sweep.runs)
                if (names(word, run.id, run.name)) {
                    matches.push_back(sweep);
                    matches.back().runs = {run};
                }
        }
        if (matches.empty())
            throw InputError("No adoptable sweep or run is called \"" + sanitizedText(word) + "\".",
                             "`dailies adopt` alone lists what is there.");
        if (matches.size() > 1)
            throw InputError("\"" + sanitizedText(word) + "\" matches " + std::to_string(matches.size()) +
                                 " sweeps or runs.",
                             "Give the beginning of an id, as `dailies adopt` lists them.");
        auto [at, isNew] = chosen.try_emplace(matches.front().id, matches.front());
        if (isNew) continue;
        for (const UntrackedRun& run : matches.front().runs)
            if (std::ranges::none_of(at->second.runs, [&](const auto& known) { return known.id == run.id; }))
                at->second.runs.push_back(run);
    }
    std::vector<UntrackedSweep> sweeps;
    for (auto& [id, sweep] : chosen) sweeps.push_back(std::move(sweep));
    return sweeps;
}

Adoption adopt(Cluster& cluster, tracking::Store& store, const std::vector<UntrackedSweep>& sweeps,
               std::stop_token stop) {
    Adoption adoption;
    for (const UntrackedSweep& sweep : sweeps) {
        if (stop.stop_requested()) throw Cancelled();
        // Without a job this store would take the launch for its own, broken off, and submit it.
        const auto job = findSubmittedJob(cluster, sweep.id, stop);
        if (!job) {
            adoption.notes.push_back(
                "Sweep " + sanitizedText(sweep.name) +
                " has no job: it was never submitted, or it is somebody else's that still "
                "waits. It can be adopted once it has started.");
            continue;
        }
        const auto configs = configsOf(cluster, sweep, stop);
        tracking::SweepRecord record;
        record.id = sweep.id;
        record.name = sanitizedText(sweep.name);
        record.cluster = cluster.profile().name;
        record.yaml = sweep.yaml;
        record.script = scriptOf(cluster, sweep.id, stop);
        record.jobId = *job;
        record.createdMs = sweep.createdMs;
        std::string experiment = record.name;
        try {
            if (const auto own = sweep::parseSweep(sweep.yaml, "sweep " + sweep.id).experiment; !own.empty())
                experiment = own;
        } catch (const InputError&) {
            // of a program that knew other keys: the name does
        }
        std::vector<tracking::Run> runs;
        for (const UntrackedRun& entry : sweep.runs) {
            const auto config = configs.find(entry.id);
            if (config == configs.end()) {
                adoption.notes.push_back("Run " + sanitizedText(entry.name) +
                                         " was left out: its config.json cannot be read.");
                continue;
            }
            std::string ownJob = *job + "_" + std::to_string(entry.task);
            if (!entry.submission.empty()) {
                const auto own = findSubmittedJob(cluster, entry.submission, stop);
                if (!own) {
                    adoption.notes.push_back("Run " + sanitizedText(entry.name) +
                                             " has no job yet: it can be adopted once it has started.");
                    continue;
                }
                ownJob = *own + "_0";
            }
            sweep::PlannedRun planned;
            planned.name = entry.name;
            planned.config = config->second;
            tracking::Run run = recordOf(cluster, record, planned, entry.task);
            run.id = entry.id;
            run.startMs = record.createdMs;
            run.tags.erase(tag::kDrawn);  // not in the files; the params tell
            run.tags[tag::kFolder] = cluster.runFolder(run.id);
            run.tags[tag::kJob] = ownJob;
            run.tags[kAdoptedTag] = "true";
            if (!entry.submission.empty()) run.tags[tag::kSubmission] = entry.submission;
            if (!entry.why.empty()) run.tags[tag::kProposal] = entry.why;
            runs.push_back(std::move(run));
        }
        if (runs.empty()) continue;
        record.experimentId = store.ensureExperiment(experiment);
        for (tracking::Run& run : runs) run.experimentId = record.experimentId;
        store.createSweep(record, runs);
        for (const tracking::Run& run : runs) adoption.runIds.push_back(run.id);
    }
    return adoption;
}

}  // namespace dailies::remote
