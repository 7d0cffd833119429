#include "ui/theme/theme.h"

#include "ui/theme/theme_style.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QLabel>
#include <QPalette>
#include <QWidget>

#include <array>
#include <utility>

namespace dailies::ui {

namespace {

/// The first of these families that this machine has.
QString family(const std::array<const char*, 3>& wanted, QFontDatabase::SystemFont fallback) {
    for (const char* name : wanted) {
        if (QFontDatabase::hasFamily(QString::fromLatin1(name))) {
            return QString::fromLatin1(name);
        }
    }
    return QFontDatabase::systemFont(fallback).family();
}

QPalette qtPalette(const Palette& p) {
    QPalette q;
    q.setColor(QPalette::Window, p.window);
    q.setColor(QPalette::WindowText, p.text);
    q.setColor(QPalette::Base, p.surface);
    q.setColor(QPalette::AlternateBase, p.hover);
    q.setColor(QPalette::Text, p.text);
    q.setColor(QPalette::Button, p.surface);
    q.setColor(QPalette::ButtonText, p.text);
    // The tones of labels; see roleOf. Nothing else that is drawn here has these roles.
    q.setColor(QPalette::Mid, p.textMuted);
    q.setColor(QPalette::BrightText, p.danger);
    q.setColor(QPalette::LinkVisited, p.warning);
    q.setColor(QPalette::Midlight, p.success);
    q.setColor(QPalette::Highlight, p.accent);
    q.setColor(QPalette::HighlightedText, p.accentText);
    q.setColor(QPalette::Link, p.accent);
    q.setColor(QPalette::ToolTipBase, p.raised);
    q.setColor(QPalette::ToolTipText, p.text);
    q.setColor(QPalette::PlaceholderText, p.textFaint);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        q.setColor(QPalette::Disabled, role, p.textFaint);
    }
    return q;
}

QPalette::ColorRole roleOf(TextTone tone) {
    switch (tone) {
        case TextTone::Normal:
            return QPalette::WindowText;
        case TextTone::Muted:
            return QPalette::Mid;
        case TextTone::Faint:
            return QPalette::PlaceholderText;
        case TextTone::Danger:
            return QPalette::BrightText;
        case TextTone::Warning:
            return QPalette::LinkVisited;
        case TextTone::Success:
            return QPalette::Midlight;
    }
    return QPalette::WindowText;
}

}  // namespace

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

void Theme::apply(ThemeMode mode) {
    m_mode = mode;
    if (!qobject_cast<ThemeStyle*>(QApplication::style())) {
        QApplication::setStyle(new ThemeStyle);
        QApplication::setFont(font(TextStyle::Body));
        QFont button = font(TextStyle::Body);
        button.setWeight(QFont::Medium);
        QApplication::setFont(button, "QPushButton");
    }
    QApplication::setPalette(qtPalette(colors()));
    emit changed();
    for (QWidget* window : QApplication::topLevelWidgets()) {
        window->update();
    }
}

QFont Theme::font(TextStyle style) {
    static const QString sans = family({"Inter", "Inter Display", "DejaVu Sans"}, QFontDatabase::GeneralFont);
    static const QString mono =
        family({"JetBrains Mono", "DejaVu Sans Mono", "Monospace"}, QFontDatabase::FixedFont);

    QFont font(style == TextStyle::Mono ? mono : sans);
    font.setHintingPreference(QFont::PreferNoHinting);
    switch (style) {
        case TextStyle::Caption:
            font.setPixelSize(11);
            break;
        case TextStyle::Body:
            font.setPixelSize(13);
            break;
        case TextStyle::Strong:
            font.setPixelSize(13);
            font.setWeight(QFont::DemiBold);
            break;
        case TextStyle::Title:
            font.setPixelSize(16);
            font.setWeight(QFont::DemiBold);
            break;
        case TextStyle::Display:
            font.setPixelSize(22);
            font.setWeight(QFont::DemiBold);
            break;
        case TextStyle::Mono:
            font.setPixelSize(12);
            // Code is read letter by letter: no ligature makes one sign of "!=". Scripts that must be shaped
            // still are.
            font.setStyleStrategy(QFont::PreferNoShaping);
            break;
    }
    return font;
}

QLabel* makeLabel(const QString& text, TextStyle style, TextTone tone) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setFont(Theme::font(style));
    setTone(label, tone);
    return label;
}

void setTone(QLabel* label, TextTone tone) {
    if (label->foregroundRole() != roleOf(tone)) label->setForegroundRole(roleOf(tone));
}

namespace {

/// Redoes what its widget keeps, once it can be seen.
class ThemeListener : public QObject {
public:
    ThemeListener(QWidget* widget, std::function<void()> redo) : QObject(widget), m_redo(std::move(redo)) {
        widget->installEventFilter(this);
        connect(&Theme::instance(), &Theme::changed, this, [this, widget] {
            m_due = true;
            if (widget->isVisible()) now();
        });
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Show && m_due) now();
        return QObject::eventFilter(watched, event);
    }

private:
    void now() {
        m_due = false;
        m_redo();
    }

    std::function<void()> m_redo;
    bool m_due = false;
};

}  // namespace

void onThemeChange(QWidget* widget, std::function<void()> redo) {
    new ThemeListener(widget, std::move(redo));
}

}  // namespace dailies::ui
