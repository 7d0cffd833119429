#include "ui/main_window/toast_card.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGraphicsDropShadowEffect>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kToastIconSize = 18;
constexpr qsizetype kLongestText = 500;  ///< the whole of it is in Messages
constexpr qsizetype kLongestWord = 24;   ///< that the width has room for

/// Paths and ids have no spaces to wrap at: invisible ones after their separators, and within what is long
/// even so.
QString wrappable(const QString& text) {
    QString shown;
    qsizetype word = 0;
    for (const QChar letter : text) {
        shown += letter;
        word = letter.isSpace() ? 0 : word + 1;
        const bool separates = QStringLiteral("/\\,;=&").contains(letter);
        if (word > kLongestWord || (separates && word > kLongestWord / 3)) {
            shown += QChar(0x200b);
            word = 0;
        }
    }
    return shown;
}

/// Words of fewer letters need no help, and stay as they are for whoever looks for them.
QString cardText(const QString& text) {
    QString shown = text;
    if (shown.size() > kLongestText)
        shown = ToastCard::tr("%1… (continued in Messages)").arg(shown.left(kLongestText).trimmed());
    const auto words = shown.split(QChar(' '));
    const bool fits =
        std::ranges::all_of(words, [](const QString& word) { return word.size() <= kLongestWord; });
    return fits ? shown : wrappable(shown);
}

QLabel* makeText(const QString& text, TextStyle style, TextTone tone) {
    auto* label = makeLabel(cardText(text), style, tone);
    label->setWordWrap(true);
    label->setAccessibleName(text);
    return label;
}

}  // namespace

ToastCard::ToastCard(const Look& look, const QString& title, const QString& text, QWidget* parent)
    : QFrame(parent),
      m_row(makeRow(space::k12)),
      m_words(makeColumn(space::k4)),
      m_line(new ElidedLabel(look.strong ? TextStyle::Strong : TextStyle::Body)),
      m_shadow(new QGraphicsDropShadowEffect(this)) {
    setProperty("card", true);
    setObjectName(QStringLiteral("toast"));
    setToolTip(tr("Click to dismiss. It is kept in Messages."));
    auto* shadow = static_cast<QGraphicsDropShadowEffect*>(m_shadow);
    shadow->setBlurRadius(space::k24);
    shadow->setOffset(0, space::k4);
    shadow->setColor(QColor(0, 0, 0, 70));
    setGraphicsEffect(shadow);

    auto* picture = new QLabel;
    picture->setPixmap(
        icon(look.iconName, look.color).pixmap(QSize(kToastIconSize, kToastIconSize), devicePixelRatioF()));
    m_row->addWidget(picture, 0, Qt::AlignTop);
    m_line->setFullText(text.isEmpty() ? title : QStringLiteral("%1 · %2").arg(title, text));
    m_words->addWidget(m_line, 1);
    m_wrapped.push_back(makeText(title, look.strong ? TextStyle::Strong : TextStyle::Body, TextTone::Normal));
    if (!text.isEmpty()) m_wrapped.push_back(makeText(text, TextStyle::Body, TextTone::Muted));
    for (QWidget* label : m_wrapped) m_words->addWidget(label);
    m_row->addLayout(m_words, 1);
    auto* close = makeIconButton(QStringLiteral("close"), tr("Dismiss"));
    close->setFixedSize(space::k24, space::k24);
    close->setFocusPolicy(Qt::NoFocus);  // or a window without another place for the focus would hold it
    connect(close, &QToolButton::clicked, this, &ToastCard::dismissed);
    m_row->addWidget(close, 0, Qt::AlignTop);
    setLayout(m_row);
    m_flat = true;
    setFlat(false);
}

QPushButton* ToastCard::addButton(const QString& text) {
    auto* button = makeButton(text);
    if (!m_buttons) {  // an empty row would have no width, and the words none either
        m_buttons = makeRow(space::k8);
        m_buttons->addStretch();
        m_words->addLayout(m_buttons);
    }
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    m_buttons->setContentsMargins(0, m_flat ? 0 : space::k4, 0, 0);
    return button;
}

void ToastCard::setFlat(bool flat) {
    if (m_flat == flat) return;
    m_flat = flat;
    m_line->setVisible(flat);
    for (QWidget* label : m_wrapped) label->setVisible(!flat);
    m_words->setDirection(flat ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    if (m_buttons) m_buttons->setContentsMargins(0, flat ? 0 : space::k4, 0, 0);
    const int above = flat ? 0 : space::k12;
    m_row->setContentsMargins(space::k16, above, space::k8, above);
    for (int i : {0, m_row->count() - 1})
        m_row->setAlignment(m_row->itemAt(i)->widget(), flat ? Qt::AlignVCenter : Qt::AlignTop);
    m_shadow->setEnabled(!flat);
}

}  // namespace dailies::ui
