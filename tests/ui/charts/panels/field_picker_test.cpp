#include "ui/charts/panels/field_picker.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using analysis::Field;

std::vector<Field> params(std::vector<std::string> keys) {
    std::vector<Field> fields;
    for (auto& key : keys) {
        fields.push_back({Field::Source::Param, std::move(key)});
    }
    return fields;
}

TEST(FieldPicker, TypingAndEnterChooseOne) {
    FieldPicker picker(QStringLiteral("x"), FieldPicker::Mode::One);
    picker.setFields(params({"batch", "data.width", "optimizer.lr"}));
    picker.show();
    int changes = 0;
    QObject::connect(&picker, &FieldPicker::chosenChanged, [&] { ++changes; });
    picker.openList();
    auto* search = picker.findChild<QLineEdit*>();
    QTest::keyClicks(search, QStringLiteral("LR"));
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_THAT(picker.chosen(), testing::ElementsAre(Field{Field::Source::Param, "optimizer.lr"}));
    EXPECT_EQ(changes, 1);
    EXPECT_FALSE(search->isVisible());
    picker.resize(picker.sizeHint());
    EXPECT_TRUE(picker.text().contains(QStringLiteral("optimizer.lr")));
}

TEST(FieldPicker, ALongNameGivesWayToItsLastPart) {
    FieldPicker picker(QStringLiteral("x"), FieldPicker::Mode::One);
    picker.setChosen(params({"optimizer.lr"}));
    picker.resize(picker.minimumSizeHint());
    picker.show();
    EXPECT_EQ(picker.text(), "x  lr");
    EXPECT_TRUE(picker.toolTip().contains("optimizer.lr"));
    picker.resize(picker.sizeHint());
    EXPECT_EQ(picker.text(), "x  optimizer.lr");
}

TEST(FieldPicker, SeveralAreTakenAndGivenBack) {
    FieldPicker picker(QStringLiteral("Axes"), FieldPicker::Mode::Several);
    picker.setFields(params({"a", "b", "c"}));
    picker.setChosen(params({"a"}));
    picker.openList();
    auto* search = picker.findChild<QLineEdit*>();
    QTest::keyClick(search, Qt::Key_Down);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_THAT(picker.chosen(), testing::ElementsAreArray(params({"a", "b"})));
    QTest::keyClick(search, Qt::Key_Up);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_THAT(picker.chosen(), testing::ElementsAreArray(params({"b"})));
}

TEST(FieldPicker, NothingIsChosenWhereNothingIsFound) {
    FieldPicker picker(QStringLiteral("x"), FieldPicker::Mode::One);
    picker.setNone(QStringLiteral("Run colours"));
    picker.setFields(params({"a"}));
    picker.openList();
    auto* search = picker.findChild<QLineEdit*>();
    QTest::keyClicks(search, QStringLiteral("zzz"));
    QTest::keyClick(search, Qt::Key_Down);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_TRUE(picker.chosen().empty());
    search->clear();
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_TRUE(isNone(picker.chosen().front()));
}

}  // namespace
}  // namespace dailies::ui
