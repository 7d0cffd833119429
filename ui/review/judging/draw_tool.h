#pragma once

#include "core/judging/note.h"

#include <QSizeF>

#include <array>
#include <string>
#include <vector>

namespace dailies::ui {

enum class DrawShape { Freehand, Line, Arrow, Rectangle, Ellipse };

struct DrawColor {
    const char* name;   ///< for a person
    const char* value;  ///< "#rrggbb"
};

/// Seen on dark and on bright pictures, and told apart by colour-blind people (after Okabe and Ito).
inline constexpr std::array kDrawColors{DrawColor{"Red", "#ff5a52"}, DrawColor{"Yellow", "#f0e442"},
                                        DrawColor{"Blue", "#56b4e9"}, DrawColor{"White", "#ffffff"},
                                        DrawColor{"Black", "#000000"}};

struct DrawWidth {
    const char* name;
    const char* icon;
    double value;  ///< part of the picture's height
};

inline constexpr std::array kDrawWidths{DrawWidth{"Thin", "line-thin", 0.004},
                                        DrawWidth{"Medium", "line-medium", 0.008},
                                        DrawWidth{"Thick", "line-thick", 0.018}};

/// What the next stroke is drawn with.
struct DrawTool {
    DrawShape shape = DrawShape::Freehand;
    std::string color = kDrawColors[0].value;
    double width = kDrawWidths[1].value;
    bool operator==(const DrawTool&) const = default;
};

/// The outline of a shape between two places of a picture of this size. A stroke is a line whatever drew it,
/// so whoever shows strokes needs to know nothing of shapes. Not for freehand, which is what the pen did.
std::vector<judging::Place> outlineOf(DrawShape shape, const judging::Place& from, const judging::Place& to,
                                      const QSizeF& picture);

}  // namespace dailies::ui
