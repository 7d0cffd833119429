#include "trainer/cli/layout_table.h"

#include "core/base/counts.h"
#include "core/base/size_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dailies::trainer {

namespace {

constexpr std::size_t kRows = 10;

std::string textOf(const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string shareText(double part, double whole) {
    return textOf("%.0f %%", 100 * part / whole);
}

std::string hoursText(double hours) {
    if (hours < 1.0 / 30) return textOf("%.0f s", 3600 * hours);
    return hours < 1 ? textOf("%.0f min", 60 * hours) : textOf(hours < 100 ? "%.1f h" : "%.0f h", hours);
}

std::string priceText(double price) {
    return textOf(price < 100 ? "%.2f" : "%.0f", price);
}

/// Columns as wide as their widest cell; counts letters, not bytes ("×").
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    const auto letters = [](const std::string& text) {
        return static_cast<std::size_t>(std::ranges::count_if(
            text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
    };
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - letters(row[i]), ' ');
            const bool isWords = i == 0 || i + 1 == row.size();
            text += (i > 0 ? "  " : "") + (isWords ? row[i] + (i == 0 ? padding : "") : padding + row[i]);
        }
        text += '\n';
    }
    return text;
}

std::vector<std::string> rowOf(const planner::LayoutCandidate& choice,
                               const planner::LayoutQuestion& question) {
    const auto& speed = choice.speed;
    const auto steps = question.config.steps;
    std::vector<std::string> row{
        choice.isOwn    ? "*"
        : choice.fits() ? " "
                        : "-",
        textOf("%.0f", speed.tokensPerSecond()),
        textOf(speed.flopsPerRank() < 1e11 ? "%.3f" : "%.0f", speed.flopsPerRank() / 1e12)};
    if (speed.peak) row.push_back(textOf("%.1f %%", 100 * *speed.mfu()));
    row.push_back(binarySizeText(choice.bytes));
    row.push_back(shareText(speed.exposedCommunication(), speed.seconds()));
    row.push_back(shareText(speed.bubble, speed.seconds()));
    row.push_back(hoursText(choice.hours(steps)));
    if (question.gpuHourPrice > 0) row.push_back(priceText(question.gpuHourPrice * choice.gpuHours(steps)));
    row.push_back(choice.layout.text() + (!choice.fits()                                 ? " (does not fit)"
                                          : choice.verdict == planner::FitVerdict::tight ? " (tight)"
                                                                                         : ""));
    return row;
}

std::vector<std::string> headOf(const planner::LayoutQuestion& question) {
    std::vector<std::string> head{"", "tokens/s", "TFLOP/s each"};
    if (question.rates.peak) head.push_back("MFU");
    for (const auto* name : {"memory", "sends", "bubble", "steps take"}) head.push_back(name);
    if (question.gpuHourPrice > 0) head.push_back("price");
    head.push_back("layout");
    return head;
}

}  // namespace

std::string layoutTable(const planner::LayoutCandidates& choices, const planner::LayoutQuestion& question) {
    std::vector<std::vector<std::string>> rows{headOf(question)};
    for (std::size_t i = 0; i < std::min(kRows, choices.shown.size()); ++i)
        rows.push_back(rowOf(choices.shown[i], question));
    if (choices.own && *choices.own >= kRows) rows.push_back(rowOf(choices.shown[*choices.own], question));
    return pluralize(static_cast<std::int64_t>(choices.considered), "layout", "layouts") + " of " +
           pluralize(question.machines.nodes, "node", "nodes") + " × " +
           pluralize(question.machines.ranksPerNode, "rank", "ranks") + ", by " + question.rates.source +
           ".\n" + planner::layoutAdvice(choices) + "\n\n" + aligned(rows) +
           (choices.own ? "* as configured\n" : "");
}

Json layoutsToJson(const planner::LayoutCandidates& choices, const planner::LayoutQuestion& question) {
    Json layouts = Json::array();
    for (const auto& choice : choices.shown) {
        Json settings = Json::object(), parts = Json::object();
        for (const auto& [key, value] : choice.layout.settings()) settings[key] = value;
        for (const auto& part : choice.speed.parts()) parts[part.name] = part.seconds;
        const auto mfu = choice.speed.mfu();
        layouts.push_back({{"text", choice.layout.text()},
                           {"settings", std::move(settings)},
                           {"own", choice.isOwn},
                           {"fits", choice.fits()},
                           {"on_front", choice.onParetoFront},
                           {"bytes", choice.bytes},
                           {"tokens_per_second", choice.speed.tokensPerSecond()},
                           {"flops_per_rank", choice.speed.flopsPerRank()},
                           {"mfu", mfu ? Json(*mfu) : Json()},
                           {"exposed_communication", choice.speed.exposedCommunication()},
                           {"step_seconds", choice.speed.seconds()},
                           {"hours", choice.hours(question.config.steps)},
                           {"parts", std::move(parts)}});
    }
    return {{"considered", choices.considered},
            {"rates", question.rates.source},
            {"advice", planner::layoutAdvice(choices)},
            {"layouts", std::move(layouts)}};
}

}  // namespace dailies::trainer
