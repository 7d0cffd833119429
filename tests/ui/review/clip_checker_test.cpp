#include "ui/review/clip_checker.h"

#include "core/base/files.h"
#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "tests/ui/wall/numbered_store.h"

#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

void writeFrozenClip(const std::filesystem::path& file) {
    video::Frame frame{64, 64, std::vector<std::uint8_t>(std::size_t{3} * 64 * 64, 90)};
    for (std::size_t i = 0; i < 3000; ++i) frame.rgb[i] = static_cast<std::uint8_t>(40 + i / 32);
    video::writeClip(file, std::vector<video::Frame>(24, frame), {.fps = 8});
}

TEST(ClipChecker, KeepsWhatItFindsInTheStoreAsClipsArrive) {
    const TemporaryFolder folder("checker");
    const NumberedStore numbered = makeNumberedStore(folder.path());
    writeFrozenClip(clipFile(numbered, 0, 0, 300));
    ClipChecker checker(numbered.file);
    checker.checkNow();
    ASSERT_TRUE(QTest::qWaitFor([&] { return checker.isIdle(); }, 20'000));

    tracking::Store store(numbered.file);
    EXPECT_TRUE(store.clipsToCheck(1, 100).empty());
    bool frozen = false;
    for (const auto& finding : store.findings(numbered.runIds))
        frozen |= finding.check == "frozen" && finding.severity == 2 && finding.runId == numbered.runIds[0];
    EXPECT_TRUE(frozen);

    addLaterClips(numbered);
    EXPECT_EQ(store.clipsToCheck(1, 100).size(), 4u);
    QSignalSpy checked(&checker, &ClipChecker::checked);
    checker.checkNow();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !checked.isEmpty() && checker.isIdle(); }, 20'000));
    EXPECT_TRUE(store.clipsToCheck(1, 100).empty());
}

TEST(ClipChecker, HasNothingToDoWithoutAStore) {
    const TemporaryFolder folder("checker");
    {
        ClipChecker checker(folder.path() / "none.db");
        checker.checkNow();
        ASSERT_TRUE(QTest::qWaitFor([&] { return checker.isIdle(); }));
    }
}

TEST(ClipChecker, EndsInTheMiddleOfItsWork) {
    const TemporaryFolder folder("checker");
    const NumberedStore numbered = makeNumberedStore(folder.path());
    ClipChecker checker(numbered.file);
    checker.checkNow();  // and goes at once
}

}  // namespace
}  // namespace dailies::ui
