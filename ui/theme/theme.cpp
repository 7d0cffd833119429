#include "ui/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QLabel>
#include <QPalette>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleFactory>
#include <QVariant>
#include <QWidget>

#include <array>
#include <utility>

static void initThemeResources() {
    Q_INIT_RESOURCE(themes);
}

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

QString styleSheet(const Palette& p) {
    initThemeResources();
    QFile file(QStringLiteral(":/themes/dailies.qss"));
    file.open(QIODevice::ReadOnly);
    const QString source = QString::fromUtf8(file.readAll());

    const std::array<std::pair<const char*, QColor>, 19> colors{{{"window", p.window},
                                                                 {"surface", p.surface},
                                                                 {"raised", p.raised},
                                                                 {"hover", p.hover},
                                                                 {"pressed", p.pressed},
                                                                 {"border", p.border},
                                                                 {"borderStrong", p.borderStrong},
                                                                 {"text", p.text},
                                                                 {"textMuted", p.textMuted},
                                                                 {"textFaint", p.textFaint},
                                                                 {"accent", p.accent},
                                                                 {"accentHover", p.accentHover},
                                                                 {"accentText", p.accentText},
                                                                 {"accentSoft", p.accentSoft},
                                                                 {"success", p.success},
                                                                 {"warning", p.warning},
                                                                 {"danger", p.danger},
                                                                 {"info", p.info},
                                                                 {"focus", p.accent}}};
    // One pass over whole words: @text must not match inside @textMuted.
    static const QRegularExpression token(QStringLiteral("@(\\w+)"));
    QString result;
    qsizetype copied = 0;
    for (auto match = token.globalMatch(source); match.hasNext();) {
        const auto m = match.next();
        result += source.mid(copied, m.capturedStart() - copied);
        copied = m.capturedEnd();
        for (const auto& [name, color] : colors) {
            if (m.captured(1) == QLatin1String(name)) {
                result += color.name();
            }
        }
    }
    return result + source.mid(copied);
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
    q.setColor(QPalette::BrightText, p.danger);
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

const char* toneName(TextTone tone) {
    switch (tone) {
        case TextTone::Normal:
            return "normal";
        case TextTone::Muted:
            return "muted";
        case TextTone::Faint:
            return "faint";
        case TextTone::Danger:
            return "danger";
        case TextTone::Warning:
            return "warning";
        case TextTone::Success:
            return "success";
    }
    return "normal";
}

}  // namespace

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

void Theme::apply(ThemeMode mode) {
    m_mode = mode;
    if (QApplication::style()->objectName() != QLatin1String("fusion")) {
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    }
    QApplication::setFont(font(TextStyle::Body));
    QApplication::setPalette(qtPalette(colors()));
    qApp->setStyleSheet(styleSheet(colors()));
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
            break;
    }
    return font;
}

QLabel* makeLabel(const QString& text, TextStyle style, TextTone tone) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setFont(Theme::font(style));
    label->setProperty("tone", QLatin1String(toneName(tone)));
    return label;
}

void setTone(QLabel* label, TextTone tone) {
    const QVariant name(QLatin1String(toneName(tone)));
    if (label->property("tone") == name) {
        return;
    }
    label->setProperty("tone", name);
    // Style sheets look at properties only when a widget is polished.
    label->style()->unpolish(label);
    label->style()->polish(label);
}

}  // namespace dailies::ui
