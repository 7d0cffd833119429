#include "ui/theme/theme.h"

#include "ui/theme/icons.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTextLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

/// Contrast ratio of two opaque colours by WCAG 2.1, 1 … 21.
double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& c) {
        const auto linear = [](double v) {
            return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

TEST(Theme, EveryTextCanBeReadOnEveryBackgroundInBothModes) {
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        const Palette& p = palette(mode);
        for (const QColor& text :
             {p.text, p.textMuted, p.textFaint, p.success, p.warning, p.danger, p.info}) {
            for (const QColor& background : {p.window, p.surface, p.raised}) {
                EXPECT_GE(contrast(text, background), 4.5)
                    << text.name().toStdString() << " on " << background.name().toStdString();
            }
        }
        EXPECT_GE(contrast(p.accentText, p.accent), 3.0);  // large or bold text on buttons
    }
}

TEST(Theme, CodeIsShownLetterByLetter) {
    const auto glyphs = [](const QString& text) {
        QTextLayout layout(text, Theme::font(TextStyle::Mono));
        layout.beginLayout();
        layout.createLine();
        layout.endLayout();
        QList<quint32> indexes;
        for (const auto& run : layout.glyphRuns()) indexes += run.glyphIndexes();
        return indexes;
    };
    for (const QString text : {"!=", "->", "==", "<=", "&&", "||", "www"}) {
        QList<quint32> alone;
        for (const QChar letter : text) alone += glyphs(letter);
        EXPECT_EQ(glyphs(text), alone) << text.toStdString();
    }
}

TEST(Theme, MessageBoxesAndFileDialogsHaveOurIcons) {
    Theme::instance().apply(ThemeMode::Dark);
    const auto picture = [](const QIcon& icon) { return icon.pixmap(QSize(32, 32)).toImage(); };
    const QStyle& style = *QApplication::style();
    EXPECT_EQ(picture(style.standardIcon(QStyle::SP_MessageBoxQuestion)),
              picture(icon("help", colors().info)));
    EXPECT_EQ(picture(style.standardIcon(QStyle::SP_MessageBoxWarning)),
              picture(icon("warning", colors().warning)));
    EXPECT_EQ(picture(style.standardIcon(QStyle::SP_DirIcon)), picture(icon("folder")));
    QMessageBox box(QMessageBox::Question, "Cancel jobs", "Cancel the job of 1 run?", QMessageBox::Yes);
    EXPECT_EQ(box.iconPixmap().toImage().convertToFormat(QImage::Format_ARGB32),
              icon("help", colors().info)
                  .pixmap(box.iconPixmap().size())
                  .toImage()
                  .convertToFormat(QImage::Format_ARGB32));
    EXPECT_TRUE(box.button(QMessageBox::Yes)->icon().isNull()) << "as on all other buttons";
}

TEST(Theme, AChoiceWithoutRoomForItsWordsEndsInDots) {
    Theme::instance().apply(ThemeMode::Light);
    const auto picture = [](const QString& text) {
        QComboBox box;
        box.addItem(text);
        box.resize(100, 32);
        return box.grab().toImage();
    };
    const QString whole = QStringLiteral("shapes-lr-and-warm-up");
    QString cut = whole;
    while (!cut.isEmpty() && picture(cut + QChar(0x2026)) != picture(whole)) cut.chop(1);
    EXPECT_GT(cut.size(), 3) << "no beginning with dots looks like it";
}

TEST(Theme, ALabelsToneIsReadInBothModes) {
    QWidget window;
    auto* page = new QWidget(&window);
    std::vector<QLabel*> labels;
    for (QWidget* parent : {&window, page}) {
        labels.push_back(makeLabel("Failed", TextStyle::Body, TextTone::Danger));
        labels.back()->setParent(parent);
    }
    page->hide();  // as the pages that are not on show
    window.show();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        Theme::instance().apply(mode);
        QApplication::processEvents();
        for (const QLabel* label : labels)
            EXPECT_EQ(label->palette().color(label->foregroundRole()), colors().danger);
    }
    setTone(labels[0], TextTone::Normal);
    EXPECT_EQ(labels[0]->palette().color(labels[0]->foregroundRole()), colors().text);
}

