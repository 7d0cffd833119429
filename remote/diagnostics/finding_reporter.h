#pragma once

#include "core/base/text.h"
#include "remote/diagnostics/cluster_check.h"

#include <string>
#include <utility>

namespace dailies::remote {

/// What looks at a cluster says each finding in one call; what was found may hold anything that the cluster
/// printed.
class FindingReporter {
protected:
    explicit FindingReporter(FindingCallback report) : m_report(std::move(report)) {}

    void good(const std::string& what, const std::string& found) const {
        m_report({what, Verdict::Good, sanitizedText(found), {}});
    }
    void warn(const std::string& what, const std::string& found, const std::string& remedy) const {
        m_report({what, Verdict::Warn, sanitizedText(found), remedy});
    }
    void bad(const std::string& what, const std::string& found, const std::string& remedy) const {
        m_report({what, Verdict::Bad, sanitizedText(found), remedy});
    }

    const FindingCallback m_report;
};

}  // namespace dailies::remote
