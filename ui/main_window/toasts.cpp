#include "ui/main_window/toasts.h"

#include "core/base/clock.h"
#include "core/log/log.h"
#include "ui/cluster/alerts_panel.h"
#include "ui/main_window/free_place.h"
#include "ui/main_window/toast_card.h"
#include "ui/widgets/message_hints.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QMouseEvent>
#include <QPushButton>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {
constexpr int kToastWidth = 360;
constexpr std::size_t kMostShown = 3;
constexpr std::size_t kMostCards = 20;  ///< counted ones included
constexpr std::size_t kMostKept = 200;
constexpr int kTickMs = 100;
int heightOf(QFrame& card) {
    card.ensurePolished();
    QLayout& inside = *card.layout();
    inside.activate();
    return inside.hasHeightForWidth() ? inside.totalHeightForWidth(kToastWidth)
                                      : inside.totalSizeHint().height();
}

}  // namespace

Toasts::Toasts(QWidget* window) : QWidget(window), m_more(makeButton({})) {
    m_more->setParent(this);
    m_more->hide();
    m_more->setFocusPolicy(Qt::NoFocus);
    m_more->setToolTip(tr("Open Messages"));
    connect(m_more, &QPushButton::clicked, this, &Toasts::openMessages);
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
    ToastCard* frame = makeToast(kind, title, text, actions);
    frame->setAccessibleName(name);
    m_cards.push_back({frame, kind.milliseconds, kind.milliseconds});
    if (!m_ticks.isActive()) {
        m_sinceTick.start();
        m_ticks.start();
    }
    place();
}

ToastCard* Toasts::makeToast(const Kind& kind, const QString& title, const QString& text,
                             const std::vector<Action>& actions) {
    auto* card = new ToastCard({kind.iconName, kind.color, kind.failure}, title, text, this);
    card->installEventFilter(this);
    for (const Action& action : actions)
        connect(card->addButton(action.text), &QPushButton::clicked, card, [this, card, run = action.run] {
            remove(card);
            run();
        });
    connect(card, &ToastCard::dismissed, this, [this, card] { remove(card); });
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

void Toasts::remove(ToastCard* frame) {
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
        auto* card = static_cast<ToastCard*>(watched);
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
        m_more->setGeometry(QRect(QPoint(kToastWidth - m_more->sizeHint().width(), 0), m_more->sizeHint()));
        y = m_more->height() + space::k8;
    }
    m_more->setVisible(counted > 0);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        ToastCard& frame = *m_cards[i].frame;
        frame.setFlat(false);
        frame.setVisible(i >= counted);
        if (i < counted) continue;
        const int height = heightOf(frame);
        frame.setGeometry(0, y, kToastWidth, height);
        y += height + space::k8;
    }
    return y - space::k8;
}

/// The newest alone, in one line, with the count of the others before it.
void Toasts::arrangeFlat(int width) {
    const std::size_t counted = m_cards.size() - 1;
    int left = 0;
    if (counted > 0) {
        m_more->setText(tr("%1 more").arg(counted));
        m_more->setGeometry(0, 0, m_more->sizeHint().width(), kFlatMessageHeight);
        left = m_more->width() + space::k8;
    }
    m_more->setVisible(counted > 0);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        m_cards[i].frame->setFlat(true);
        m_cards[i].frame->setVisible(i == counted);
        m_cards[i].frame->setGeometry(left, 0, width - left, kFlatMessageHeight);
    }
}

void Toasts::place() {
    setVisible(!m_cards.empty());
    if (m_cards.empty()) return m_ticks.stop();
    const auto stand = [&](const QRect& at) {
        if (geometry() != at) setGeometry(at);
        raise();
    };
    if (const auto strip = stripForMessages(*parentWidget())) {
        arrangeFlat(strip->width());
        return stand(*strip);
    }
    const QRect area = parentWidget()->rect().adjusted(space::k24, space::k24, -space::k24, -space::k24);
    const auto taken = controlsOf(*parentWidget(), *this);
    // Fewer at once where the page leaves no room for more.
    for (std::size_t shown = std::min(m_cards.size(), kMostShown); shown > 0; --shown)
        if (const auto free = freePlace({kToastWidth, arrange(shown)}, area, taken, space::k8))
            return stand(*free);
    stand(leastCoveringPlace({kToastWidth, arrange(1)}, area, taken));
}

}  // namespace dailies::ui
