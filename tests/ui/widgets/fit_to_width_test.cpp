#include "ui/widgets/fit_to_width.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QLineEdit>
#include <QPixmap>
#include <QToolButton>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

TEST(FitToWidth, GivesUpWhatMattersLeastFirstAndTakesItBack) {
    QWidget page;  // a window is as wide as its layout wants
    QWidget bar(&page);
    auto* row = makeRow(space::k8);
    auto* field = new QLineEdit;
    field->setMinimumWidth(200);
    auto* button = new QToolButton;
    button->setText("Differences only");
    button->setIcon(QPixmap(16, 16));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto* count = makeLabel("1,024 of 4,096 runs", TextStyle::Body);
    row->addWidget(field);
    row->addWidget(count);
    row->addWidget(button);
    bar.setLayout(row);
    FitToWidth fit(bar);
    fit.iconsOnly({button});
    fit.hide(*count);
    fit.narrow(*field, 80);
    const int whole = row->minimumSize().width();
    bar.resize(whole, 40);
    page.resize(whole, 40);
    page.show();
    const auto resize = [&](int width) {
        bar.resize(width, 40);
        QCoreApplication::processEvents();
    };
    resize(whole);
    EXPECT_EQ(button->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
    resize(whole - 1);
    EXPECT_EQ(button->toolButtonStyle(), Qt::ToolButtonIconOnly);
    EXPECT_EQ(button->accessibleName(), "Differences only");
    EXPECT_TRUE(count->isVisible());
    resize(240);
    EXPECT_FALSE(count->isVisible());
    resize(120);
    EXPECT_LE(row->minimumSize().width(), 120);
    resize(whole);
    EXPECT_EQ(button->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
    EXPECT_TRUE(count->isVisible());
    EXPECT_EQ(field->minimumWidth(), 200);
    button->setText("Differences only, and a longer word");
    QCoreApplication::processEvents();
    EXPECT_EQ(button->toolButtonStyle(), Qt::ToolButtonIconOnly) << "what stands in it may grow, too";
}

TEST(ElidedLabel, IsNotCutBesideFreeRoom) {
    QWidget bar;
    auto* row = makeRow(space::k8);
    auto* label = new ElidedLabel;
    label->setFullText("Waiting");
    row->addWidget(label);
    row->addStretch();
    bar.setLayout(row);
    bar.resize(400, 40);
    bar.show();
    QCoreApplication::processEvents();
    label->setFullText("Running 42 % · 3 min left");
    QCoreApplication::processEvents();
    EXPECT_EQ(label->text(), "Running 42 % · 3 min left");
    bar.resize(90, 40);
    QCoreApplication::processEvents();
    EXPECT_TRUE(label->text().endsWith("…"));
    bar.resize(400, 40);
    QCoreApplication::processEvents();
    EXPECT_EQ(label->text(), "Running 42 % · 3 min left");
}

}  // namespace
}  // namespace dailies::ui
