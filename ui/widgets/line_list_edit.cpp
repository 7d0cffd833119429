#include "ui/widgets/line_list_edit.h"

#include "ui/widgets/widgets.h"

#include <QEvent>
#include <QTextDocument>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kMaxLines = 6;
constexpr int kMargin = 2, kBorder = 1;  // px, as of a QLineEdit

}  // namespace

LineListEdit::LineListEdit(int fewestLines, QWidget* parent)
    : QPlainTextEdit(parent), m_fewestLines(fewestLines) {
    setProperty("field", true);
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    document()->setDocumentMargin(kMargin);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &LineListEdit::fitHeight);
    fitHeight();
}

QSize LineListEdit::sizeHint() const {
    const int lines = std::clamp(blockCount(), m_fewestLines, kMaxLines);
    return {QPlainTextEdit::sizeHint().width(), kControlHeight + (lines - 1) * fontMetrics().lineSpacing()};
}

void LineListEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fitHeight();
}

/// One line stands where that of a QLineEdit does.
void LineListEdit::fitHeight() {
    const int above = (kControlHeight - fontMetrics().lineSpacing()) / 2 - kMargin - kBorder;
    setViewportMargins(0, above, 0, above);
    setVerticalScrollBarPolicy(blockCount() > kMaxLines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    setFixedHeight(sizeHint().height());
}

}  // namespace dailies::ui
