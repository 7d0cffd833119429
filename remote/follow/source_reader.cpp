#include "remote/follow/source_reader.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/numbers.h"
#include "core/base/process.h"
#include "core/base/text.h"

#include <cmath>
#include <optional>

namespace dailies::remote {

namespace {

/// With "f" lines on standard input it puts the newest row's number in the place of each database's size;
/// with a database and a number it prints the rows behind that one, in ASCII. A database that is locked, or
/// that its writer left half written, says nothing this time.
constexpr std::string_view kReadMlflow = R"py(import json, os, sqlite3, sys, urllib.parse
def ask(path, query, *values):
    db = sqlite3.connect("file:" + urllib.parse.quote(os.fsencode(path)) + "?mode=ro", uri=True, timeout=1)
    try:
        return db.execute(query, values).fetchall()
    finally:
        db.close()
def say(*row):
    print(json.dumps(row))
if len(sys.argv) == 1:
    for line in open(0, "rb"):
        fields = line.rstrip(b"\n").split(b"\t")
        try:
            fields[2] = b"%d" % (ask(fields[1], "SELECT max(rowid) FROM metrics")[0][0] or 0)
        except sqlite3.Error:
            continue
        sys.stdout.buffer.write(b"\t".join(fields) + b"\n")
else:
    path = sys.argv[1]
    say("runs", ask(path, "SELECT count(*) FROM runs WHERE lifecycle_stage = ?", "active")[0][0])
    for table in "param", "tag":
        for row in ask(path, "SELECT key, value FROM %ss WHERE length(value) <= 6000 LIMIT 10000" % table):
            say(table, *row)
    for rowid, time, value, nan, step, key in ask(path, "SELECT rowid, timestamp, value, is_nan, step, key"
            " FROM metrics WHERE rowid > ? ORDER BY rowid LIMIT 50000", int(sys.argv[2])):
        say("metric", rowid, time, None if nan else value, step, key)
)py";

/// Standard input: "r <run id> <folder> <prefix>" for each run, "k <run id>/<path> <offset>" for each file
/// that was read of, with tabs between. find lists sizes; awk leaves those that differ, within the budget,
/// under the run whose folder is the innermost around them; each is printed as a line of numbers, its path,
/// its head and its bytes, and the boundary. Of videos only that they are there, and how large, is said;
/// those of W&B's media are told by its run file. Files that do not change cost no process, others one.
/// MLflow's databases are asked for their rows (see core/sources/mlflow_database.cpp).
constexpr std::string_view kReadSources = R"sh(
known=$(cat)
runs=$(printf '%s\n' "$known" | awk -F '\t' '$1 == "r" { print $3 }')
IFS='
'
set -f
{
    printf '%s\n' "$known"
    # shellcheck disable=SC2086
    found=$(find -H $runs -maxdepth 9 \( -name .git -o -name __pycache__ \) -prune -o -type f \
        ! -path '*[[:cntrl:]]*' ! -path '*/wandb/*.log' ! -path '*/wandb/*/media/*' ! -path "$left_out" \
        \( \( -name '*tfevents*' \
        -o -name '*.wandb' -o -name metrics.csv -o -name trainer_state.json -o -name '*.jsonl' \
        -o -name '*.ndjson' -o -name '*.out' -o -name '*.err' \
        -o -name '*.log' -o -path '*/metrics/*' -o -path '*/params/*' -o -path '*/tags/*' -o -iname '*.mp4' \
        -o -iname '*.webm' -o -iname '*.mov' -o -iname '*.mkv' -o -iname '*.m4v' -o -iname '*.gif' \) \
        -printf 'f\t%p\t%s\t%T@\n' \
        -o \( -name mlflow.db -o -name mlruns.db \) -printf 'd\t%p\t%s\t%T@\n' \) 2>/dev/null)
    databases=$(printf '%s\n' "$found" | sed -n 's/^d/f/p')
    [ -z "$databases" ] || printf '%s\n' "$databases" | python3 -c "$mlflow" 2>/dev/null
    printf '%s\n' "$found"
} | awk -F '\t' -v left="$budget" -v chunk="$chunk" '
    $1 == "r" { run[$3] = $2 $4; next }
    $1 == "k" { offset[$2] = $3; next }
    $1 == "f" {
        folder = $2
        if (seen[folder]++) next
        while (!(folder in run)) {
            if (!match(folder, /\/[^\/]*$/)) next
            folder = substr(folder, 1, RSTART - 1)
        }
        name = run[folder] substr($2, length(folder) + 1)
        from = (name in offset) ? offset[name] + 0 : 0
        if (from < 0 || from == $3 + 0) next
        take = tolower(name) ~ /[.](mp4|webm|mov|mkv|m4v|gif)$/ ? 0 : $3 - from
        if (take < 0) take = 0
        if (take > chunk) take = chunk
        if (take > left) take = left
        left -= take
        printf "%s\t%s\t%.0f\t%.0f\t%s\t%s\n", $3, $4, from, take, name, $2
    }' | while IFS='	' read -r size modified offset take name path; do
    head=0
    case $path in
    */mlflow.db | */mlruns.db)
        rows=x
        [ "$take" -eq 0 ] || rows=$(python3 -c "$mlflow" "$path" "$offset" </dev/null 2>/dev/null; printf x)
        rows=${rows%x}
        printf '%s %s %s 0 %s\n%s\n' "$size" "$modified" "$offset" "${#rows}" "$name"
        printf '%s\n%s\n' "$rows" "$boundary"
        continue
        ;;
    */metrics.csv) head=$((size < 65536 ? size : 65536)) ;;
    esac
    [ "$budget" -ne 0 ] || head=0
    printf '%s %s %s %s %s\n%s\n' "$size" "$modified" "$offset" "$head" "$take" "$name"
    [ "$head" -eq 0 ] || head -c "$head" -- "$path"
    [ "$take" -eq 0 ] || dd if="$path" iflag=skip_bytes,count_bytes skip="$offset" count="$take" bs=65536 status=none
    printf '\n%s\n' "$boundary"
