#include "ui/datasets/caption_field.h"

#include "ui/theme/theme.h"

#include <QKeyEvent>

namespace dailies::ui {

namespace {
constexpr int kLines = 3;
}

CaptionField::CaptionField(QWidget* parent) : QPlainTextEdit(parent) {
    setAccessibleName(tr("Caption"));
    setTabChangesFocus(true);
    setFixedHeight(kLines * fontMetrics().lineSpacing() + 2 * space::k8);
    showNone();
}

void CaptionField::showCaption(const QString& caption, const QString& why) {
    setEnabled(true);
    setPlaceholderText(why);
    // what is being written stays while the page is drawn anew
    if (caption == m_shown && hasFocus()) return;
    m_shown = caption;
    setPlainText(caption);
}

void CaptionField::showNone() {
    m_shown.clear();
    clear();
    setPlaceholderText(tr("Select a clip to read or write its caption"));
    setEnabled(false);
}

void CaptionField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        keep();
        emit left();
    } else if (event->key() == Qt::Key_Escape) {
        setPlainText(m_shown);
        emit left();
    } else {
        QPlainTextEdit::keyPressEvent(event);
    }
}

void CaptionField::focusOutEvent(QFocusEvent* event) {
    if (event->reason() != Qt::PopupFocusReason) keep();
    QPlainTextEdit::focusOutEvent(event);
}

void CaptionField::keep() {
    // a caption is one line
    const auto text = toPlainText().simplified();
    if (text == m_shown) return;
    m_shown = text;
    emit written(text);
}

}  // namespace dailies::ui
