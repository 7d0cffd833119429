#include "core/base/files.h"
#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/wait_until.h"
#include "ui/main_window/clip_opener.h"
#include "ui/main_window/main_window.h"
#include "ui/review/review_page.h"
#include "ui/wall/wall_view.h"

#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QUrl>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

// Folders of videos from anywhere: dropped on the window, they are a wall.

namespace dailies::ui {
namespace {

class ClipFoldersInWindow : public testing::Test {
protected:
    void film(const std::string& name) {
        const auto file = m_folder.path() / name;
        std::filesystem::create_directories(file.parent_path());
        video::writeClip(file, video::numberedFrames(4, 32, 16), {.fps = 8});
    }

    std::unique_ptr<QMimeData> dragged(const std::vector<std::string>& names) const {
        auto data = std::make_unique<QMimeData>();
        QList<QUrl> urls;
        for (const auto& name : names)
            urls << QUrl::fromLocalFile(QString::fromStdString((m_folder.path() / name).string()));
        data->setUrls(urls);
        return data;
    }

    /// Whether the window takes it.
    static bool drop(QWidget& window, const QMimeData& data) {
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QCoreApplication::sendEvent(&window, &enter);
        if (!enter.isAccepted()) return false;
        QDropEvent event(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &event);
        return true;
    }

    static bool shows(const QWidget& window, const QString& text) {
        for (const auto* label : window.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(text)) return true;
        return false;
    }

    MainWindow& open() {
        m_window = std::make_unique<MainWindow>(
            Options{m_folder.path() / "dailies.db", m_folder.path() / "clusters.json", {}, Page::Runs});
        m_window->show();
        EXPECT_TRUE(waitUntil([this] { return m_window->isSettled(); }));
        return *m_window;
    }

    TemporaryFolder m_folder;
    std::unique_ptr<MainWindow> m_window;
};

TEST_F(ClipFoldersInWindow, RunsInADroppedFolderAreFollowedLive) {
    const auto log = [&](const std::string& run, int step) {
        std::filesystem::create_directories(m_folder.path() / "exp" / run);
        std::ofstream(m_folder.path() / "exp" / run / "metrics.jsonl", std::ios::app)
            << "{\"step\": " << step << ", \"loss\": 0.5}\n";
    };
    log("a", 1);
    log("b", 1);
    MainWindow& window = open();
    ASSERT_TRUE(drop(window, *dragged({"exp"})));
    ASSERT_TRUE(waitUntil([&] { return window.page() == Page::Runs && shows(window, "Following 2 runs"); }));
    const tracking::Store store(m_folder.path() / "dailies.db", tracking::Store::Mode::ReadOnly);
    ASSERT_EQ(store.runs().size(), 2u);
    log("a", 7);
    EXPECT_TRUE(waitUntil([&] {
        return std::ranges::any_of(store.runs(),
                                   [](const auto& run) { return run.metrics.at("loss").step == 7; });
    })) << "what is written later";

    film("other/a cat-0.mp4");
    ASSERT_TRUE(drop(window, *dragged({"exp", "other"})));
    ASSERT_TRUE(waitUntil([&] { return window.page() == Page::Review && window.isSettled(); }))
        << "clips without a run are a wall all the same";
}

TEST_F(ClipFoldersInWindow, ADroppedFolderIsAWallOfItsFoldersByPrompt) {
    film("out/wan/a cat-0.mp4");
    film("out/ltx/a cat-0.mp4");
    film("out/ltx/a dog-0.mp4");
    MainWindow& window = open();
    ASSERT_TRUE(drop(window, *dragged({"out"})));
    ASSERT_TRUE(waitUntil([&] { return window.page() == Page::Review && window.isSettled(); }));
    const WallScene& scene = window.reviewPage().wall().scene();
    ASSERT_EQ(scene.columns.size(), 2u);
    EXPECT_EQ(scene.columns[0].name, "ltx");
    ASSERT_EQ(scene.rows.size(), 2u);
    EXPECT_EQ(scene.rows[0].name, "a cat");
    EXPECT_EQ(scene.tile(0, 0).frames, 4);
}

TEST_F(ClipFoldersInWindow, VideosCanBeDroppedButNothingElse) {
    film("out/a.mp4");
    film("out/b.mp4");
    writeFileAtomically(m_folder.path() / "sweep.yaml", "method: grid\n");
    EXPECT_EQ(ClipOpener::pathsOf(*dragged({"out/a.mp4", "out/b.mp4"})).size(), 2u);
    EXPECT_TRUE(ClipOpener::pathsOf(*dragged({"out/a.mp4", "sweep.yaml"})).empty());
    EXPECT_FALSE(drop(open(), *dragged({"sweep.yaml"})));
}

TEST_F(ClipFoldersInWindow, AFolderWithoutVideosIsSaidToHaveNone) {
    std::filesystem::create_directories(m_folder.path() / "empty");
    MainWindow& window = open();
    ASSERT_TRUE(drop(window, *dragged({"empty"})));
    ASSERT_TRUE(waitUntil([&] { return shows(window, "No video was found in"); }));
    EXPECT_EQ(window.page(), Page::Runs);
}

TEST_F(ClipFoldersInWindow, WhatCannotBeReadIsCounted) {
    film("out/a.mp4");
    writeFileAtomically(m_folder.path() / "out" / "b.mp4", "not a video");
    MainWindow& window = open();
    window.openPaths({m_folder.path() / "out"});
    ASSERT_TRUE(waitUntil([&] { return shows(window, "1 videos: cannot be read"); }));
    EXPECT_EQ(window.page(), Page::Review);
}

}  // namespace
}  // namespace dailies::ui