done
echo end
)sh";

/// The next line, which is taken off; nullopt: there is none that is whole.
std::optional<std::string_view> takeLine(std::string_view& rest) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return line;
}

struct Header {
    std::int64_t size = 0, offset = 0, head = 0, take = 0;
    double modified = 0;  ///< unix seconds
};

std::optional<Header> headerOf(std::string_view line) {
    const auto words = split(line, ' ');
    if (words.size() != 5) return std::nullopt;
    const auto size = parseAs<std::int64_t>(words[0]), offset = parseAs<std::int64_t>(words[2]),
               head = parseAs<std::int64_t>(words[3]), take = parseAs<std::int64_t>(words[4]);
    const auto modified = parseAs<double>(words[1]);
    if (!size || !offset || !head || !take || !modified || *head < 0 || *take < 0) return std::nullopt;
    return Header{*size, *offset, *head, *take, *modified};
}

}  // namespace

std::vector<FileUpdate> parseFileUpdates(std::string_view out, std::string_view boundary) {
    const Error broken("The cluster's answer to reading the runs' files is incomplete.",
                       "It will be read again on the next poll.");
    const std::string end = "\n" + std::string(boundary) + "\n";
    std::vector<FileUpdate> updates;
    for (std::string_view rest = out;;) {
        const auto line = takeLine(rest);
        if (!line) throw broken;
        if (*line == "end") return updates;
        const auto header = headerOf(*line);
        const auto path = takeLine(rest);
        if (!header || !path) throw broken;
        const auto behind = rest.find(end);
        if (behind == std::string_view::npos) throw broken;
        const auto announced = static_cast<std::size_t>(header->head + header->take);
        const bool whole = behind == announced || (announced <= rest.size() - end.size() &&
                                                   rest.substr(announced, end.size()) == end);
        const auto slash = path->find('/');
        if (whole && slash != std::string_view::npos && isId(path->substr(0, slash))) {
            FileUpdate update;
            update.runId = path->substr(0, slash);
            update.path = path->substr(slash + 1);
            update.size = header->size;
            update.modifiedMs = std::llround(header->modified * 1000);
            update.offset = header->offset;
            update.head = rest.substr(0, static_cast<std::size_t>(header->head));
            update.bytes =
                rest.substr(static_cast<std::size_t>(header->head), static_cast<std::size_t>(header->take));
            updates.push_back(std::move(update));
        }
        rest.remove_prefix((whole ? announced : behind) + end.size());
    }
}

