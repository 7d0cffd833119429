// The Datasets page where a person meets it: by its key, in the palette, and with the folder of the last
// time.
#include "core/base/files.h"
#include "core/curation/clip_list.h"
#include "core/curation/corrections.h"
#include "tests/ui/wait_until.h"
#include "ui/datasets/datasets_page.h"
#include "ui/launch/launch_page.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/page_actions.h"
#include "ui/main_window/settings.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QMessageBox>
#include <QTest>
#include <QToolButton>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::ui {
namespace {

class DatasetsInWindow : public testing::Test {
protected:
    DatasetsInWindow() {
        Theme::instance().apply(ThemeMode::Dark);
        qputenv("XDG_CONFIG_HOME", (m_folder.path() / "config").c_str());
        curation::ClipRecord clip;
        clip.id = "0123456789ab-000000-000047";
        clip.source = "/films/none.mp4";
        clip.lastFrame = 47;
        clip.end = 2;
        clip.fps = 24;
        curation::writeClipList(set(), {clip}, {}, {}, {}, {});
        options.storeFile = m_folder.path() / "dailies.db";
        options.profilesFile = m_folder.path() / "clusters.json";
        options.remember = true;
    }
    ~DatasetsInWindow() override {
        m_kept.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", m_kept);
    }

    std::filesystem::path set() const { return m_folder.path() / "set"; }

    Options options;

private:
    TemporaryFolder m_folder;
    const QByteArray m_kept = qgetenv("XDG_CONFIG_HOME");
};

TEST_F(DatasetsInWindow, IsFoundByKeyAndPaletteAndOpensWithTheLastFolder) {
    {
        MainWindow window(options);
        window.show();
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_5, Qt::ControlModifier);
        ASSERT_EQ(window.page(), Page::Datasets);
        ASSERT_TRUE(waitUntil([&] { return window.isSettled(); }));
        const auto actions = collectActions(window.datasetsPage());
        EXPECT_TRUE(std::ranges::any_of(actions, [](const PageAction& action) {
            return action.name == QStringLiteral("Open a curated folder…");
        }));
        window.datasetsPage().open(set());
        ASSERT_TRUE(waitUntil([&] { return loadSettings().lastDataset == set().string(); }));
    }
    MainWindow window(options);
    window.show();
    window.showPage(Page::Datasets);
    EXPECT_TRUE(waitUntil([&] { return window.datasetsPage().model().clips().size() == 1; }));
}

TEST_F(DatasetsInWindow, ItsClipsAreTrainedOnByOneButton) {
    MainWindow window(options);
    window.show();
    window.datasetsPage().open(set());
    ASSERT_TRUE(waitUntil([&] { return window.datasetsPage().isSettled(); }));
    const auto train = [&] {
        for (auto* button : window.datasetsPage().findChildren<QToolButton*>())
            if (button->accessibleName() == QStringLiteral("Train on the clips that are kept…"))
                return button;
        throw std::runtime_error("no button that trains");
    }();
    auto rules = window.datasetsPage().model().rules();
    const auto saved = rules;
    rules.min_motion += 1;
    window.datasetsPage().model().setRules(rules);
    EXPECT_FALSE(train->isEnabled()) << "training reads what the folder has";
    window.datasetsPage().model().setRules(saved);
    train->click();
    ASSERT_EQ(window.page(), Page::Launch);
    const auto sweep = window.launchPage().form().input().sweep;
    EXPECT_EQ(sweep.config.at("data").at("source"), "folder");
    EXPECT_EQ(sweep.config.at("data").at("folder"), set().string());
    EXPECT_FALSE(sweep.parameters.empty()) << "the rest stays";
}

/// What stands in the box that asks whether to save; null while there is none.
QMessageBox* saveQuestion(const MainWindow& window) {
    return window.findChild<QMessageBox*>();
}

void press(QMessageBox& box, const QString& text) {
    for (auto* button : box.buttons())
        if (button->text() == text) return button->click();
    FAIL() << text.toStdString() << " is not among the buttons";
}

TEST_F(DatasetsInWindow, ClosingAsksBeforeUnsavedThresholdsAreLost) {
    MainWindow window(options);
    window.show();
    window.datasetsPage().open(set());
    ASSERT_TRUE(waitUntil([&] { return window.datasetsPage().isSettled(); }));
    auto& model = window.datasetsPage().model();
    EXPECT_TRUE(model.unsavedFolders().empty());
    model.correct(0, curation::Correction::Drop);
    ASSERT_EQ(model.unsavedFolders(), std::vector{set()});

    EXPECT_FALSE(window.close());
    ASSERT_TRUE(saveQuestion(window));
    EXPECT_EQ(saveQuestion(window)->text(), "Save the changes to set?");
    press(*saveQuestion(window), "Cancel");
    ASSERT_TRUE(waitUntil([&] { return !saveQuestion(window); }));
    EXPECT_TRUE(window.isVisible());

    EXPECT_FALSE(window.close());
    press(*saveQuestion(window), "Save and close");
    EXPECT_TRUE(waitUntil([&] { return !window.isVisible(); }));
    EXPECT_EQ(curation::loadCorrections(set()).size(), 1U) << "saved before the window went";
}

TEST_F(DatasetsInWindow, ClosingWithoutSavingLeavesTheFolderAsItWas) {
    MainWindow window(options);
    window.show();
    window.datasetsPage().open(set());
    ASSERT_TRUE(waitUntil([&] { return window.datasetsPage().isSettled(); }));
    window.datasetsPage().model().correct(0, curation::Correction::Drop);
    EXPECT_FALSE(window.close());
    press(*saveQuestion(window), "Close without saving");
    EXPECT_TRUE(waitUntil([&] { return !window.isVisible(); }));
    EXPECT_TRUE(curation::loadCorrections(set()).empty());
}

TEST_F(DatasetsInWindow, ALastFolderThatIsGoneIsNamed) {
    changeSettings([&](Settings& settings) { settings.lastDataset = "/nowhere/set"; });
    MainWindow window(options);
    window.show();
    window.showPage(Page::Datasets);
    EXPECT_TRUE(waitUntil([&] {
        for (const auto* label : window.datasetsPage().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QStringLiteral("/nowhere/set"))) return true;
        return false;
    }));
}

}  // namespace
}  // namespace dailies::ui
