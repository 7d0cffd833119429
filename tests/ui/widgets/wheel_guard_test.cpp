#include "ui/widgets/wheel_guard.h"

#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>
#include <QWheelEvent>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

/// A form longer than the window it scrolls in.
class LongForm : public testing::Test {
protected:
    LongForm() {
        auto* form = new QWidget;
        auto* column = makeColumn(0);
        column->addWidget(m_choice);
        column->addWidget(m_number);
        column->addSpacing(2000);
        form->setLayout(column);
        m_choice->addItems({"first", "second", "third"});
        m_choice->setCurrentIndex(1);
        m_number->setValue(50);
        ignoreUnfocusedWheel(*form);
        m_scroll.setWidget(form);
        m_scroll.setWidgetResizable(true);
        m_scroll.resize(300, 200);
        m_scroll.show();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&m_scroll));
        m_scroll.setFocus();
    }

    static void turnWheelAbove(QWidget& field) {
        const QPointF middle = field.rect().center();
        QWheelEvent event(middle, field.mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QSpontaneKeyEvent::setSpontaneous(&event);  // as from a mouse: only such are handed on to parents
        qApp->notify(&field, &event);
    }
    int scrolled() const { return m_scroll.verticalScrollBar()->value(); }

    QScrollArea m_scroll;
    QComboBox* m_choice = new QComboBox;
    QSpinBox* m_number = new QSpinBox;
};

TEST_F(LongForm, IsScrolledByAWheelAboveItsFieldsWhichStayAsTheyAre) {
    turnWheelAbove(*m_choice);
    const int once = scrolled();
    EXPECT_GT(once, 0);
    turnWheelAbove(*m_number);
    EXPECT_GT(scrolled(), once);
    EXPECT_EQ(m_choice->currentText(), "second");
    EXPECT_EQ(m_number->value(), 50);
    EXPECT_FALSE(m_choice->hasFocus());
}

TEST_F(LongForm, LetsTheFieldThatIsEditedTurnWithTheWheel) {
    m_number->setFocus();
    turnWheelAbove(*m_number);
    EXPECT_EQ(m_number->value(), 49);
    EXPECT_EQ(scrolled(), 0);
}

}  // namespace
}  // namespace dailies::ui
