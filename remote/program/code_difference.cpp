#include "remote/program/code_difference.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/run_tags.h"
#include "remote/cluster/run_cluster.h"
#include "remote/job_script/sbatch_text.h"
#include "remote/program/code_tree.h"

namespace dailies::remote {

namespace {

// A folder that was not uploaded may hold data, too: what takes longer than a minute is no code.
constexpr std::string_view kCompare = R"sh(for folder in @FROM@ @TO@; do
    [ -d "$folder" ] || { printf '%s' "$folder" >&2; exit 3; }
done
{
    LC_ALL=C timeout 60 diff -ruN @CACHES@ -- @FROM@ @TO@ 2>&1
    [ $? != 124 ] || echo "more than a minute" >&2
} | head -c @MOST@
)sh";

std::string folderOf(const tracking::Run& run) {
    if (auto folder = tagOf(run, tracking::tag::kCode); !folder.empty()) return folder;
    throw InputError("The code of run '" + sanitizedText(run.name) + "' is not known.",
                     "It is for runs of a program of your own that Dailies launched.");
}

/// "--- /w/code/0f3a/train.py<tab>2026-…" as "--- a/train.py", as git writes it. A name with blanks is
/// quoted.
std::string headOf(const std::string& line, const std::string& folder, const std::string& side) {
    const std::string mark = line.substr(0, 4);
    std::string path = line.substr(4, line.find('\t') - 4);
    if (path.size() > 1 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
    return mark + side + (path.starts_with(folder + "/") ? path.substr(folder.size()) : "/" + path);
}

std::string withShortPaths(const std::string& text, const std::string& from, const std::string& to) {
    std::string shown;
    std::string before;  // a line "--- x" within a file's own text has no "diff" before it
    for (const auto& line : split(std::string_view(text).substr(0, text.find_last_not_of('\n') + 1), '\n')) {
        if (line.starts_with("--- ") && before.starts_with("diff "))
            shown += headOf(line, from, "a") + "\n";
        else if (line.starts_with("+++ ") && before.starts_with("--- "))
            shown += headOf(line, to, "b") + "\n";
        else if (line.starts_with("Binary files " + from + "/"))
            shown += "Binary file " + line.substr(14 + from.size(), line.find(" and ") - 14 - from.size()) +
                     " differs\n";
        else if (!line.starts_with("diff "))
            shown += line + "\n";
        before = line;
    }
    return shown;
}

}  // namespace

bool hasCode(const tracking::Run& run) {
    return !tagOf(run, tracking::tag::kCode).empty();
}

std::string codeDifference(Cluster& cluster, const tracking::Run& reference, const tracking::Run& run,
                           const std::stop_token& stop) {
    const std::string from = folderOf(reference), to = folderOf(run);
    requireConnected(&cluster, reference);
    requireConnected(&cluster, run);
    if (from == to) {
        if (from.starts_with(cluster.workspace() + "/code/")) return {};
        throw InputError(
            "Both runs used " + sanitizedText(from) + " as it was then, and what it held is not known.",
            "Code that Dailies uploads or clones is kept for each content.");
    }
    std::string caches;
    for (const char* name : kCodeCaches) caches += " --exclude=" + shellQuote(name);
    const auto done = cluster.session().run(fill(kCompare, {{"FROM", shellQuote(from)},
                                                            {"TO", shellQuote(to)},
                                                            {"CACHES", caches},
                                                            {"MOST", std::to_string(kMaxCodeDifference)}}),
                                            stop);
    if (done.exitCode == 3)
        throw InputError("The code in " + sanitizedText(done.err) + " is gone from cluster '" +
                         cluster.profile().name + "'.");
    if (done.ok() && !done.err.empty())
        throw InputError("Comparing " + sanitizedText(from) + " with " + sanitizedText(to) + " took " +
                             sanitizedText(trim(done.err)) + ", so it was ended.",
                         "Keep data out of the folders of the code.");
    if (!done.ok())
        throw Error("The code could not be compared on cluster '" + cluster.profile().name +
                    "': " + sanitizedText(trim(done.err)) + ".");
    std::string shown = withShortPaths(done.out, from, to);
    if (done.out.size() >= kMaxCodeDifference) shown += "… the rest is left out: more than 1 MiB differs.\n";
    return shown;
}

}  // namespace dailies::remote
