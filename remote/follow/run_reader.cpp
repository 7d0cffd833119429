#include "remote/follow/run_reader.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"

#include <charconv>
#include <string_view>

namespace dailies::remote {

namespace {

/// For each run one header line "<id> <size> <event bytes> <attempt bytes>", then exactly those bytes. The
/// lengths are taken first and the files only ever grow, so `head -c` finds what was announced; should a file
/// shrink in between, the framing breaks and is noticed. Runs that have not begun cost no process.
constexpr std::string_view kReadRuns = R"sh(
left=$budget
while read -r id offset; do
    size=0
    take=0
    marks=0
    [ -s "$id/events.jsonl" ] && size=$(($(wc -c <"$id/events.jsonl")))
    [ -s "$id/attempts.tsv" ] && marks=$(($(wc -c <"$id/attempts.tsv")))
    [ "$size" -gt "$offset" ] && take=$((size - offset))
    [ "$take" -gt "$chunk" ] && take=$chunk
    [ "$take" -gt "$left" ] && take=$left
    [ "$size" -gt 0 ] || [ "$marks" -gt 0 ] || continue
    left=$((left - take))
    echo "$id $size $take $marks"
    [ "$take" -gt 0 ] && tail -c "+$((offset + 1))" "$id/events.jsonl" | head -c "$take"
    [ "$marks" -gt 0 ] && head -c "$marks" "$id/attempts.tsv"
done
echo end
)sh";

}  // namespace

std::map<std::string, RunUpdate> parseRunUpdates(const std::string& out) {
    std::map<std::string, RunUpdate> update;
    std::string_view rest = out;
    const auto broken = [] {
        return Error("The cluster returned incomplete data for the runs.",
                     "It will be read again on the next poll.");
    };
    for (;;) {
        const auto lineEnd = rest.find('\n');
        if (lineEnd == std::string_view::npos) throw broken();
        const auto header = split(rest.substr(0, lineEnd), ' ');
        rest.remove_prefix(lineEnd + 1);
        if (header.size() == 1 && header[0] == "end") return update;
        std::int64_t numbers[3] = {};
        if (header.size() != 4 || !isId(header[0])) throw broken();
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string& text = header[i + 1];
            if (std::from_chars(text.data(), text.data() + text.size(), numbers[i]).ec != std::errc() ||
                numbers[i] < 0)
                throw broken();
        }
        const auto take = static_cast<std::size_t>(numbers[1]), marks = static_cast<std::size_t>(numbers[2]);
        if (take > rest.size() || marks > rest.size() - take) throw broken();
        update[header[0]] = {numbers[0], std::string(rest.substr(0, take)),
                             std::string(rest.substr(take, marks))};
        rest.remove_prefix(take + marks);
    }
}

std::map<std::string, RunUpdate> readRuns(ssh::Session& session, const std::string& workspace,
                                          const std::vector<ReadPosition>& positions, std::stop_token stop) {
    if (positions.empty()) return {};
    std::string script =
        "cd -- " + shellQuote(workspace + "/runs") + " || exit 1\nbudget=" + std::to_string(kMaxReadBytes) +
        "\nchunk=" + std::to_string(kChunkBytes) + "\n{" + std::string(kReadRuns) + "} <<'RUNS'\n";
    for (const ReadPosition& position : positions) {
        if (!isId(position.runId)) throw Error("'" + sanitizedText(position.runId) + "' is not a run id.");
        script += position.runId + " " + std::to_string(position.offset) + "\n";
    }
    script += "RUNS\n";
    const ssh::ExecResult result = session.run(script, stop);
    if (!result.ok())
        throw Error("The runs' folders could not be read: " + sanitizedText(trim(result.err)) + ".",
                    "Check that the workspace " + workspace + " is mounted on the login node.");
    return parseRunUpdates(result.out);
}

}  // namespace dailies::remote
