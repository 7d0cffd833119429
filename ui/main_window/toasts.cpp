#include "ui/main_window/toasts.h"

#include "core/base/clock.h"
#include "core/log/log.h"
#include "ui/cluster/alerts_panel.h"
#include "ui/main_window/free_place.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGraphicsDropShadowEffect>
#include <QLabel>
#include <QMouseEvent>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {
constexpr int kWidth = 360;
constexpr std::size_t kMostShown = 3;
constexpr std::size_t kMostCards = 20;  ///< counted ones included
constexpr std::size_t kMostKept = 200;
constexpr int kTickMs = 100;
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
        shown = Toasts::tr("%1… (continued in Messages)").arg(shown.left(kLongestText).trimmed());
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

int heightOf(QFrame& card) {
    card.ensurePolished();
    QLayout& inside = *card.layout();
    inside.activate();
    return inside.hasHeightForWidth() ? inside.totalHeightForWidth(kWidth) : inside.totalSizeHint().height();
}

}  // namespace

Toasts::Toasts(QWidget* window) : QWidget(window), m_more(makeButton({})) {
    m_more->setParent(this);
    m_more->hide();
    m_more->setFocusPolicy(Qt::NoFocus);
    m_more->setToolTip(tr("Open Messages"));
    connect(m_more, &QPushButton::clicked, this, &Toasts::openMessages);
    setFixedWidth(kWidth);
    m_ticks.setInterval(kTickMs);
    connect(&m_ticks, &QTimer::timeout, this, &Toasts::tick);
    window->installEventFilter(this);
    hide();
}

Toasts::Kind Toasts::notificationKind(bool hasActions) const {
    return {QStringLiteral("done"), colors().success, false, hasActions ? m_stay.longNewsMs : m_stay.newsMs};
}

void Toasts::showNotification(const QString& text, const std::vector<Action>& actions) {
    add(notificationKind(!actions.empty()), text, {}, actions);
}

void Toasts::showSaved(const QString& file) {
    const QFileInfo info(file);
    const auto open = [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); };
    const QString whole = info.absoluteFilePath(), folder = info.absolutePath();
    add(notificationKind(true), tr("Saved %1").arg(info.fileName()), QDir::toNativeSeparators(folder),
        {{tr("Open"), [open, whole] { open(whole); }},
         {tr("Show in folder"), [open, folder] { open(folder); }}});
}

void Toasts::showFailure(const Error& error) {
    log::error("window", error.full());
    add({QStringLiteral("error"), colors().danger, true, m_stay.failureMs}, sanitized(error.what()),
        sanitized(error.remedy()), {});
}

void Toasts::showAlert(const alerts::Alert& alert) {
    const StatusTone tone = toneOf(alert.kind);
    const QString iconName = tone == StatusTone::Good      ? QStringLiteral("done")
                             : tone == StatusTone::Warning ? QStringLiteral("warning")
                                                           : QStringLiteral("error");
    const int milliseconds = alerts::needsAttention(alert.kind) ? m_stay.longNewsMs : m_stay.newsMs;
    add({iconName, toneColor(tone), false, milliseconds}, sanitized(alert.title), sanitized(alert.text), {});
}

void Toasts::add(const Kind& kind, const QString& title, const QString& text,
                 const std::vector<Action>& actions) {
    const QString name = text.isEmpty() ? title : QStringLiteral("%1\n%2").arg(title, text);
    const auto same =
        std::ranges::find_if(m_cards, [&](const Card& card) { return card.frame->accessibleName() == name; });
    if (same != m_cards.end()) {
        same->remainingMs = same->totalMs;
        return;
    }
    keep({unixMillis(), title, text, kind.failure});
    if (m_cards.size() >= kMostCards) remove(m_cards.front().frame);
    QFrame* frame = makeToast(kind, title, text, actions);
    frame->setAccessibleName(name);
    m_cards.push_back({frame, kind.milliseconds, kind.milliseconds});
    if (!m_ticks.isActive()) {
        m_sinceTick.start();
        m_ticks.start();
    }
    place();
}

