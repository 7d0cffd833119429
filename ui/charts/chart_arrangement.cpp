#include "ui/charts/chart_arrangement.h"

#include "ui/charts/chart_panel.h"
#include "ui/widgets/widgets.h"

#include <QJsonArray>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

constexpr const char* kMetric = "metric:";

std::string sectionOf(const std::string& metric) {
    const auto slash = metric.find('/');
    return slash == std::string::npos ? std::string() : metric.substr(0, slash);
}

QString kindTitle(const std::string& id) {
    for (const auto& kind : chartKinds()) {
        if (kind.id == id) {
            return kind.title;
        }
    }
    return {};
}

bool matches(const QString& name, const QStringList& words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
}

/// The charts in the order that people gave them; those that they never moved keep their order behind.
void arrange(std::vector<ChartSlot>& charts, const std::vector<std::string>& order) {
    std::map<std::string, std::size_t> ranks;
    for (std::size_t i = 0; i < order.size(); ++i) {
        ranks.emplace(order[i], i);
    }
    const auto rank = [&](const ChartSlot& slot) {
        const auto found = ranks.find(slot.id);
        return found == ranks.end() ? order.size() : found->second;
    };
    std::stable_sort(charts.begin(), charts.end(),
                     [&](const ChartSlot& a, const ChartSlot& b) { return rank(a) < rank(b); });
}

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

QJsonArray array(const std::vector<std::string>& values) {
    QJsonArray result;
    for (const auto& value : values) {
        result.append(text(value));
    }
    return result;
}

std::vector<std::string> strings(const QJsonValue& value) {
    std::vector<std::string> result;
    for (const auto& item : value.toArray()) {
        result.push_back(item.toString().toStdString());
    }
    return result;
}

QJsonObject toJson(const CurveSettings& settings) {
    static constexpr std::array kX = {"step", "time", "relative", "metric"};
    static constexpr std::array kSpread = {"deviation", "range", "confidence"};
    return {{QStringLiteral("smoothing"), settings.smoothing},
            {QStringLiteral("x"), QLatin1String(kX[static_cast<std::size_t>(settings.x.kind)])},
            {QStringLiteral("x_metric"), text(settings.x.metric)},
            {QStringLiteral("log_x"), settings.logX},
            {QStringLiteral("log_y"), settings.logY},
            {QStringLiteral("spread"), QLatin1String(kSpread[static_cast<std::size_t>(settings.spread)])},
            {QStringLiteral("show_all"), settings.showAll}};
}

CurveSettings settingsFrom(const QJsonObject& json) {
    CurveSettings settings;
    settings.smoothing = std::clamp(json.value(QStringLiteral("smoothing")).toDouble(), 0.0, 0.999);
    const QString x = json.value(QStringLiteral("x")).toString();
    settings.x.metric = json.value(QStringLiteral("x_metric")).toString().toStdString();
    settings.x.kind = x == QLatin1String("time")                                   ? XAxis::Kind::WallTime
                      : x == QLatin1String("relative")                             ? XAxis::Kind::Relative
                      : x == QLatin1String("metric") && !settings.x.metric.empty() ? XAxis::Kind::Metric
                                                                                   : XAxis::Kind::Step;
    settings.logX = json.value(QStringLiteral("log_x")).toBool();
    settings.logY = json.value(QStringLiteral("log_y")).toBool();
    const QString spread = json.value(QStringLiteral("spread")).toString();
    settings.spread = spread == QLatin1String("range")        ? series::Spread::Range
                      : spread == QLatin1String("confidence") ? series::Spread::Confidence
                                                              : series::Spread::Deviation;
    settings.showAll = json.value(QStringLiteral("show_all")).toBool();
    return settings;
}

}  // namespace