TEST(Theme, WhatAHiddenWidgetKeepsIsMadeAnewWhenItIsShown) {
    Theme::instance().apply(ThemeMode::Light);
    QWidget shown, hidden;
    int ofShown = 0, ofHidden = 0;
    onThemeChange(&shown, [&] { ++ofShown; });
    onThemeChange(&hidden, [&] { ++ofHidden; });
    shown.show();
    Theme::instance().apply(ThemeMode::Dark);
    Theme::instance().apply(ThemeMode::Light);
    EXPECT_EQ(ofShown, 2);
    EXPECT_EQ(ofHidden, 0);
    hidden.show();
    EXPECT_EQ(ofHidden, 1) << "once, however often it changed meanwhile";
    hidden.hide();
    hidden.show();
    EXPECT_EQ(ofHidden, 1);
}

TEST(Theme, TheFocusOfEveryControlIsSeen) {
    Theme::instance().apply(ThemeMode::Dark);
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* editable = new QComboBox;
    editable->setEditable(true);
    auto* tabs = new QTabBar;
    tabs->addTab("One");
    const std::vector<QWidget*> controls{new QPushButton("Launch"),
                                         new QLineEdit,
                                         new QComboBox,
                                         editable,
                                         new QSpinBox,
                                         new QCheckBox("On"),
                                         new QToolButton,
                                         new QSlider(Qt::Horizontal),
                                         new QPlainTextEdit,
                                         tabs};
    for (auto* control : controls) column->addWidget(control);
    auto* elsewhere = new QPushButton("Elsewhere");
    column->addWidget(elsewhere);
    window.show();
    QApplication::setActiveWindow(&window);
    for (auto* control : controls) {
        elsewhere->setFocus();
        const QImage without = control->grab().toImage();
        control->setFocus(Qt::TabFocusReason);
        const QImage with = control->grab().toImage();
        int changed = 0;
        for (int y = 0; y < with.height(); ++y)
            for (int x = 0; x < with.width(); ++x) changed += with.pixel(x, y) != without.pixel(x, y);
        EXPECT_GT(changed, 40) << control->metaObject()->className();
    }
}

TEST(Theme, AMenuOpensInsideItsWindow) {
    Theme::instance().apply(ThemeMode::Dark);
    QWidget window;
    window.setGeometry(50, 50, 400, 300);
    QToolButton button(&window);
    button.setGeometry(360, 260, 32, 32);
    QMenu menu(&button);
    for (int i = 0; i < 4; ++i) menu.addAction("An action with a long name");
    window.show();
    menu.popup(button.mapToGlobal(QPoint(0, button.height())));
    const QRect inside(window.mapToGlobal(QPoint(0, 0)), window.size());
    EXPECT_TRUE(inside.contains(menu.geometry()));
    EXPECT_LT(menu.geometry().bottom(), button.mapToGlobal(QPoint(0, 0)).y()) << "and not over its button";
}

TEST(Icons, EveryIconDrawsSomethingInTheColourOfTheTheme) {
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        Theme::instance().apply(mode);
        icon(QStringLiteral("play"));
        const QStringList files = QDir(QStringLiteral(":/icons")).entryList();
        ASSERT_GT(files.size(), 30);
        for (const QString& file : files) {
            const QImage image = icon(file.chopped(4)).pixmap(QSize(24, 24)).toImage();
            int opaque = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (image.pixelColor(x, y).alpha() > 200) {
                        ++opaque;
                    }
                }
            }
            EXPECT_GT(opaque, 4) << file.toStdString();
        }
    }
}

TEST(Icons, AreRedrawnInTheNewColourWhenTheThemeChanges) {
    Theme::instance().apply(ThemeMode::Light);
    const QIcon play = icon(QStringLiteral("stop"));
    const QImage light = play.pixmap(QSize(24, 24)).toImage();
    Theme::instance().apply(ThemeMode::Dark);
    EXPECT_NE(light, play.pixmap(QSize(24, 24)).toImage());
}

}  // namespace
}  // namespace dailies::ui
