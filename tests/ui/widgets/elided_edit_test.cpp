#include "ui/widgets/elided_edit.h"

#include <QImage>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

QImage pictureOf(const QString& text) {
    ElidedEdit edit;
    edit.setText(text);
    edit.resize(120, 32);
    return edit.grab().toImage();
}

TEST(ElidedEdit, EndsInDotsWhereItsTextHasNoRoomAndShowsAllOfItElse) {
    ElidedEdit edit;
    edit.resize(120, 32);
    edit.setText(QStringLiteral("lr=0.1"));
    EXPECT_FALSE(edit.isElided());
    const QString whole = QStringLiteral("lr=0.0003, layers=12, heads=8");
    edit.setText(whole);
    EXPECT_TRUE(edit.isElided());
    EXPECT_EQ(edit.text(), whole) << "what is edited stays";
    QString cut = whole;
    while (!cut.isEmpty() && pictureOf(cut + QChar(0x2026)) != pictureOf(whole)) cut.chop(1);
    EXPECT_GT(cut.size(), 3) << "no beginning with dots looks like it";
}

}  // namespace
}  // namespace dailies::ui
