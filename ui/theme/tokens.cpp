#include "ui/theme/tokens.h"

namespace dailies::ui {

const Palette& palette(ThemeMode mode) {
    static const Palette light{
        .window = "#f5f6f8",
        .surface = "#ffffff",
        .raised = "#ffffff",
        .hover = "#f0f1f5",
        .pressed = "#e6e8ee",
        .border = "#e4e6eb",
        .borderStrong = "#cfd3dc",
        .text = "#171a21",
        .textMuted = "#565d6b",
        .textFaint = "#676e7d",
        .accent = "#4f5bd5",
        .accentHover = "#434fc4",
        .accentText = "#ffffff",
        .accentSoft = "#ecedfc",
        .success = "#177a4f",
        .warning = "#96600a",
        .danger = "#c62f3b",
        .info = "#1b6fb8",
    };
    static const Palette dark{
        .window = "#0e0f13",
        .surface = "#15171c",
        .raised = "#1c1f26",
        .hover = "#20242c",
        .pressed = "#282d37",
        .border = "#252933",
        .borderStrong = "#39404d",
        .text = "#e9ebf0",
        .textMuted = "#a3a9b7",
        .textFaint = "#828a9a",
        .accent = "#6c78ee",
        .accentHover = "#7d88f3",
        .accentText = "#ffffff",
        .accentSoft = "#22264a",
        .success = "#46c08c",
        .warning = "#e0aa45",
        .danger = "#f2737b",
        .info = "#5cabec",
    };
    return mode == ThemeMode::Dark ? dark : light;
}

}  // namespace dailies::ui
