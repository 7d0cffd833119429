#include "remote/follow/attempts_file.h"

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <optional>

namespace dailies::remote {

namespace {

/// The fields of each whole line that is one of this file's.
std::vector<std::vector<std::string>> rowsOf(std::string_view tsv) {
    std::vector<std::vector<std::string>> rows;
    tsv = tsv.substr(0, tsv.rfind('\n') == std::string_view::npos ? 0 : tsv.rfind('\n'));
    for (const std::string& line : split(tsv, '\n')) {
        auto fields = split(line, '\t');
        if (fields.size() == 6 && slurm::isJobId(fields[1])) rows.push_back(std::move(fields));
    }
    return rows;
}

}  // namespace

std::vector<SampleRecord> parseSamples(std::string_view tsv) {
    std::vector<SampleRecord> samples;
    for (const auto& fields : rowsOf(tsv)) {
        const auto step = parseCount(fields[3]);
        if (!step) continue;
        if (fields[0] == "sample") {
            samples.push_back({fields[1], *step});
        } else if (fields[0] == "unsampled") {
            samples.push_back({{}, *step, true, 1});
        } else if (fields[0] == "sampled") {
            const auto code = parseCount(fields[5]);
            const auto at = std::ranges::find(samples, fields[1], &SampleRecord::job);
            if (!code || at == samples.end()) continue;
            at->ended = true;
            at->exitCode = static_cast<int>(*code);
        }
    }
    return samples;
}

std::vector<AttemptRecord> parseAttempts(std::string_view tsv) {
    std::vector<AttemptRecord> marks;
    for (const auto& fields : rowsOf(tsv)) {
        const auto restarts = parseCount(fields[2]), time = parseCount(fields[4]),
                   code = parseCount(fields[5]);
        if (!restarts || !time) continue;
        if (fields[0] == "start") {
            marks.push_back({fields[1], *restarts, fields[3], *time, 0, 0});
        } else if (fields[0] == "end" && code) {
            const auto begun = std::find_if(marks.rbegin(), marks.rend(), [&](const AttemptRecord& mark) {
                return mark.job == fields[1] && mark.restarts == *restarts;
            });
            if (begun == marks.rend()) continue;
            begun->endTime = *time;
            begun->exitCode = static_cast<int>(*code);
        }
    }
    return marks;
}

}  // namespace dailies::remote
