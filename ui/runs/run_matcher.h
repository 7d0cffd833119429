#pragma once

#include "core/query/query.h"
#include "core/tracking/store.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// What the filter box asks for: a filter in MLflow's language (core/query), or plain words, each of which
/// must occur somewhere in the run: name, id, experiment, sweep, status, reason, or `key=value` of a param.
/// Copies are cheap; any thread.
class RunMatcher {
public:
    RunMatcher() = default;  ///< every run

    bool matches(const tracking::Run& run) const;
    bool all() const { return m_words.empty() && m_filter.empty(); }

    static RunMatcher ofWords(const std::string& text);
    static RunMatcher ofQuery(query::Filter filter);

private:
    query::Filter m_filter;
    std::vector<std::string> m_words;  ///< lower case
};

/// Whether a text is meant as a filter rather than as words: it compares something, or begins a field.
/// `lr=0.01` without blanks stays words, as a quick search for a param's value.
bool looksLikeQuery(const std::string& text);

}  // namespace dailies::ui
