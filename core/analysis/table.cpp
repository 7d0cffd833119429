#include "core/analysis/table.h"

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/tracking/run_time.h"
#include "core/tracking/training_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace dailies::analysis {

namespace {

constexpr double kDecades = 100;  ///< greatest over least value from which a column is logarithmic

bool standsForNothing(std::string_view text) {
    static constexpr std::array<std::string_view, 5> kWords{"", "none", "null", "nan", "n/a"};
    return text.size() <= 4 && std::find(kWords.begin(), kWords.end(), lowered(text)) != kWords.end();
}

std::optional<double> numberOf(std::string_view text) {
    const auto value = parseNumber(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// "2" before "10", words after numbers.
bool naturallyBefore(const std::string& a, const std::string& b) {
    const auto x = numberOf(a), y = numberOf(b);
    if (x && y && *x != *y) {
        return *x < *y;
    }
    return x.has_value() != y.has_value() ? x.has_value() : a < b;
}

void fillParam(Column& column, const std::vector<std::optional<std::string_view>>& texts) {
    bool numbers = true;
    for (std::size_t i = 0; i < texts.size() && numbers; ++i) {
        if (texts[i] && !standsForNothing(*texts[i])) {
            const auto number = numberOf(*texts[i]);
            numbers = number.has_value();
            column.values[i] = number.value_or(kMissing);
        }
    }
    if (numbers) {
        return;
    }
    column.kind = Column::Kind::Category;
    std::unordered_set<std::string_view> different;
    for (const auto& text : texts) {
        if (text) {
            different.insert(*text);
        }
    }
    column.categories.assign(different.begin(), different.end());
    std::sort(column.categories.begin(), column.categories.end(), naturallyBefore);
    std::unordered_map<std::string_view, double> indexes;
    for (std::size_t i = 0; i < column.categories.size(); ++i) {
        indexes.emplace(column.categories[i], static_cast<double>(i));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        column.values[i] = texts[i] ? indexes.at(*texts[i]) : kMissing;
    }
}

double durationOf(const tracking::Run& run, std::int64_t nowMs) {
    const std::int64_t took = tracking::trainingMs(run, nowMs);
    return took > 0 ? static_cast<double>(took) : kMissing;
}

bool isLogarithmic(const Column& column) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0;
    for (const double value : column.values) {
        if (std::isfinite(value)) {
            least = std::min(least, value);
            greatest = std::max(greatest, value);
        }
    }
    if (!(least > 0 && greatest >= kDecades * least)) {
        return false;
    }
    // Evenly: about as many values below the middle of the scale as above it.
    const auto unevenness = [&](double middle) {
        double below = 0, all = 0;
        for (const double value : column.values) {
            below += value < middle ? 1 : 0;
            all += std::isfinite(value) ? 1 : 0;
        }
        return std::abs(below / all - 0.5);
    };
    return unevenness(std::sqrt(least) * std::sqrt(greatest)) <= unevenness(least / 2 + greatest / 2);
}

}  // namespace

std::string toText(const Field& field) {
    switch (field.source) {
        case Field::Source::Param:
            return "param:" + field.key;
        case Field::Source::Metric:
            return "metric:" + field.key;
        case Field::Source::Start:
            return "start";
        case Field::Source::Duration:
            return "duration";
    }
    return {};
}

Field fieldFromText(const std::string& text) {
    const auto after = [&](std::string_view prefix) { return text.substr(prefix.size()); };
    if (text == "start") {
        return {Field::Source::Start};
    }
    if (text == "duration") {
        return {Field::Source::Duration};
    }
    if (text.starts_with("metric:")) {
        return {Field::Source::Metric, after("metric:")};
    }
    return {Field::Source::Param, text.starts_with("param:") ? after("param:") : text};
}

bool Column::varies() const {
    return std::any_of(values.begin(), values.end(), [&](double value) {
        return std::isnan(value) != std::isnan(values.front()) ||
               (!std::isnan(value) && value != values.front());
    });
}

bool Column::isUniquePerRun() const {
    return kind == Kind::Category && categories.size() > 2 && categories.size() == values.size();
}

Column columnOf(const Runs& runs, const Field& field, std::int64_t nowMs) {
    Column column{.field = field};
    column.values.assign(runs.size(), kMissing);
    std::vector<std::optional<std::string_view>> texts;
    if (field.source == Field::Source::Param) {
        texts.resize(runs.size());
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const tracking::Run& run = *runs[i];
        switch (field.source) {
            case Field::Source::Param:
                if (const auto found = run.params.find(field.key); found != run.params.end()) {
                    texts[i] = trim(found->second);
                }
                break;
            case Field::Source::Metric:
                if (const auto found = run.metrics.find(field.key); found != run.metrics.end()) {
                    column.values[i] = found->second.value;
                }
                break;
            case Field::Source::Start:
                column.values[i] = run.startMs > 0 ? static_cast<double>(run.startMs) : kMissing;
                break;
            case Field::Source::Duration:
                column.values[i] = durationOf(run, nowMs);
                break;
        }
    }
    if (field.source == Field::Source::Param) {
        fillParam(column, texts);
    }
    column.logarithmic = column.kind == Column::Kind::Number && isLogarithmic(column);
    return column;
}

Runs mainRuns(const Runs& runs) {
    Runs training;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(training),
                 [](const auto& run) { return tracking::isTrainingRun(*run); });
    return training.empty() ? runs : training;
}

Fields fieldsOf(const Runs& runs) {
    struct Seen {
        std::string_view first;
        bool differs = false;
    };
    std::unordered_map<std::string_view, Seen> params;
    std::unordered_set<std::string_view> metrics;
    for (const auto& run : mainRuns(runs)) {
        for (const auto& [key, value] : run->params) {
            auto& seen = params.try_emplace(key, Seen{value}).first->second;
            seen.differs = seen.differs || seen.first != value;
        }
    }
    for (const auto& run : runs) {
        for (const auto& [key, point] : run->metrics) {
            metrics.insert(key);
        }
    }
    Fields fields;
    for (const auto& [key, seen] : params) {
        if (seen.differs) {
            fields.params.push_back({Field::Source::Param, std::string(key)});
        }
    }
    for (const auto key : metrics) {
        fields.metrics.push_back({Field::Source::Metric, std::string(key)});
    }
    const auto byName = [](const Field& a, const Field& b) { return a.key < b.key; };
    std::sort(fields.params.begin(), fields.params.end(), byName);
    std::sort(fields.metrics.begin(), fields.metrics.end(), byName);
    return fields;
}

const Field* likelyTarget(const std::vector<Field>& metrics) {
    static constexpr std::array<std::string_view, 7> kWords{"adherence", "accuracy", "score", "fvd",
                                                            "val",       "eval",     "loss"};
    for (const auto word : kWords) {
        for (const auto& metric : metrics) {
            if (lowered(metric.key).find(word) != std::string::npos) {
                return &metric;
            }
        }
    }
    return metrics.empty() ? nullptr : &metrics.front();
}

}  // namespace dailies::analysis
