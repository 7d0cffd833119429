#include "ui/review/contact_sheet.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/tracking/store.h"
#include "tests/support/demo_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

template <typename Condition>
int countPixels(const QImage& image, Condition isWanted) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) count += isWanted(image.pixelColor(x, y));
    return count;
}

TEST(ContactSheet, ShowsFramesOfEveryRunAndPrompt) {
    const TemporaryFolder folder;
    const test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 2, .prompts = 2, .samples = 2});
    const tracking::Store store(demo.file, tracking::Store::Mode::ReadOnly);
    const QImage sheet = contactSheet(store, {}, {.framesPerClip = 3, .frameWidth = 64});
    EXPECT_GT(sheet.width(), 2 * 3 * 64);
    EXPECT_GT(sheet.height(), 2 * 64);
    const auto isRed = [](QColor c) { return c.red() > 150 && c.green() < 110 && c.blue() < 110; };
    const auto isBlue = [](QColor c) { return c.blue() > 150 && c.red() < 110 && c.blue() > c.green() + 40; };
    EXPECT_GT(countPixels(sheet, isRed), 500) << "squares";
    EXPECT_GT(countPixels(sheet, isBlue), 500) << "circles";
}

TEST(ContactSheet, IsMadeOfRunsWithMissingAndDamagedClipsToo) {
    const TemporaryFolder folder;
    const test::DemoStore demo = test::makeDemoStore(folder.path(), {.samples = 2, .mixedStates = true});
    const tracking::Store store(demo.file, tracking::Store::Mode::ReadOnly);
    EXPECT_FALSE(contactSheet(store, {}).isNull());
    EXPECT_FALSE(contactSheet(store, {demo.runIds[3]}).isNull());
}

TEST(ContactSheet, SaysWhenThereAreNoClips) {
    const TemporaryFolder folder;
    const test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 1, .samples = 0});
    const tracking::Store store(demo.file, tracking::Store::Mode::ReadOnly);
    try {
        contactSheet(store, {});
        FAIL() << "there is nothing to show";
    } catch (const Error& error) {
        EXPECT_THAT(error.full(), testing::HasSubstr("no clips"));
    }
}

}  // namespace
}  // namespace dailies::ui
