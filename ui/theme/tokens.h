#pragma once

#include <QColor>
#include <QString>

namespace dailies::ui {

/// The one spacing scale, in device-independent pixels. Layout margins and gaps are these and nothing
/// between.
namespace space {
inline constexpr int k4 = 4;
inline constexpr int k8 = 8;
inline constexpr int k12 = 12;
inline constexpr int k16 = 16;
inline constexpr int k24 = 24;
inline constexpr int k32 = 32;
}  // namespace space

inline constexpr int kRadius = 6;          ///< corners of controls and cards
inline constexpr int kControlHeight = 32;  ///< buttons, fields, combo boxes
inline constexpr int kRowHeight = 36;      ///< rows of tables and lists

/// The one type scale. Sizes are pixels, so that they keep their ratio to the spacing on every screen.
enum class TextStyle {
    Caption,  ///< 11: units, axis labels, badges
    Body,     ///< 13: everything else
    Strong,   ///< 13, semibold: names, column headers
    Title,    ///< 16, semibold: cards, dialogs
    Display,  ///< 22, semibold: a page's name, empty states
    Mono,     ///< 12, JetBrains Mono: ids, scripts, logs
};

enum class ThemeMode { Light, Dark };

/// The colours of one mode, by what they are for. Text on `window`, `surface` and `raised` has a contrast of
/// at least 4.5 : 1.
struct Palette {
    QColor window;   ///< behind everything
    QColor surface;  ///< cards, tables, bars
    QColor raised;   ///< menus, tooltips, fields
    QColor hover;    ///< a row or button under the pointer
    QColor pressed;
    QColor border;        ///< hairlines
    QColor borderStrong;  ///< edges of fields and buttons
    QColor text;
    QColor textMuted;  ///< secondary text
    QColor textFaint;  ///< placeholders, axis labels
    QColor accent;     ///< primary button, focus ring, selection mark
    QColor accentHover;
    QColor accentText;  ///< text on `accent`
    QColor accentSoft;  ///< behind a selected row
    QColor success, warning, danger, info;
};

const Palette& palette(ThemeMode mode);

}  // namespace dailies::ui
