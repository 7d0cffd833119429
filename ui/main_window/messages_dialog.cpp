#include "ui/main_window/messages_dialog.h"

#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QScrollArea>

#include <ranges>

namespace dailies::ui {

namespace {
constexpr QSize kMessagesSize{560, 480};

QLabel* addText(QBoxLayout& column, const QString& text, TextStyle style, TextTone tone) {
    auto* label = makeLabel(text, style, tone);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    column.addWidget(label);
    return label;
}

}  // namespace

MessagesDialog::MessagesDialog(const std::vector<KeptMessage>& messages, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Messages"));
    setAccessibleName(tr("Messages"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kMessagesSize);
    auto* page = makeColumn(space::k12, {space::k16, space::k16, space::k16, space::k16});
    setLayout(page);
    page->addWidget(makeLabel(tr("Messages"), TextStyle::Title));
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* inside = new QWidget;
    inside->setProperty("clear", true);
    auto* column = makeColumn(space::k4, {0, 0, space::k12, 0});
    inside->setLayout(column);
    if (messages.empty())
        column->addWidget(makeLabel(tr("No messages in this session."), TextStyle::Body, TextTone::Muted));
    for (const KeptMessage& message : messages | std::views::reverse) {
        column->addWidget(makeLabel(timeText(message.timeMs), TextStyle::Caption, TextTone::Faint));
        auto* last = addText(*column, message.title, TextStyle::Strong,
                             message.failure ? TextTone::Danger : TextTone::Normal);
        if (!message.text.isEmpty()) last = addText(*column, message.text, TextStyle::Body, TextTone::Muted);
        last->setContentsMargins(0, 0, 0, space::k8);
    }
    column->addStretch();
    scroll->setWidget(inside);
    page->addWidget(scroll, 1);
    auto* buttons = makeRow(space::k8);
    auto* log = makeButton(tr("Show log"), ButtonKind::Ghost);
    connect(log, &QPushButton::clicked, this, &MessagesDialog::logRequested);
    buttons->addWidget(log);
    buttons->addStretch();
    auto* close = makeButton(tr("Close"), ButtonKind::Primary);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    buttons->addWidget(close);
    page->addLayout(buttons);
}

}  // namespace dailies::ui
