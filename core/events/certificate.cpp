#include "core/events/certificate.h"

#include <cmath>
#include <cstdio>

namespace dailies::events {

namespace {

/// "3e-7", "0.5", "NaN".
std::string errorText(double error) {
    if (std::isnan(error)) return "NaN";
    if (std::isinf(error)) return "Infinity";
    char digits[32];
    std::snprintf(digits, sizeof digits, error > 0 && error < 0.01 ? "%.0e" : "%.2g", error);
    std::string text = digits;
    if (const auto zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
    return text;
}

std::string secondsText(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

std::string layoutText(const Certificate& certificate) {
    auto text = std::to_string(certificate.ranks) + " ranks, " + certificate.layout;
    if (certificate.recompute != "none") text += ", recompute " + certificate.recompute;
    return text;
}

}  // namespace

Json toJson(const Certificate& e) {
    return {{"proven", e.proven},
            {"loss_error", numberToJson(e.lossError)},
            {"gradient_error", numberToJson(e.gradientError)},
            {"weight", e.weight},
            {"loss_tolerance", e.lossTolerance},
            {"gradient_tolerance", e.gradientTolerance},
            {"ranks", e.ranks},
            {"layout", e.layout},
            {"recompute", e.recompute},
            {"precision", e.precision},
            {"blocks", e.blocks},
            {"clips", e.clips},
            {"seconds", e.seconds}};
}

Certificate certificateFromJson(const Json& json) {
    Certificate e;
    e.proven = json.at("proven").get<bool>();
    e.lossError = numberFromJson(json.at("loss_error"));
    e.gradientError = numberFromJson(json.at("gradient_error"));
    e.weight = json.value("weight", "");
    e.lossTolerance = json.value("loss_tolerance", 0.0);
    e.gradientTolerance = json.value("gradient_tolerance", 0.0);
    e.ranks = json.value("ranks", std::int64_t{1});
    e.layout = json.value("layout", "");
    e.recompute = json.value("recompute", "none");
    e.precision = json.value("precision", "");
    e.blocks = json.value("blocks", std::int64_t{0});
    e.clips = json.value("clips", std::int64_t{0});
    e.seconds = json.value("seconds", 0.0);
    return e;
}

std::string textOf(const Certificate& e) {
    return std::string(e.proven ? "Layout verified" : "Layout verification failed") + ": loss " +
           errorText(e.lossError) + ", gradients " + errorText(e.gradientError) +
           (e.proven ? "" : " (" + e.weight + ")") + " of one process, " + layoutText(e) + ", " +
           secondsText(e.seconds);
}

std::string detailsOf(const Certificate& e) {
    return "Before its first step, " + std::to_string(e.blocks) + " blocks of the model computed " +
           std::to_string(e.clips) + " clips on " + layoutText(e) + " in " + e.precision +
           ", and once more in one process.\nThe loss differs by " + errorText(e.lossError) + " (up to " +
           errorText(e.lossTolerance) + " is attributed to rounding), the gradient of " + e.weight +
           ", which is furthest off, by " + errorText(e.gradientError) + " of its norm (up to " +
           errorText(e.gradientTolerance) + ").";
}

}  // namespace dailies::events
