#include "ui/theme/run_colors.h"

#include "core/base/ids.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <gtest/gtest.h>

#include <set>

namespace dailies::ui {
namespace {

using tracking::kRunColors;

TEST(RunColors, EveryColourOfThePaletteIsAnotherInBothThemes) {
    for (const auto mode : {ThemeMode::Light, ThemeMode::Dark}) {
        Theme::instance().apply(mode);
        std::set<QString> seen;
        for (std::size_t color = 0; color < kRunColors.size(); ++color) {
            seen.insert(RunColors::tint(color).name());
        }
        EXPECT_EQ(seen.size(), kRunColors.size());
    }
    Theme::instance().apply(ThemeMode::Light);
}

TEST(RunColors, WhoShowedARunInAnotherColourIsToldToShowItAnew) {
    const std::string id = newId();
    const std::size_t own = tracking::newRunColor(id), other = (own + 1) % kRunColors.size();
    RunColors colors;
    int told = 0;
    QObject listener;
    QObject::connect(&Theme::instance(), &Theme::changed, &listener, [&] { ++told; });
    const auto assign = [&](const std::string& run, std::size_t color) {
        colors.assign({{run, color, true}});
        QCoreApplication::processEvents();
    };
    EXPECT_EQ(colors.color(id), RunColors::tint(own));
    assign(id, own);
    EXPECT_EQ(told, 0) << "it was shown in this colour";
    assign(id, other);
    EXPECT_EQ(told, 1) << "a person chose another";
    EXPECT_EQ(colors.color(id), RunColors::tint(other));
    assign(id, other);
    EXPECT_EQ(told, 1);
    assign(newId(), own);
    EXPECT_EQ(told, 1) << "nobody was shown this one yet";
}

}  // namespace
}  // namespace dailies::ui
