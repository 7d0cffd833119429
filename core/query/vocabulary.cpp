#include "core/query/vocabulary.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace dailies::query {

namespace {

constexpr std::size_t kLongestValue = 200;  // a prompt of a page is nothing to choose from a list

using Counts = std::unordered_map<std::string_view, std::size_t>;  // views into the runs

std::vector<std::string> mostFrequent(const Counts& counts) {
    std::vector<std::pair<std::string_view, std::size_t>> ranked(counts.begin(), counts.end());
    const auto kept = std::min(ranked.size(), Vocabulary::kMaxValues);
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end(),
                      [](const auto& left, const auto& right) {
                          return left.second != right.second ? left.second > right.second
                                                             : left.first < right.first;
                      });
    std::vector<std::string> values;
    for (std::size_t i = 0; i < kept; ++i) values.emplace_back(ranked[i].first);
    return values;
}

void count(Counts& counts, std::string_view value) {
    if (!value.empty() && value.size() <= kLongestValue) ++counts[value];
}

void collect(const std::vector<const tracking::Run*>& runs,
             tracking::KeyedValues<std::string> tracking::Run::*of, std::vector<std::string>& keys,
             std::map<std::string, std::vector<std::string>>& values) {
    std::unordered_map<std::string_view, Counts> counts;
    for (const auto* run : runs)
        for (const auto& [key, value] : run->*of) count(counts[key], value);
    for (const auto& [key, found] : counts) values.emplace(key, mostFrequent(found));
    for (const auto& [key, found] : values) keys.push_back(key);
}

std::vector<std::string> valuesOf(const std::vector<const tracking::Run*>& runs,
                                  std::string tracking::Run::*of) {
    Counts counts;
    for (const auto* run : runs) count(counts, run->*of);
    return mostFrequent(counts);
}

}  // namespace

Vocabulary vocabularyOf(const std::vector<tracking::Run>& runs) {
    std::vector<const tracking::Run*> pointers;
    for (const auto& run : runs) pointers.push_back(&run);
    return vocabularyOf(pointers);
}

Vocabulary vocabularyOf(const std::vector<const tracking::Run*>& runs) {
    Vocabulary known;
    std::unordered_set<std::string_view> metrics;
    for (const auto* run : runs)
        for (const auto& [key, point] : run->metrics) metrics.insert(key);
    for (const auto key : metrics) known.metrics.emplace_back(key);
    std::sort(known.metrics.begin(), known.metrics.end());
    collect(runs, &tracking::Run::params, known.params, known.paramValues);
    collect(runs, &tracking::Run::tags, known.tags, known.tagValues);
    known.runNames = valuesOf(runs, &tracking::Run::name);
    known.experiments = valuesOf(runs, &tracking::Run::experiment);
    known.users = valuesOf(runs, &tracking::Run::user);
    return known;
}

}  // namespace dailies::query
