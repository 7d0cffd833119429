#include "ui/main_window/page_actions.h"

#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::ui {
namespace {

const PageAction* find(const std::vector<PageAction>& actions, const QString& name) {
    const auto found = std::ranges::find(actions, name, &PageAction::name);
    return found == actions.end() ? nullptr : &*found;
}

TEST(PageActions, AreFoundWhereverAPageHasThem) {
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    QStringList done;
    auto* own = new QAction("&Archive…", &page);
    own->setShortcut(QKeySequence(Qt::Key_A));
    QObject::connect(own, &QAction::triggered, [&] { done << "archive"; });
    page.addAction(own);

    auto* group = new QToolButton;
    group->setText("Group by");
    auto* menu = new QMenu(group);
    group->setMenu(menu);
    QObject::connect(menu, &QMenu::aboutToShow, menu, [&, menu] {
        menu->clear();
        QObject::connect(menu->addAction("Sweep"), &QAction::triggered, [&] { done << "sweep"; });
    });
    column->addWidget(group);

    auto* tabs = new QTabWidget;
    tabs->addTab(new QWidget, "Nodes  2");
    auto* preflight = new QWidget;
    auto* check = new QPushButton("Check the nodes (slow)");
    (new QVBoxLayout(preflight))->addWidget(check);
    QObject::connect(check, &QPushButton::clicked, [&] { done << "check"; });
    tabs->addTab(preflight, "Preflight");
    column->addWidget(tabs);

    const auto actions = collectActions(page);
    ASSERT_NE(find(actions, "Archive…"), nullptr);
    EXPECT_EQ(find(actions, "Archive…")->keys, "A");
    for (const char* name : {"Archive…", "Group by › Sweep", "Nodes", "Preflight", "Check the nodes"}) {
        ASSERT_NE(find(actions, name), nullptr) << name;
        find(actions, name)->run();
    }
    EXPECT_EQ(done, (QStringList{"archive", "sweep", "check"}));
    EXPECT_EQ(tabs->currentIndex(), 1) << "what is in a tab is shown when it is done";
}

TEST(PageActions, WhatIsRepeatedOrCannotBeDoneIsNotOffered) {
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    for (int i = 0; i < 2; ++i) column->addWidget(new QPushButton("Sweep"));
    auto* hidden = new QPushButton("Stop");
    column->addWidget(hidden);
    hidden->hide();
    auto* off = new QPushButton("Launch");
    off->setEnabled(false);
    column->addWidget(off);
    auto* tabs = new QTabWidget;
    tabs->addTab(new QWidget, "Runs");
    tabs->addTab(new QWidget, "Command");
    tabs->setTabVisible(1, false);
    column->addWidget(tabs);
    const auto actions = collectActions(page);
    EXPECT_EQ(find(actions, "Sweep"), nullptr) << "nobody could tell which";
    EXPECT_EQ(find(actions, "Stop"), nullptr);
    EXPECT_EQ(find(actions, "Command"), nullptr);
    ASSERT_NE(find(actions, "Launch"), nullptr);
    EXPECT_FALSE(find(actions, "Launch")->enabled);
}

TEST(PageActions, SayWhatTheyLackAndAreNotThereTwice) {
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    auto* archive = new QAction("Archive runs", &page);
    page.addAction(archive);
    setAvailable(*archive, "Select a run first");
    auto* twin = new QPushButton("Archive");
    excludeFromPalette(*twin);
    column->addWidget(twin);

    auto* stack = new QStackedWidget;
    auto* offline = new EmptyState("runs", {}, {});
    offline->addAction("Connect…", ButtonKind::Primary);
    auto* cluster = new QWidget;
    auto* adopt = new QPushButton("Adopt");
    setAvailable(*adopt, "Choose a sweep first");
    (new QVBoxLayout(cluster))->addWidget(adopt);
    setDisabledReason(*cluster, "Connect to a cluster first");
    stack->addWidget(offline);
    stack->addWidget(cluster);
    column->addWidget(stack);

    auto actions = collectActions(page);
    EXPECT_EQ(find(actions, "Archive runs")->disabledReason, "Select a run first");
    EXPECT_EQ(find(actions, "Archive"), nullptr);
    ASSERT_NE(find(actions, "Connect…"), nullptr);
    ASSERT_NE(find(actions, "Adopt"), nullptr);
    EXPECT_FALSE(find(actions, "Adopt")->enabled);
    EXPECT_EQ(find(actions, "Adopt")->disabledReason, "Connect to a cluster first") << "first things first";

    stack->setCurrentWidget(cluster);
    setAvailable(*archive, {});
    actions = collectActions(page);
    EXPECT_EQ(find(actions, "Connect…"), nullptr) << "the way out of a state that is not there";
    EXPECT_EQ(find(actions, "Adopt")->disabledReason, "Choose a sweep first");
    EXPECT_TRUE(find(actions, "Archive runs")->enabled);
    EXPECT_EQ(find(actions, "Archive runs")->disabledReason, "");
}

}  // namespace
}  // namespace dailies::ui
