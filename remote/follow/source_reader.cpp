#include "remote/follow/source_reader.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace dailies::remote {

namespace {

/// Standard input: "<run id>" for each run, and "<run id>/<path>\t<offset>" for each file that was read of.
/// find lists sizes; awk leaves those that differ, within the budget; each is printed as a line of numbers,
/// its path, its head and its bytes, and the boundary. Of videos only that they are there, and how large, is
/// said; those of W&B's media are told by its run file. Files that do not change cost no process.
constexpr std::string_view kRead = R"sh(
known=$(cat)
runs=$(printf '%s\n' "$known" | awk -F '\t' 'NF == 1')
{
    printf '%s\n' "$known" | awk -F '\t' 'NF == 2'
    # shellcheck disable=SC2086
    find $runs -maxdepth 9 \( -name .git -o -name __pycache__ \) -prune -o -type f \( -name '*tfevents*' \
        -o -name '*.wandb' -o -name metrics.csv -o -name '*.jsonl' -o -name '*.ndjson' -o -name '*.out' -o -name '*.err' \
        -o -name '*.log' -o -path '*/metrics/*' -o -path '*/params/*' -o -path '*/tags/*' -o -iname '*.mp4' \
        -o -iname '*.webm' -o -iname '*.mov' -o -iname '*.mkv' -o -iname '*.m4v' -o -iname '*.gif' \) \
        ! -path '*[[:cntrl:]]*' ! -path '*/wandb/*.log' ! -path '*/wandb/*/media/*' ! -name events.jsonl \
        -printf '%p\t%s\t%T@\n' 2>/dev/null
} | awk -F '\t' -v left="$budget" -v chunk="$chunk" '
    NF == 2 { offset[$1] = $2; next }
    {
        from = ($1 in offset) ? offset[$1] + 0 : 0
        if (from < 0 || from == $2 + 0) next
        take = tolower($1) ~ /[.](mp4|webm|mov|mkv|m4v|gif)$/ ? 0 : $2 - from
        if (take < 0) take = 0
        if (take > chunk) take = chunk
        if (take > left) take = left
        left -= take
        printf "%s\t%s\t%.0f\t%.0f\t%s\n", $2, $3, from, take, $1
    }' | while IFS='	' read -r size modified offset take path; do
    head=0
    case $path in
    */metrics.csv) head=$((size < 65536 ? size : 65536)) ;;
    esac
    printf '%s %s %s %s %s\n%s\n' "$size" "$modified" "$offset" "$head" "$take" "$path"
    [ "$head" -eq 0 ] || head -c "$head" -- "$path"
    [ "$take" -eq 0 ] || tail -c "+$((offset + 1))" -- "$path" | head -c "$take"
    printf '\n%s\n' "$boundary"
done
echo end
)sh";

template <typename Number>
std::optional<Number> numberOf(std::string_view text) {
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

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
    const auto size = numberOf<std::int64_t>(words[0]), offset = numberOf<std::int64_t>(words[2]),
               head = numberOf<std::int64_t>(words[3]), take = numberOf<std::int64_t>(words[4]);
    const auto modified = numberOf<double>(words[1]);
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

std::vector<FileUpdate> readFiles(ssh::Session& session, const std::string& workspace,
                                  const std::vector<ReadFiles>& runs, std::stop_token stop) {
    if (runs.empty()) return {};
    const std::string boundary = newId();
    std::string script = "cd -- " + shellQuote(workspace + "/runs") +
                         " || exit 1\nbudget=" + std::to_string(kMaxSourceBytes) +
                         "\nchunk=" + std::to_string(kSourceChunkBytes) + "\nboundary=" + boundary + "\n{" +
                         std::string(kRead) + "} <<'RUNS_" + boundary + "'\n";
    for (const ReadFiles& run : runs) {
        if (!isId(run.runId)) throw Error("'" + sanitizedText(run.runId) + "' is not a run id.");
        script += run.runId + "\n";
        for (const auto& [path, offset] : run.offsets)
            script += run.runId + "/" + path + "\t" + std::to_string(offset) + "\n";
    }
    script += "RUNS_" + boundary + "\n";
    const ssh::ExecResult result = session.run(script, stop);
    if (!result.ok())
        throw Error("The runs' files could not be read: " + sanitizedText(trim(result.err)) + ".",
                    "Check that the workspace " + workspace + " is mounted on the login node.");
    return parseFileUpdates(result.out, boundary);
}

}  // namespace dailies::remote
