#pragma once

#include "core/base/text.h"
#include "remote/cluster/cluster_check.h"

#include <string>
#include <utility>

namespace dailies::remote {

/// What looks at a cluster says each finding in one call; what was found may hold anything that the cluster
/// printed.
class FindingReporter {
protected:
    explicit FindingReporter(ReportFinding report) : m_report(std::move(report)) {}

    void good(const std::string& what, const std::string& found) const {
        m_report({what, Verdict::Good, inertText(found), {}});
    }
    void warn(const std::string& what, const std::string& found, const std::string& remedy) const {
        m_report({what, Verdict::Warn, inertText(found), remedy});
    }
    void bad(const std::string& what, const std::string& found, const std::string& remedy) const {
        m_report({what, Verdict::Bad, inertText(found), remedy});
    }

    const ReportFinding m_report;
};

}  // namespace dailies::remote