namespace {

constexpr std::string_view kUnreadable = "The runs' files could not be read: ";

/// `workspace`: empty where every run has a folder of its own.
std::string scriptFor(const std::string& workspace, const std::vector<ReadFiles>& runs, Bring bring,
                      const std::string& boundary) {
    std::string script;
    if (!workspace.empty()) script += "cd -- " + shellQuote(workspace + "/runs") + " || exit 1\n";
    script += "mlflow=" + shellQuote(std::string(kReadMlflow)) + "\n";
    // of launched runs the follower reads it, with all that it holds
    script += std::string("left_out=") + (workspace.empty() ? "''" : "'*/events.jsonl'") + "\n";
    script += "budget=" + std::to_string(bring == Bring::Names ? 0 : kMaxSourceBytes) +
              "\nchunk=" + std::to_string(kSourceChunkBytes) + "\nboundary=" + boundary + "\n{" +
              std::string(kReadSources) + "} <<'RUNS_" + boundary + "'\n";
    for (const ReadFiles& run : runs) {
        if (!isId(run.runId)) throw Error("'" + sanitizedText(run.runId) + "' is not a run id.");
        const auto& folder = firstNonEmpty(run.folder, run.runId);
        if (folder.find_first_of("\t\n") != std::string::npos || (workspace.empty() && folder[0] != '/'))
            throw Error("Cannot read a run in the folder " + sanitizedText(folder) + ".");
        script +=
            "r\t" + run.runId + "\t" + folder + "\t" + (run.prefix.empty() ? "" : "/" + run.prefix) + "\n";
        for (const auto& [path, offset] : run.offsets)
            script += "k\t" + run.runId + "/" + path + "\t" + std::to_string(offset) + "\n";
    }
    return script + "RUNS_" + boundary + "\n";
}

}  // namespace

FileReader clusterFiles(ssh::Session& session, std::string workspace) {
    return [&session, workspace = std::move(workspace)](const std::vector<ReadFiles>& runs, Bring bring,
                                                        std::stop_token stop) -> std::vector<FileUpdate> {
        if (runs.empty()) return {};
        const std::string boundary = newId();
        const auto result = session.run(scriptFor(workspace, runs, bring, boundary), std::move(stop));
        if (!result.ok())
            throw Error(std::string(kUnreadable) + sanitizedText(trim(result.err)) + ".",
                        "Check that " + (workspace.empty() ? "their folder" : "the workspace " + workspace) +
                            " is mounted on the login node.");
        return parseFileUpdates(result.out, boundary);
    };
}

FileReader localFiles() {
    return
        [](const std::vector<ReadFiles>& runs, Bring bring, std::stop_token stop) -> std::vector<FileUpdate> {
            if (runs.empty()) return {};
            const std::string boundary = newId();
            const auto result =
                runProcess({"sh", "-s"}, {.input = scriptFor({}, runs, bring, boundary)}, std::move(stop));
            if (!result.ok()) throw Error(std::string(kUnreadable) + sanitizedText(trim(result.err)) + ".");
            return parseFileUpdates(result.out, boundary);
        };
}

}  // namespace dailies::remote
