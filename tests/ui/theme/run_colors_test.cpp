#include "ui/theme/run_colors.h"

#include "core/base/ids.h"
#include "ui/theme/theme.h"

#include <gtest/gtest.h>

#include <QCoreApplication>

#include <set>

namespace dailies::ui {
namespace {

TEST(RunColors, TwelveRunsOfOneSweepAllDiffer) {
    std::vector<std::string> ids;
    for (int i = 0; i < RunColors::kCount; ++i) {
        ids.push_back(newId());
    }
    RunColors colors;
    colors.assign(ids);
    std::set<QString> seen;
    for (const auto& id : ids) {
        seen.insert(colors.color(id).name());
    }
    EXPECT_EQ(seen.size(), ids.size());
}

TEST(RunColors, AreTheSameInTheNextSessionAndWhenRunsAreAdded) {
    std::vector<std::string> ids;
    for (int i = 0; i < 30; ++i) {
        ids.push_back(newId());
    }
    RunColors first;
    first.assign({ids.begin(), ids.begin() + 20});
    RunColors second;
    second.assign(ids);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(first.color(ids[i]), second.color(ids[i])) << i;
    }
}

TEST(RunColors, WhoShowedARunInAnotherColourIsToldToShowItAnew) {
    std::vector<std::string> ids;
    for (int i = 0; i < RunColors::kCount; ++i) ids.push_back(newId());
    RunColors colors;
    std::vector<QColor> shown;
    for (const auto& id : ids) shown.push_back(colors.color(id));
    int told = 0;
    QObject listener;
    QObject::connect(&Theme::instance(), &Theme::changed, &listener, [&] { ++told; });
    colors.assign(ids);
    QCoreApplication::processEvents();
    bool differs = false;
    for (std::size_t i = 0; i < ids.size(); ++i) differs = differs || colors.color(ids[i]) != shown[i];
    EXPECT_EQ(told, differs ? 1 : 0);
    colors.assign(ids);
    QCoreApplication::processEvents();
    EXPECT_EQ(told, differs ? 1 : 0) << "nothing has changed since";
}

}  // namespace
}  // namespace dailies::ui
