// What holds for every dialog of the program.
#include "core/base/files.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/charts/chart_export_dialog.h"
#include "ui/cluster/connect_dialog.h"
#include "ui/exchange/export_dialog.h"
#include "ui/exchange/import_dialog.h"
#include "ui/files/file_browser.h"
#include "ui/review/cheat_sheet.h"
#include "ui/review/outputs/clip_export_dialog.h"
#include "ui/runs/purge_dialog.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/tag_editor.h"
#include "ui/sampling/sample_dialog.h"
#include "ui/scoring/score_dialog.h"

#include <QAbstractButton>
#include <QApplication>
#include <QPointer>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace dailies::ui {
namespace {

struct Surroundings {
    TemporaryFolder folder;
    test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 2, .prompts = 1, .samples = 1});
    ClusterWorker worker{demo.file};
    ProfileList profiles{folder.path() / "clusters.json"};
    RunActions actions{demo.file};
    ShortcutActions keys;

    ChartedRuns runs() const {
        const tracking::Store store(demo.file, tracking::Store::Mode::ReadOnly);
        ChartedRuns charted;
        for (auto& run : store.runs())
            charted.push_back({.run = std::make_shared<const tracking::Run>(std::move(run))});
        return charted;
    }
};

struct DialogKind {
    const char* name;
    std::function<QDialog*(Surroundings&)> make;
};

void PrintTo(const DialogKind& kind, std::ostream* out) {
    *out << kind.name;
}

class EveryDialog : public testing::TestWithParam<DialogKind> {
protected:
    EveryDialog() {
        dialog = GetParam().make(around);
        dialog->show();
        dialog->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(dialog));
        QTest::qWait(300);  // what it reads is shown
    }
    ~EveryDialog() override { delete dialog; }

    Surroundings around;
    QPointer<QDialog> dialog;
};

TEST_P(EveryDialog, BeginsWithItsFieldsAndEndsWithItsButtons) {
    const QStringList footer = {QStringLiteral("Cancel"), QStringLiteral("Close")};
    const auto isFooter = [&](QWidget* widget) {
        auto* button = qobject_cast<QPushButton*>(widget);
        return button && footer.contains(button->text());
    };
    const auto takesKeys = [](QWidget* widget) {
        return widget->isVisible() && widget->isEnabled() && widget->focusPolicy() & Qt::TabFocus;
    };
    std::vector<QWidget*> order;
    for (auto* at = dialog->nextInFocusChain(); at != dialog; at = at->nextInFocusChain())
        if (takesKeys(at) && dialog->isAncestorOf(at)) order.push_back(at);
    const auto cancel = std::ranges::find_if(order, isFooter);
    if (cancel == order.end()) return;
    for (auto at = cancel + 1; at != order.end(); ++at)
        EXPECT_TRUE(qobject_cast<QAbstractButton*>(*at))
            << (*at)->accessibleName().toStdString() << " comes after the way out";
    const bool onlyButtons = order.size() <= 2;
    EXPECT_TRUE(onlyButtons || order.front() != *cancel);
    EXPECT_TRUE(onlyButtons || !isFooter(dialog->focusWidget()));
}

TEST_P(EveryDialog, EnterPressesTheButtonThatHasTheFocus) {
    QStringList pressed;
    QList<QAbstractButton*> buttons;
    for (auto* button : dialog->findChildren<QAbstractButton*>()) {
        const bool isOne = qobject_cast<QPushButton*>(button) || qobject_cast<QToolButton*>(button);
        if (!isOne || !button->isVisible() || !button->isEnabled() || !(button->focusPolicy() & Qt::TabFocus))
            continue;
        buttons << button;
        button->disconnect(dialog.data());  // what it does is another matter
        QObject::connect(button, &QAbstractButton::clicked, dialog.data(),
                         [&pressed, button] { pressed << button->text() + button->toolTip(); });
    }
    ASSERT_FALSE(buttons.isEmpty());
    for (auto* button : buttons) {
        pressed.clear();
        button->setFocus(Qt::TabFocusReason);
        ASSERT_TRUE(button->hasFocus()) << button->text().toStdString();
        QTest::keyClick(button, Qt::Key_Return);
        EXPECT_EQ(pressed, QStringList{button->text() + button->toolTip()})
            << button->text().toStdString() << " pressed " << pressed.join(QLatin1Char(',')).toStdString();
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryDialog,
    testing::Values(
        DialogKind{"Connect", [](Surroundings& at) { return new ConnectDialog(at.profiles, at.worker); }},
        DialogKind{"Export",
                   [](Surroundings& at) {
                       return new ExportDialog(at.demo.file,
                                               {.selected = at.demo.runIds, .shown = {}, .all = 2});
                   }},
        DialogKind{"Import", [](Surroundings& at) { return new ImportDialog(at.demo.file, {}); }},
        DialogKind{"ExportChart",
                   [](Surroundings&) {
                       return new ChartExportDialog(
                           QStringLiteral("loss"), true,
                           [](const ChartPanel::FileOptions&) { return ChartPanel::Exporter(); });
                   }},
        DialogKind{"ExportClips",
                   [](Surroundings&) {
                       WallScene scene;
                       scene.columns.resize(1);
                       scene.rows.resize(1);
                       scene.tiles.resize(1);
                       scene.tiles[0].file = "clip.mp4";
                       return new ClipExportDialog(scene, {{QStringLiteral("All"), {0}, {0}}},
                                                   QStringLiteral("png"));
                   }},
        DialogKind{"Sample", [](Surroundings& at) { return new SampleDialog(at.worker, at.demo.runIds); }},
        DialogKind{"Score", [](Surroundings& at) { return new ScoreDialog(at.worker, at.demo.runIds); }},
        DialogKind{
            "Files",
            [](Surroundings& at) { return new FileBrowser(at.worker, FileBrowser::Wanted::Folder, {}); }},
        DialogKind{"Tags",
                   [](Surroundings& at) {
                       tracking::Store(at.demo.file).setTag(at.demo.runIds[0], "team", "video");
                       return new TagEditor(at.runs(), nullptr);
                   }},
        DialogKind{"Purge",
                   [](Surroundings& at) {
                       return new PurgeDialog(at.demo.file, at.actions, at.demo.runIds, nullptr);
                   }},
        DialogKind{"Keys",
                   [](Surroundings& at) {
                       at.keys.add(QStringLiteral("Wall"), QStringLiteral("pin"), QStringLiteral("Pin"),
                                   {QKeySequence(Qt::Key_B)}, [] {});
                       return new CheatSheet(at.keys, QStringLiteral("Keys"));
                   }}),
    [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace dailies::ui
