#include "ui/widgets/form_dialog.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QKeyEvent>
#include <QScreen>
#include <QScrollArea>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kWidth = 600;
constexpr int kFrame = 48;  ///< room for the window's title and border

}  // namespace

int addField(QGridLayout& grid, const QString& name, QWidget* field, const QString& tip) {
    const int row = grid.rowCount();
    auto* label = makeLabel(name, TextStyle::Body, TextTone::Muted);
    label->setBuddy(field);
    field->setAccessibleName(name);
    field->setToolTip(tip);
    grid.addWidget(label, row, 0);
    grid.addWidget(field, row, 1);
    return row;
}

bool pressFocusedButton(QDialog& dialog, const QKeyEvent& event) {
    const bool plain = !(event.modifiers() & ~Qt::KeyboardModifiers(Qt::KeypadModifier));
    if (!plain || (event.key() != Qt::Key_Return && event.key() != Qt::Key_Enter)) return false;
    if (auto* button = qobject_cast<QAbstractButton*>(dialog.focusWidget())) button->click();
    return true;
}

FormDialog::FormDialog(const QString& title, const QString& verb, const QString& iconName, QWidget* parent)
    : QDialog(parent),
      m_content(new QWidget),
      m_form(makeColumn(space::k12)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_footer(new QWidget),
      m_footerRow(makeRow(space::k8, {space::k24, space::k12, space::k24, space::k12})),
      m_cancel(makeButton(tr("Cancel"))),
      m_accept(makeButton(verb, ButtonKind::Primary, iconName)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();

    auto* content = makeColumn(space::k12, {space::k24, space::k24, space::k24, space::k16});
    content->addWidget(makeLabel(title, TextStyle::Title));
    content->addLayout(m_form);
    content->addWidget(m_problem);
    content->addStretch();
    m_content->setProperty("clear", true);
    m_content->setLayout(content);
    m_content->installEventFilter(this);
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_content);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);

    m_footerRow->addStretch();
    m_footerRow->addWidget(m_cancel);
    m_footerRow->addWidget(m_accept);
    m_footer->setLayout(m_footerRow);

    auto* column = makeColumn(0);
    column->addWidget(scroll, 1);
    column->addWidget(makeLine());
    column->addWidget(m_footer);
    setLayout(column);
    m_accept->setDefault(true);  // a dialog knows only of buttons that are in it
    connect(m_cancel, &QPushButton::clicked, this, [this] { reject(); });
}

void FormDialog::addToFooter(QPushButton* button) {
    m_footerRow->insertWidget(0, button);
}

void FormDialog::showProblem(const QString& text) {
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
}

/// Layouts give a dialog the height of its texts at some width of their own; at the dialog's width they would
/// be cut.
void FormDialog::fit() {
    const QSize room = screen()->availableSize() - QSize(kFrame, kFrame);
    const int width = std::min(std::max(kWidth, m_content->minimumSizeHint().width()), room.width());
    const QLayout& content = *m_content->layout();
    const int form =
        content.hasHeightForWidth() ? content.totalHeightForWidth(width) : content.totalSizeHint().height();
    setFixedSize(width, std::min(form + 1 + m_footer->sizeHint().height(), room.height()));
}

/// The footer is made before the fields, and Tab goes in that order: the focus would begin on Cancel.
void FormDialog::putFooterLast() {
    QWidget* last = nullptr;
    for (QWidget* at = nextInFocusChain(); at != this; at = at->nextInFocusChain())
        if (m_content->isAncestorOf(at) && at->focusPolicy() != Qt::NoFocus) last = at;
    for (int i = 0; last && i < m_footerRow->count(); ++i) {
        if (QWidget* button = m_footerRow->itemAt(i)->widget()) {
            setTabOrder(last, button);
            last = button;
        }
    }
}

void FormDialog::showEvent(QShowEvent* event) {
    fit();
    if (!event->spontaneous()) putFooterLast();
    QDialog::showEvent(event);
}

bool FormDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_content && event->type() == QEvent::LayoutRequest) fit();
    return QDialog::eventFilter(watched, event);
}

}  // namespace dailies::ui