std::vector<std::string> chartOrder(std::vector<std::string> keys) {
    const auto rank = [](const std::string& key) {
        const auto name = key.substr(key.rfind('/') + 1);
        return name == "loss" ? 0 : name == "adherence" ? 1 : name.find("loss") != std::string::npos ? 2 : 3;
    };
    std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
        const int ra = rank(a);
        const int rb = rank(b);
        return ra != rb ? ra < rb : a < b;
    });
    return keys;
}

std::vector<std::string> monotonicMetrics(const std::vector<std::string>& keys) {
    static constexpr std::array kWords = {"samples",    "tokens",      "epoch", "examples", "images",
                                          "clips_seen", "frames_seen", "flops", "gpu_hours"};
    std::vector<std::string> found;
    for (const auto& key : keys) {
        const auto name = key.substr(key.rfind('/') + 1);
        const bool perSecond = name.find("per_") != std::string::npos || name.find("_s") == name.size() - 2;
        if (!perSecond && std::any_of(kWords.begin(), kWords.end(), [&](const char* word) {
                return name.find(word) != std::string::npos;
            })) {
            found.push_back(key);
        }
    }
    return found;
}

void ChartArrangement::setMetrics(const std::vector<std::string>& keys) {
    m_metrics = chartOrder(keys);
}

std::vector<ChartSection> ChartArrangement::sections(const QString& search) const {
    const QStringList words = search.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<ChartSection> sections;
    std::map<std::string, std::size_t> indexes;
    const auto sectionNamed = [&](const std::string& name) -> ChartSection& {
        const auto [at, isNew] = indexes.emplace(name, sections.size());
        if (isNew) {
            const auto open = m_open.find(name);
            // What the machine says of itself is rarely what a person came for.
            const bool byDefault = name != "system";
            sections.push_back({name,
                                name.empty() ? QStringLiteral("Metrics") : sanitized(name),
                                !words.isEmpty() || (open == m_open.end() ? byDefault : open->second),
                                {}});
        }
        return sections[at->second];
    };
    for (const auto& [id, kind] : m_added) {
        if (const QString title = kindTitle(kind); !title.isEmpty() && matches(title, words)) {
            sectionNamed({}).charts.push_back({id, kind});
        }
    }
    for (const auto& metric : m_metrics) {
        if (!m_removed.contains(metric) &&
            (words.isEmpty() || matches(QString::fromStdString(metric), words))) {
            sectionNamed(sectionOf(metric)).charts.push_back({kMetric + metric, {}, metric});
        }
    }
    // What has no prefix is what people log first of all.
    std::stable_partition(sections.begin(), sections.end(),
                          [](const ChartSection& section) { return section.name.empty(); });
    for (auto& section : sections) {
        if (const auto order = m_order.find(section.name); order != m_order.end()) {
            arrange(section.charts, order->second);
        }
    }
    return sections;
}

std::vector<std::string> ChartArrangement::removedMetrics() const {
    std::vector<std::string> keys;
    std::copy_if(m_metrics.begin(), m_metrics.end(), std::back_inserter(keys),
                 [this](const std::string& key) { return m_removed.contains(key); });
    return keys;
}

std::string ChartArrangement::add(const std::string& kind) {
    int number = 1;
    const auto taken = [&](const std::string& id) {
        return std::any_of(m_added.begin(), m_added.end(),
                           [&](const auto& added) { return added.first == id; });
    };
    while (taken(kind + ':' + std::to_string(number))) {
        ++number;
    }
    const std::string id = kind + ':' + std::to_string(number);
    // In front, where the person who added it sees it.
    m_added.insert(m_added.begin(), {id, kind});
    if (auto order = m_order.find({}); order != m_order.end()) {
        order->second.insert(order->second.begin(), id);
    }
    m_open[{}] = true;
    return id;
}

void ChartArrangement::addMetric(const std::string& key) {
    m_removed.erase(key);
}

