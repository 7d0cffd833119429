#include "app/terminal/findings.h"

#include "core/base/text.h"

#include <iomanip>
#include <iostream>

namespace dailies::app {

namespace {

const char* wordFor(remote::Verdict verdict) {
    switch (verdict) {
        case remote::Verdict::Good:
            return "good";
        case remote::Verdict::Warn:
            return "warn";
        case remote::Verdict::Bad:
            break;
    }
    return "bad";
}

}  // namespace

void printFinding(const remote::ClusterFinding& finding) {
    std::cout << std::left << std::setw(6) << wordFor(finding.verdict) << std::setw(15) << finding.what
              << sanitizedText(finding.found) << '\n';
    if (!finding.remedy.empty()) std::cout << std::string(21, ' ') << sanitizedText(finding.remedy) << '\n';
    std::cout.flush();  // each line as it is known
}

Json toJson(const std::vector<remote::ClusterFinding>& findings) {
    Json all = Json::array();
    for (const auto& finding : findings)
        all.push_back({{"what", finding.what},
                       {"verdict", wordFor(finding.verdict)},
                       {"found", finding.found},
                       {"remedy", finding.remedy}});
    return all;
}

}  // namespace dailies::app
