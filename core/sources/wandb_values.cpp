#include "core/sources/wandb_values.h"

#include "core/base/numbers.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <proto/wandb_record.pb.h>

namespace dailies::sources {

namespace {

constexpr int kDeepest = 64;  // nesting that is followed; a JSON library's own recursion ends far behind it

bool isTooDeep(std::string_view json) {
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inString && c == '\\')
            ++i;
        else if (c == '"')
            inString = !inString;
        else if (!inString && (c == '{' || c == '['))
            if (++depth > kDeepest) return true;
        if (!inString && (c == '}' || c == ']')) --depth;
    }
    return false;
}

std::string keyOf(const std::string& key, const auto& nested) {
    if (!key.empty()) return key;
    std::string joined;
    for (const auto& part : nested) joined += (joined.empty() ? "" : ".") + part;
    return joined;
}

/// A name may have its dots escaped, since plain ones mean nested values.
std::string unescaped(std::string name) {
    for (auto at = name.find("\\."); at != std::string::npos; at = name.find("\\.", at)) name.erase(at, 1);
    return name;
}

std::string textAt(const std::map<std::string, ForeignJson>& fields, const char* name) {
    const auto found = fields.find(name);
    return found != fields.end() && found->second.is_string() ? found->second.get<std::string>()
                                                              : std::string();
}

bool isMediaFile(const std::string& type) {
    constexpr std::array<std::string_view, 3> kTypes = {"video-file", "image-file", "images/separated"};
    return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

}  // namespace

ForeignJson lenientJson(std::string_view text) {
    if (isTooDeep(text)) return ForeignJson();
    auto value = ForeignJson::parse(text, nullptr, false);
    if (!value.is_discarded()) return value;
    // the bare words, outside of strings, in the quotes that our own files give them
    std::string quoted;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (inString && text[i] == '\\' && i + 1 < text.size()) {
            quoted += text[i++];
        } else if (text[i] == '"') {
            inString = !inString;
        } else if (!inString) {
            bool replaced = false;
            for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
                if (text.substr(i, word.size()) == word) {
                    quoted += '"' + std::string(word) + '"';
                    i += word.size() - 1;
                    replaced = true;
                    break;
                }
            if (replaced) continue;
        }
        quoted += text[i];
    }
    value = ForeignJson::parse(quoted, nullptr, false);
    return value.is_discarded() ? ForeignJson() : value;
}

std::map<std::string, std::string> tagsOf(const wandb::Run& record) {
    std::map<std::string, std::string> tags = {
        {"wandb.id", record.run_id()},
        {"wandb.entity", record.entity()},
        {"wandb.project", record.project()},
        {"wandb.group", record.run_group()},
        {"wandb.job_type", record.job_type()},
        {"wandb.sweep", record.sweep_id()},
        {"wandb.host", record.host()},
        {"wandb.tags", join({record.tags().begin(), record.tags().end()}, ", ")},
        {"mlflow.note.content", record.notes()},
        {"mlflow.source.git.commit", record.git().commit()}};
    std::erase_if(tags, [](const auto& tag) { return tag.second.empty(); });
    return tags;
}

void applyConfig(const wandb::Config& record, ForeignJson& config) {
    for (const auto& item : record.update()) {
        if (item.nested_key_size() > kDeepest) continue;
        ForeignJson* place = &config;
        if (item.nested_key().empty())
            place = &(*place)[item.key()];
        else
            for (const auto& part : item.nested_key()) {
                if (!place->is_object()) *place = ForeignJson::object();
                place = &(*place)[part];
            }
        *place = lenientJson(item.value_json());
    }
    for (const auto& item : record.remove()) config.erase(keyOf(item.key(), item.nested_key()));
}

void flattenConfig(const std::string& key, const ForeignJson& value,
                   const std::function<void(const std::string&, std::string)>& take) {
    if (value.is_object() && !value.empty()) {
        for (const auto& [name, inner] : value.items()) flattenConfig(key + "." + name, inner, take);
        return;
    }
    // as Python prints them, which is what its clients write into MLflow
    take(key, value.is_string()    ? value.get<std::string>()
              : value.is_boolean() ? (value.get<bool>() ? "True" : "False")
              : value.is_null()    ? "None"
                                   : value.dump(-1, ' ', false, ForeignJson::error_handler_t::replace));
}

void FlatValues::add(const std::string& key, const ForeignJson& value) {
    if (value.is_number()) return add(key, value.get<double>());
    if (value.is_boolean()) return add(key, value.get<bool>() ? 1.0 : 0.0);
    if (value.is_object()) {
        if (const auto type = value.find("_type"); type != value.end()) {
            if (!type->is_string() || !isMediaFile(type->get<std::string>()))
                return addUnread(type->is_string() ? "media (" + type->get<std::string>() + ")" : "media");
            for (const auto& [name, inner] : value.items()) m_fields[key][name] = inner;
            return;
        }
        for (const auto& [name, inner] : value.items()) add(key + "." + name, inner);
        return;
    }
    const auto dot = key.rfind('.');
    if (dot != std::string::npos && (value.is_string() || value.is_array()))
        m_fields[key.substr(0, dot)][key.substr(dot + 1)] = value;
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text == "NaN" || text == "Infinity" || text == "-Infinity") return add(key, *parseNumber(text));
        if (key.ends_with("._type")) {
            m_media.insert(key.substr(0, key.size() - std::string_view("_type").size()));
            if (!isMediaFile(text)) addUnread("media (" + text + ")");
            return;
        }
        return addUnread(kTexts);
    }
    // lists are mostly parts of media, which are told by their type
    if (value.is_array() && dot == std::string::npos) addUnread("lists in the history");
}

