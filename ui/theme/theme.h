#pragma once

#include "ui/theme/tokens.h"

#include <QFont>
#include <QObject>
#include <QString>

#include <functional>

class QLabel;
class QWidget;

namespace dailies::ui {

/// The look of the whole program: palette, fonts and style of the application. One object, GUI thread only.
/// Widgets that paint by themselves read `colors()` in paintEvent; switching the mode repaints everything,
/// and `onThemeChange` is for those that keep something made from colours.
class Theme : public QObject {
    Q_OBJECT

public:
    static Theme& instance();

    /// Applies the mode to the application; the first call also sets its style and fonts.
    void apply(ThemeMode mode);
    ThemeMode mode() const { return m_mode; }
    const Palette& colors() const { return palette(m_mode); }

    static QFont font(TextStyle style);

signals:
    void changed();

private:
    Theme() = default;
    ThemeMode m_mode = ThemeMode::Dark;
};

/// Shorthand for `Theme::instance().colors()`.
inline const Palette& colors() {
    return Theme::instance().colors();
}

/// Calls `redo` after the theme has changed: at once when the widget is on show, else when it is shown next,
/// so that hidden pages cost a switch nothing. Goes with the widget.
void onThemeChange(QWidget* widget, std::function<void()> redo);

/// How important a text is.
enum class TextTone { Normal, Muted, Faint, Danger, Warning, Success };

/// A label of the type scale. Its text is plain: what comes from a cluster or a file can hold no markup.
QLabel* makeLabel(const QString& text, TextStyle style = TextStyle::Body, TextTone tone = TextTone::Normal);
void setTone(QLabel* label, TextTone tone);

}  // namespace dailies::ui
