#include "remote/follow/attempts_file.h"

#include "core/base/text.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace dailies::remote {

namespace {

std::optional<std::int64_t> number(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

}  // namespace

std::vector<AttemptRecord> parseAttempts(std::string_view tsv) {
    std::vector<AttemptRecord> marks;
    tsv = tsv.substr(0, tsv.rfind('\n') == std::string_view::npos ? 0 : tsv.rfind('\n'));
    for (const std::string& line : split(tsv, '\n')) {
        const auto fields = split(line, '\t');
        if (fields.size() != 6 || !slurm::isJobId(fields[1])) continue;
        const auto restarts = number(fields[2]), time = number(fields[4]), code = number(fields[5]);
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
