#include "ui/launch/code_editor.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QTextBlock>

#include <algorithm>

namespace dailies::ui {

namespace {

QColor soft(QColor color) {
    color.setAlphaF(0.14F);
    return color;
}

}  // namespace

CodeEditor::CodeEditor(const QString& name, QWidget* parent)
    : QPlainTextEdit(parent), m_gutter(new QWidget(this)) {
    setReadOnly(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(Theme::font(TextStyle::Mono));
    setAccessibleName(name);
    setTabChangesFocus(true);
    setTextInteractionFlags(textInteractionFlags() | Qt::TextSelectableByKeyboard);
    m_gutter->setFont(font());
    m_gutter->installEventFilter(this);
    m_gutter->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEditor::placeGutter);
    connect(this, &QPlainTextEdit::updateRequest, m_gutter, qOverload<>(&QWidget::update));
    onThemeChange(this, [this] { paintMarks(); });
    placeGutter();
}

int CodeEditor::gutterWidth() const {
    const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
    return static_cast<int>(digits) * m_gutter->fontMetrics().horizontalAdvance(QLatin1Char('0')) +
           space::k16;
}

void CodeEditor::placeGutter() {
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect view = viewport()->geometry();
    m_gutter->setGeometry(view.left() - gutterWidth(), view.top(), gutterWidth(), view.height());
}

void CodeEditor::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeGutter();
}

bool CodeEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_gutter && event->type() == QEvent::Paint) {
        paintGutter();
        return true;
    }
    return QPlainTextEdit::eventFilter(watched, event);
}

void CodeEditor::paintGutter() {
    QPainter painter(m_gutter);
    const int right = m_gutter->width() - space::k12;
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > m_gutter->height()) break;
        const auto line = static_cast<std::size_t>(block.blockNumber());
        const bool broken = m_broken.contains(line + 1);
        const bool changed = line < m_changed.size() && m_changed[line];
        painter.setPen(broken ? colors().danger : changed ? colors().accent : colors().textFaint);
        painter.drawText(QRectF(0, place.top(), right, place.height()), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(line + 1));
        if (broken || changed)
            painter.fillRect(QRectF(m_gutter->width() - space::k8, place.top(), 2, place.height()),
                             broken ? colors().danger : colors().accent);
    }
}

void CodeEditor::setMarks(std::vector<bool> changed, std::set<std::size_t> broken) {
    m_changed = std::move(changed);
    m_broken = std::move(broken);
    paintMarks();
}

void CodeEditor::paintMarks() {
    QList<QTextEdit::ExtraSelection> marks;
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        const auto line = static_cast<std::size_t>(block.blockNumber());
        const bool broken = m_broken.contains(line + 1);
        if (!broken && !(line < m_changed.size() && m_changed[line])) continue;
        QTextEdit::ExtraSelection mark;
        mark.format.setBackground(soft(broken ? colors().danger : colors().accent));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        mark.cursor = QTextCursor(block);
        marks << mark;
    }
    setExtraSelections(marks);
    placeGutter();
    m_gutter->update();
}

void CodeEditor::replaceText(const QString& text) {
    if (text == toPlainText()) return;
    const int line = textCursor().blockNumber();
    QTextCursor all(document());
    all.beginEditBlock();
    all.select(QTextCursor::Document);
    all.insertText(text);
    all.endEditBlock();
    setTextCursor(QTextCursor(document()->findBlockByNumber(std::min(line, blockCount() - 1))));
}

void CodeEditor::showLine(std::size_t line) {
    QTextCursor cursor(document()->findBlockByNumber(static_cast<int>(line) - 1));
    setTextCursor(cursor);
    centerCursor();
}

}  // namespace dailies::ui