void FlatValues::addText(const std::string& key, const std::string& json) {
    if (const auto number = parseNumber(json)) return add(key, *number);
    add(key, lenientJson(json));
}

void FlatValues::add(const wandb::History& row) {
    for (const auto& item : row.item()) {
        const auto key = keyOf(item.key(), item.nested_key());
        switch (item.typed_case()) {
            case wandb::HistoryItem::kBoolean:
                add(key, item.boolean() ? 1.0 : 0.0);
                break;
            case wandb::HistoryItem::kInteger:
                add(key, static_cast<double>(item.integer()));
                break;
            case wandb::HistoryItem::kNumber:
                add(key, item.number());
                break;
            case wandb::HistoryItem::kText:
                add(key, ForeignJson(item.text()));
                break;
            case wandb::HistoryItem::kJson:
                addText(key, item.json());
                break;
            case wandb::HistoryItem::kNone:
                break;
            case wandb::HistoryItem::TYPED_NOT_SET:
                addText(key, item.value_json());
        }
    }
}

void FlatValues::add(const wandb::Summary& summary) {
    for (const auto& item : summary.update())
        addText(keyOf(item.key(), item.nested_key()), item.value_json());
}

void FlatValues::add(const wandb::Stats& stats) {
    for (const auto& item : stats.item()) addText(keyOf(item.key(), item.nested_key()), item.value_json());
}

void FlatValues::addUnread(const std::string& what) {
    if (m_unread) m_unread->unread(what);
}

std::vector<std::pair<std::string, double>> FlatValues::numbers() const {
    auto numbers = m_numbers;
    if (m_media.empty()) return numbers;
    constexpr int kMostDots = 16;  // that are looked at; a name with more of them is nobody's
    std::erase_if(numbers, [&](const auto& entry) {
        const auto& key = entry.first;
        auto dot = key.find('.');
        for (int i = 0; i < kMostDots && dot != std::string::npos; ++i, dot = key.find('.', dot + 1))
            if (m_media.contains(key.substr(0, dot + 1))) return true;
        return false;
    });
    return numbers;
}

std::vector<Media> FlatValues::media() const {
    std::vector<Media> media;
    for (const auto& [key, fields] : m_fields) {
        const auto type = textAt(fields, "_type");
        if (!isMediaFile(type)) continue;
        const auto add = [&](const std::string& path, const std::string& caption) {
            media.push_back({.key = key, .path = path, .caption = caption, .type = type});
        };
        if (const auto path = textAt(fields, "path"); !path.empty()) {
            add(path, textAt(fields, "caption"));
            continue;
        }
        const auto names = fields.find("filenames"), captions = fields.find("captions");
        if (names == fields.end() || !names->second.is_array()) continue;
        for (std::size_t i = 0; i < names->second.size(); ++i) {
            const auto& name = names->second[i];
            const bool told = captions != fields.end() && captions->second.is_array() &&
                              i < captions->second.size() && captions->second[i].is_string();
            if (name.is_string())
                add(name.get<std::string>(), told ? captions->second[i].get<std::string>() : std::string());
        }
    }
    return media;
}

StepMetrics::StepMetrics(const Json& state, std::size_t most) : m_most(most) {
    if (!state.is_object()) return;
    for (const auto& [metric, axis] : state.items())
        if (axis.is_string()) m_axes.insert(m_of[metric] = axis.get<std::string>());
}

void StepMetrics::add(const wandb::Metric& record) {
    if (record.step_metric().empty() || record.step_metric() == "_step") return;
    constexpr std::size_t kLongest = 250;
    if (m_of.size() >= m_most || std::max(record.name().size(), record.glob_name().size()) > kLongest ||
        record.step_metric().size() > kLongest)
        return;
    // they may travel in a cursor, which is text
    const auto name = sanitizedText(unescaped(firstNonEmpty(record.name(), record.glob_name())));
    m_axes.insert(m_of[name] = sanitizedText(unescaped(record.step_metric())));
}

bool StepMetrics::isAxis(const std::string& key) const {
    return m_axes.contains(key);
}

const std::string* StepMetrics::of(const std::string& key) const {
    if (m_of.empty()) return nullptr;
    const std::string* found = nullptr;
    std::size_t longest = 0;
    if (const auto named = m_of.find(key); named != m_of.end()) {
        found = &named->second;
    } else {
        for (const auto& [name, axis] : m_of)
            if (name.ends_with('*') && key.starts_with(std::string_view(name).substr(0, name.size() - 1)) &&
                name.size() > longest) {
                longest = name.size();
                found = &axis;
            }
    }
    return found && *found != key ? found : nullptr;
}

}  // namespace dailies::sources