void ChartArrangement::remove(const std::string& id) {
    if (id.starts_with(kMetric)) {
        m_removed.insert(id.substr(std::char_traits<char>::length(kMetric)));
        return;
    }
    std::erase_if(m_added, [&](const auto& added) { return added.first == id; });
    m_panelStates.erase(id);
}

void ChartArrangement::move(const std::string& id, int index) {
    for (const auto& section : sections()) {
        std::vector<std::string> order;
        for (const auto& slot : section.charts) {
            order.push_back(slot.id);
        }
        const auto from = std::find(order.begin(), order.end(), id);
        if (from == order.end()) {
            continue;
        }
        const auto at = from - order.begin();
        auto to = std::clamp<std::ptrdiff_t>(index, 0, std::ssize(order));
        order.erase(from);
        order.insert(order.begin() + (to > at ? to - 1 : to), id);
        m_order[section.name] = std::move(order);
        return;
    }
}

void ChartArrangement::setOpen(const std::string& section, bool open) {
    m_open[section] = open;
}

void ChartArrangement::setPanelState(const std::string& id, const QJsonObject& panelState) {
    if (panelState.isEmpty()) {
        m_panelStates.erase(id);
    } else {
        m_panelStates[id] = panelState;
    }
}

QJsonObject ChartArrangement::panelState(const std::string& id) const {
    const auto found = m_panelStates.find(id);
    return found == m_panelStates.end() ? QJsonObject() : found->second;
}

QJsonObject ChartArrangement::toJson() const {
    QJsonArray added;
    for (const auto& [id, kind] : m_added) {
        added.append(QJsonObject{{QStringLiteral("id"), text(id)}, {QStringLiteral("kind"), text(kind)}});
    }
    QJsonObject order;
    for (const auto& [section, ids] : m_order) {
        order.insert(text(section), array(ids));
    }
    QJsonObject open;
    for (const auto& [section, isOpen] : m_open) {
        open.insert(text(section), isOpen);
    }
    QJsonObject chosen;
    for (const auto& [id, choice] : m_panelStates) {
        chosen.insert(text(id), choice);
    }
    return {{QStringLiteral("added"), added},
            {QStringLiteral("order"), order},
            {QStringLiteral("removed"), array({m_removed.begin(), m_removed.end()})},
            {QStringLiteral("open"), open},
            {QStringLiteral("choices"), chosen},
            {QStringLiteral("settings"), ui::toJson(settings)},
            {QStringLiteral("columns"), columns},
            {QStringLiteral("tall"), tall}};
}

ChartArrangement ChartArrangement::fromJson(const QJsonObject& json) {
    ChartArrangement result;
    for (const auto& added : json.value(QStringLiteral("added")).toArray()) {
        const std::string id = added[QStringLiteral("id")].toString().toStdString();
        const std::string kind = added[QStringLiteral("kind")].toString().toStdString();
        if (!id.empty() && !kind.empty()) {
            result.m_added.emplace_back(id, kind);
        }
    }
    const auto each = [&](const char* name, auto take) {
        const QJsonObject object = json.value(QLatin1String(name)).toObject();
        for (auto at = object.begin(); at != object.end(); ++at) {
            take(at.key().toStdString(), at.value());
        }
    };
    each("order",
         [&](const std::string& section, const QJsonValue& ids) { result.m_order[section] = strings(ids); });
    each("open", [&](const std::string& section, const QJsonValue& open) {
        result.m_open[section] = open.toBool(true);
    });
    each("choices", [&](const std::string& id, const QJsonValue& choice) {
        result.m_panelStates[id] = choice.toObject();
    });
    const auto removed = strings(json.value(QStringLiteral("removed")));
    result.m_removed = {removed.begin(), removed.end()};
    result.settings = settingsFrom(json.value(QStringLiteral("settings")).toObject());
    result.columns = std::clamp(json.value(QStringLiteral("columns")).toInt(), 0, 4);
    result.tall = json.value(QStringLiteral("tall")).toBool();
    return result;
}

}  // namespace dailies::ui
