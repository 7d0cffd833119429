#include "remote/job_script/sbatch_text.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace dailies::remote {

std::string directive(const std::string& option, const std::string& value) {
    if (value.empty()) return {};
    static const std::string accepted = std::string(kLettersAndDigits) + "._-+:,@=%/";
    if (value.find_first_not_of(accepted) != std::string::npos)
        throw InputError("'" + sanitizedText(value) + "' cannot be the " + option + " of a job.",
                         "Letters, digits and . _ - + : , @ = / are accepted.");
    return "#SBATCH --" + option + "=" + value + "\n";
}

std::string directive(const std::string& option, std::size_t value) {
    return directive(option, std::to_string(value));
}

std::string quotedDirective(const std::string& option, const std::string& value) {
    if (value.empty()) return {};
    std::string quoted;
    for (const char c : value) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return "#SBATCH --" + option + "=\"" + quoted + "\"\n";
}

std::string workingFolder(const std::string& folder) {
    if (folder.find_first_of("\\%") != std::string::npos)
        throw InputError("Slurm cannot start jobs in " + sanitizedText(folder) + ": its path holds \\ or %.",
                         "Choose another workspace on the cluster.");
    return quotedDirective("chdir", folder);
}

std::string fill(std::string_view text, const Placeholders& values) {
    std::string filled;
    while (!text.empty()) {
        const auto begin = text.find('@');
        filled += text.substr(0, begin);
        if (begin == std::string_view::npos) break;
        text.remove_prefix(begin + 1);
        const auto end = text.find('@');
        const auto value = end == std::string_view::npos ? values.end() : values.find(text.substr(0, end));
        if (value == values.end()) {
            filled += '@';
            continue;
        }
        filled += value->second;
        text.remove_prefix(end + 1);
    }
    return filled;
}

std::string withoutLastLineFeed(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

std::string sitePlace(const sweep::Resources& wanted, const ClusterProfile& profile) {
    return directive("partition", firstNonEmpty(wanted.partition, profile.partition)) +
           directive("account", firstNonEmpty(wanted.account, profile.account)) +
           directive("qos", firstNonEmpty(wanted.qos, profile.qos)) +
           directive("reservation", wanted.reservation);
}

}  // namespace dailies::remote
