#pragma once

#include "core/base/json.h"
#include "core/exchange/import_sink.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace YAML {
class Node;
}

// What W&B lets people log and configure, brought to numbers and texts.
namespace dailies::exchange {

/// JSON as Python writes it: NaN, Infinity and -Infinity may stand bare. Null when it is no JSON.
Json lenientJson(std::string_view text);

Json jsonFromYaml(const YAML::Node& node);

/// Nested objects become dotted keys; lists stay as JSON text; texts lose their quotes.
void flattenConfig(const std::string& key, const Json& value, tracking::KeyedValues<std::string>& params);

/// One logged row: nested objects become dotted keys, numbers are kept, booleans are 0 and 1, and the rest
/// (texts, lists, media) goes to the sink's account.
class FlatValues {
public:
    enum class Account { Kept, Silent };
    explicit FlatValues(ImportSink& sink, Account account = Account::Kept)
        : m_sink(sink), m_account(account) {}

    void add(const std::string& key, double value) { m_numbers.emplace_back(key, value); }
    void add(const std::string& key, const Json& value);
    void addText(const std::string& key, const std::string& json);  ///< numbers without a JSON parser

    /// Without what belongs to media: an object with "_type" may hold numbers that are no metrics.
    std::vector<std::pair<std::string, double>> numbers() const;

private:
    void addSkipped(const std::string& what);

    ImportSink& m_sink;
    Account m_account;
    std::vector<std::pair<std::string, double>> m_numbers;
    std::set<std::string> m_media;  ///< beginnings of keys, with their dot
};

}  // namespace dailies::exchange