QFrame* Toasts::makeToast(const Kind& kind, const QString& title, const QString& text,
                          const std::vector<Action>& actions) {
    auto* card = makeCard(this);
    card->setObjectName(QStringLiteral("toast"));
    card->setToolTip(tr("Click to dismiss. It is kept in Messages."));
    card->installEventFilter(this);
    auto* shadow = new QGraphicsDropShadowEffect(card);
    shadow->setBlurRadius(space::k24);
    shadow->setOffset(0, space::k4);
    shadow->setColor(QColor(0, 0, 0, 70));
    card->setGraphicsEffect(shadow);

    auto* row = makeRow(space::k12, {space::k16, space::k12, space::k8, space::k12});
    auto* picture = new QLabel;
    picture->setPixmap(icon(kind.iconName, kind.color).pixmap(QSize(18, 18), devicePixelRatioF()));
    row->addWidget(picture, 0, Qt::AlignTop);
    auto* words = makeColumn(space::k4);
    words->addWidget(makeText(title, kind.failure ? TextStyle::Strong : TextStyle::Body, TextTone::Normal));
    if (!text.isEmpty()) words->addWidget(makeText(text, TextStyle::Body, TextTone::Muted));
    row->addLayout(words, 1);
    auto* close = makeIconButton(QStringLiteral("close"), tr("Dismiss"));
    close->setFixedSize(space::k24, space::k24);
    close->setFocusPolicy(Qt::NoFocus);  // or a window without another place for the focus would hold it
    row->addWidget(close, 0, Qt::AlignTop);
    card->setLayout(row);
    if (!actions.empty()) {
        auto* buttons = makeRow(space::k8, {0, space::k4, 0, 0});
        for (const Action& action : actions) {
            auto* button = makeButton(action.text);
            buttons->addWidget(button);
            connect(button, &QPushButton::clicked, card, [this, card, run = action.run] {
                remove(card);
                run();
            });
        }
        buttons->addStretch();
        words->addLayout(buttons);
    }
    connect(close, &QToolButton::clicked, card, [this, card] { remove(card); });
    return card;
}

void Toasts::keep(const KeptMessage& message) {
    if (m_kept.size() >= kMostKept) m_kept.erase(m_kept.begin());
    m_kept.push_back(message);
    if (message.failure) emit unreadChanged(++m_unread);
}

void Toasts::openMessages() {
    if (m_messages) m_messages->close();  // it would lack what came since
    m_messages = new MessagesDialog(m_kept, window());
    connect(m_messages, &MessagesDialog::logRequested, this, &Toasts::logRequested);
    m_messages->show();
    m_unread = 0;
    emit unreadChanged(0);
}

void Toasts::remove(QFrame* frame) {
    std::erase_if(m_cards, [&](const Card& card) { return card.frame == frame; });
    frame->hide();
    frame->deleteLater();
    place();
}

/// Time stands still for whoever points at them or has come to their buttons by keys.
bool Toasts::isHeld() const {
    const QWidget* focused = QApplication::focusWidget();
    return underMouse() || (focused && isAncestorOf(focused));
}

void Toasts::tick() {
    const int passed = static_cast<int>(m_sinceTick.restart());
    if (!isHeld()) {
        for (Card& card : m_cards) card.remainingMs -= passed;
        while (true) {
            const auto over =
                std::ranges::find_if(m_cards, [](const Card& card) { return card.remainingMs <= 0; });
            if (over == m_cards.end()) break;
            remove(over->frame);
        }
    }
    place();  // the page below may have changed
}

bool Toasts::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize) place();
    } else if (event->type() == QEvent::MouseButtonRelease) {
        auto* card = static_cast<QFrame*>(watched);
        if (card->rect().contains(static_cast<QMouseEvent*>(event)->position().toPoint())) remove(card);
        return true;
    } else if (event->type() == QEvent::MouseButtonPress) {
        return true;  // what lies below is not meant
    }
    return QWidget::eventFilter(watched, event);
}

int Toasts::arrange(std::size_t shown) {
    const std::size_t counted = m_cards.size() - shown;
    int y = 0;
    if (counted > 0) {
        m_more->setText(tr("%1 more").arg(counted));
        m_more->setGeometry(QRect(QPoint(kWidth - m_more->sizeHint().width(), 0), m_more->sizeHint()));
        y = m_more->height() + space::k8;
    }
    m_more->setVisible(counted > 0);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        QFrame& frame = *m_cards[i].frame;
        frame.setVisible(i >= counted);
        if (i < counted) continue;
        const int height = heightOf(frame);
        frame.setGeometry(0, y, kWidth, height);
        y += height + space::k8;
    }
    return y - space::k8;
}

void Toasts::place() {
    setVisible(!m_cards.empty());
    if (m_cards.empty()) return m_ticks.stop();
    const QRect area = parentWidget()->rect().adjusted(space::k24, space::k24, -space::k24, -space::k24);
    const auto taken = controlsOf(*parentWidget(), *this);
    const auto stand = [&](const QRect& at) {
        if (geometry() != at) setGeometry(at);
        raise();
    };
    // Fewer at once where the page leaves no room for more.
    for (std::size_t shown = std::min(m_cards.size(), kMostShown); shown > 0; --shown)
        if (const auto free = freePlace({kWidth, arrange(shown)}, area, taken, space::k8))
            return stand(*free);
    stand(leastCoveringPlace({kWidth, arrange(1)}, area, taken));
}

}  // namespace dailies::ui
