#pragma once

#include "core/base/json.h"
#include "core/sources/collector.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What W&B lets people log and configure, brought to numbers and texts.
namespace dailies::sources {

namespace wandb {
class Config;
class History;
class Metric;
class Run;
class Stats;
class Summary;
}  // namespace wandb

/// As a foreign file has it: unlike `Json`, it takes no longer for an object of many members.
using ForeignJson = nlohmann::json;

/// JSON as Python writes it: NaN, Infinity and -Infinity may stand bare. Null when it is no JSON, or nested
/// more than 64 deep.
ForeignJson lenientJson(std::string_view text);

/// What the record says of the run, as tags; none of them empty.
std::map<std::string, std::string> tagsOf(const wandb::Run& record);

/// Sets and removes what the record says of the run's config.
void applyConfig(const wandb::Config& record, ForeignJson& config);

/// Calls `take(key, text)` for each value of the config below `key`: nested objects become dotted keys; lists
/// stay as JSON text; texts lose their quotes.
void flattenConfig(const std::string& key, const ForeignJson& value,
                   const std::function<void(const std::string&, std::string)>& take);

/// One logged row: nested objects become dotted keys, numbers are kept, booleans are 0 and 1, videos and
/// pictures that are files are told apart, and the rest (texts, lists, other media) is counted as unread.
class FlatValues {
public:
    static constexpr const char* kTexts = "texts in the history";  ///< as it is counted

    /// `unread`: where what is no number is counted; null: it is not.
    explicit FlatValues(Collector* unread) : m_unread(unread) {}

    void add(const std::string& key, double value) { m_numbers.emplace_back(key, value); }
    void add(const std::string& key, const ForeignJson& value);
    void addText(const std::string& key, const std::string& json);  ///< numbers without a JSON parser
    void add(const wandb::History& row);
    void add(const wandb::Summary& summary);
    void add(const wandb::Stats& stats);

    /// Without what belongs to media: an object with "_type" may hold numbers that are no metrics.
    std::vector<std::pair<std::string, double>> numbers() const;

    /// Videos and pictures; their step and time are not set.
    std::vector<Media> media() const;

private:
    void addUnread(const std::string& what);

    Collector* m_unread;
    std::vector<std::pair<std::string, double>> m_numbers;
    std::map<std::string, std::map<std::string, ForeignJson>> m_fields;  ///< of what may be media, by its key
    std::set<std::string> m_media;  ///< beginnings of keys, with their dot
};

/// Which metric gives another one its step (define_metric).
class StepMetrics {
public:
    StepMetrics() = default;
    /// From `state()`; takes no more than `most` definitions.
    StepMetrics(const Json& state, std::size_t most);
    Json state() const { return Json(m_of); }

    void add(const wandb::Metric& record);
    bool empty() const { return m_of.empty(); }
    /// Whether other metrics have this one as their step.
    bool isAxis(const std::string& key) const;

    /// The metric that a person defined as the step of this one; by its name, else by the longest pattern.
    /// Null: none, W&B's own step counts.
    const std::string* of(const std::string& key) const;

private:
    std::map<std::string, std::string> m_of;  ///< by metric, or by the beginning of its name with a '*'
    std::set<std::string> m_axes;             ///< the values of m_of
    std::size_t m_most = static_cast<std::size_t>(-1);
};

}  // namespace dailies::sources
