#include "ui/main_window/toasts.h"

#include "ui/cluster/alerts_panel.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGraphicsDropShadowEffect>
#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace dailies::ui {

namespace {
constexpr int kWidth = 360;
constexpr int kMost = 4;
constexpr int kNewsMs = 5000;
constexpr int kLongNewsMs = 12000;  ///< time to read them and to go there
}  // namespace

Toasts::Toasts(QWidget* window) : QWidget(window), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::k8);
    setFixedWidth(kWidth);
    window->installEventFilter(this);
    hide();
}

Toasts::Kind Toasts::notificationKind(bool hasActions) {
    return {QStringLiteral("done"), colors().success, false, hasActions ? kLongNewsMs : kNewsMs};
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
    add({QStringLiteral("error"), colors().danger, true}, sanitized(error.what()), sanitized(error.remedy()),
        {});
}

void Toasts::showAlert(const alerts::Alert& alert) {
    const StatusTone tone = toneOf(alert.kind);
    const QString iconName = tone == StatusTone::Good      ? QStringLiteral("done")
                             : tone == StatusTone::Warning ? QStringLiteral("warning")
                                                           : QStringLiteral("error");
    const int milliseconds = alerts::needsAttention(alert.kind) ? kLongNewsMs : kNewsMs;
    add({iconName, toneColor(tone), false, milliseconds}, sanitized(alert.title), sanitized(alert.text), {});
}

void Toasts::add(const Kind& kind, const QString& title, const QString& text,
                 const std::vector<Action>& actions) {
    const QString name = text.isEmpty() ? title : QStringLiteral("%1\n%2").arg(title, text);
    for (int i = 0; i < m_column->count(); ++i) {
        if (m_column->itemAt(i)->widget()->accessibleName() == name) {
            return;
        }
    }
    while (m_column->count() >= kMost) {
        delete m_column->itemAt(0)->widget();
    }
    auto* card = makeCard(this);
    card->setObjectName(QStringLiteral("toast"));
    card->setAccessibleName(name);
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
    auto* what = makeLabel(title, kind.failure ? TextStyle::Strong : TextStyle::Body);
    what->setWordWrap(true);
    words->addWidget(what);
    if (!text.isEmpty()) {
        auto* remedy = makeLabel(text, TextStyle::Body, TextTone::Muted);
        remedy->setWordWrap(true);
        remedy->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->addWidget(remedy);
    }
    row->addLayout(words, 1);
    auto* close = makeIconButton(QStringLiteral("close"), tr("Dismiss"));
    close->setFixedSize(space::k24, space::k24);
    row->addWidget(close, 0, Qt::AlignTop);
    card->setLayout(row);
    m_column->addWidget(card);

    const auto remove = [this, card] {
        m_column->removeWidget(card);
        card->hide();
        card->deleteLater();
        place();
    };
    if (!actions.empty()) {
        auto* buttons = makeRow(space::k8, {0, space::k4, 0, 0});
        for (const Action& action : actions) {
            auto* button = makeButton(action.text);
            buttons->addWidget(button);
            connect(button, &QPushButton::clicked, card, [remove, run = action.run] {
                remove();
                run();
            });
        }
        buttons->addStretch();
        words->addLayout(buttons);
    }
    connect(close, &QToolButton::clicked, card, remove);
    if (!kind.failure) {
        QTimer::singleShot(kind.milliseconds, card, remove);
    }
    place();
}

bool Toasts::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        place();
    }
    return QWidget::eventFilter(watched, event);
}

void Toasts::place() {
    setVisible(m_column->count() > 0);
    if (m_column->count() == 0) {
        return;
    }
    // Wrapped labels know their height only for a width.
    const int height =
        m_column->hasHeightForWidth() ? m_column->totalHeightForWidth(kWidth) : sizeHint().height();
    const QSize window = parentWidget()->size();
    setGeometry(window.width() - kWidth - space::k24, window.height() - height - space::k24, kWidth, height);
    raise();
}

}  // namespace dailies::ui
