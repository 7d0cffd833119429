// The log in the window: shown, copied for a report, made more detailed.
#include "ui/main_window/log_dialog.h"

#include "core/base/files.h"
#include "core/log/log.h"
#include "tests/ui/wait_until.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/log_actions.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/settings.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class LogInWindow : public testing::Test {
protected:
    LogInWindow() {
        ::setenv("XDG_STATE_HOME", (m_folder.path() / "state").c_str(), 1);
        ::setenv("XDG_CONFIG_HOME", (m_folder.path() / "config").c_str(), 1);
        m_writer.emplace(log::Level::Info);
    }
    ~LogInWindow() override {
        m_writer.reset();
        ::unsetenv("XDG_STATE_HOME");
        ::unsetenv("XDG_CONFIG_HOME");
    }
    Options options() const {
        return {.storeFile = m_folder.path() / "dailies.db",
                .profilesFile = m_folder.path() / "clusters.json",
                .clusterName = {},
                .facts = "Dailies 1.2.3, Qt 6"};
    }
    static void choose(MainWindow& window, const QString& command) {
        auto& palette = window.openPalette();
        palette.field().setText(command);
        QTest::keyClick(&palette.field(), Qt::Key_Return);
    }
    static std::string clipboard() { return QApplication::clipboard()->text().toStdString(); }

    TemporaryFolder m_folder;
    std::optional<log::Writer> m_writer;
};

TEST_F(LogInWindow, AReportHasVersionsTheLastLinesAndNoSecrets) {
    MainWindow window(options());
    window.show();
    for (int i = 0; i < 300; ++i) log::info("test", "line " + std::to_string(i) + ".");
    log::error("test", "https://hooks.slack.com/services/T0/B0/canary answered 404");
    QApplication::clipboard()->clear();
    choose(window, "Copy log for a report");
    ASSERT_TRUE(waitUntil([] { return clipboard().find("Dailies 1.2.3, Qt 6") == 0; }));
    const auto text = clipboard();
    EXPECT_THAT(text, HasSubstr("Log at level info: " + (m_folder.path() / "state").string()));
    EXPECT_THAT(text, HasSubstr("test: line 299.\n"));
    EXPECT_THAT(text, Not(HasSubstr("line 50.")));
    EXPECT_THAT(text, HasSubstr("hooks.slack.com/services/*** answered 404"));
    EXPECT_THAT(text, Not(HasSubstr("canary")));
    EXPECT_TRUE(waitUntil([&] {
        for (const auto* label : window.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains("Copied")) return true;
        return false;
    }));
}

TEST_F(LogInWindow, ItIsShownWithWhatWasToldInACorner) {
    QWidget window;
    LogActions actions("facts", false, &window);
    log::warning("ssh", "lab is lost");
    auto& dialog = actions.show();
    EXPECT_EQ(&actions.show(), &dialog) << "one at a time";
    EXPECT_TRUE(waitUntil([&] { return dialog.text().toPlainText().contains("warning ssh: lab is lost"); }));
    log::info("ssh", "lab is back");
    dialog.reload();
    EXPECT_TRUE(waitUntil([&] { return dialog.text().toPlainText().contains("lab is back"); }));
}

TEST_F(LogInWindow, HowDetailedItIsIsRemembered) {
    QWidget window;
    LogActions actions("facts", true, &window);
    auto& dialog = actions.show();
    EXPECT_FALSE(dialog.detailed().isChecked());
    dialog.detailed().click();
    EXPECT_EQ(log::level(), log::Level::Debug);
    EXPECT_TRUE(waitUntil([] { return loadSettings().detailedLog; }));
    actions.setDetailed(false);
    EXPECT_FALSE(dialog.detailed().isChecked());
    EXPECT_EQ(log::level(), log::Level::Info);
    EXPECT_TRUE(waitUntil([] { return !loadSettings().detailedLog; }));
}

TEST_F(LogInWindow, WhatAPersonIsToldIsInIt) {
    MainWindow window(options());
    window.show();
    emit window.worker().failed(Error("The cluster is on fire.", "Call the fire brigade."));
    log::flush();
    EXPECT_THAT(log::lastLines({}, 100),
                HasSubstr("error window: The cluster is on fire. Call the fire brigade."));
}

}  // namespace
}  // namespace dailies::ui
