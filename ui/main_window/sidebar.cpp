#include "ui/main_window/sidebar.h"

#include "ui/theme/icons.h"
#include "ui/widgets/message_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QPainter>
#include <QToolButton>

#include <array>

namespace dailies::ui {

namespace {

constexpr int kSidebarWidth = 184;
constexpr int kNarrowWidth = 56;  ///< icons alone
constexpr int kRoomForNames = 100;
constexpr int kIconSize = 18;

void paintBackground(QPainter& painter, const QAbstractButton& button) {
    const Palette& p = colors();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor fill = button.isChecked()    ? p.accentSoft
                        : button.isDown()     ? p.pressed
                        : button.underMouse() ? p.hover
                                              : QColor(Qt::transparent);
    painter.setPen(button.hasFocus() ? QPen(p.accent, 1) : Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(button.rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
}

QColor stateColor(ConnectionState state) {
    switch (state) {
        case ConnectionState::Offline:
            return colors().textFaint;
        case ConnectionState::Connecting:
        case ConnectionState::Reconnecting:
            return colors().warning;
        case ConnectionState::Connected:
            return colors().success;
    }
    return colors().textFaint;
}

QString stateText(ConnectionState state) {
    switch (state) {
        case ConnectionState::Offline:
            return QObject::tr("Offline");
        case ConnectionState::Connecting:
            return QObject::tr("Connecting…");
        case ConnectionState::Reconnecting:
            return QObject::tr("Reconnecting…");
        case ConnectionState::Connected:
            return QObject::tr("Connected");
    }
    return {};
}

/// The mark of Dailies: three frames of film, one of them chosen.
class Mark : public QWidget {
public:
    Mark() { setFixedSize(22, 22); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors().accent);
        painter.drawRoundedRect(QRectF(0, 0, 22, 22), 6, 6);
        for (int i = 0; i < 3; ++i) {
            QColor frame = Qt::white;
            frame.setAlphaF(i == 1 ? 1.0f : 0.5f);
            painter.setBrush(frame);
            painter.drawRoundedRect(QRectF(4.0 + 5.0 * i, 6, 4, 10), 1.2, 1.2);
        }
    }
};

}  // namespace

NavButton::NavButton(const QString& iconName, const QString& text, const QString& keyHint, QWidget* parent)
    : QAbstractButton(parent), m_icon(ui::icon(iconName)), m_keyHint(keyHint) {
    setText(text);
    setCheckable(true);
    setCursor(Qt::PointingHandCursor);
    setToolTip(QStringLiteral("%1 (%2)").arg(text, keyHint));
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
}

QSize NavButton::sizeHint() const {
    return {kNarrowWidth - 2 * space::k8, kRowHeight};
}

void NavButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBackground(painter, *this);
    const bool named = width() >= kRoomForNames;
    const QRect picture(named ? space::k8 : (width() - kIconSize) / 2, (height() - kIconSize) / 2, kIconSize,
                        kIconSize);
    m_icon.paint(&painter, picture, Qt::AlignCenter, QIcon::Normal, isChecked() ? QIcon::On : QIcon::Off);
    if (!named) return;
    painter.setPen(isChecked() || underMouse() ? colors().text : colors().textMuted);
    painter.setFont(Theme::font(isChecked() ? TextStyle::Strong : TextStyle::Body));
    const QRect rest = rect().adjusted(picture.right() + space::k12, 0, -space::k8, 0);
    painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, text());
    if (underMouse() || hasFocus()) {
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(colors().textFaint);
        painter.drawText(rest, Qt::AlignVCenter | Qt::AlignRight, m_keyHint);
    }
}

void NavButton::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void NavButton::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

ConnectionChip::ConnectionChip(QWidget* parent) : QAbstractButton(parent) {
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setConnection(ConnectionState::Offline, {});
}

void ConnectionChip::setConnection(ConnectionState state, const QString& clusterName) {
    m_state = state;
    m_name = clusterName.isEmpty() ? tr("No cluster") : clusterName;
    setAccessibleName(QStringLiteral("%1, %2").arg(m_name, stateText(state)));
    setToolTip(tr("%1: %2. Click to connect or choose another cluster.").arg(m_name, stateText(state)));
    update();
}

QSize ConnectionChip::sizeHint() const {
    return {kNarrowWidth - 2 * space::k8, 48};
}

void ConnectionChip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBackground(painter, *this);
    painter.setPen(Qt::NoPen);
    painter.setBrush(stateColor(m_state));
    if (width() < kRoomForNames) return painter.drawEllipse(QRectF(rect()).center(), 5, 5);
    painter.drawEllipse(QPointF(space::k8 + 5, 16.5), 4, 4);

    QRect line(space::k8 + space::k16 + 2, 7, width() - space::k32, 18);
    painter.setFont(Theme::font(TextStyle::Strong));
    painter.setPen(colors().text);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(painter.font()).elidedText(m_name, Qt::ElideMiddle, line.width()));
    line.translate(0, 17);
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(colors().textMuted);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, stateText(m_state));
}

void ConnectionChip::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void ConnectionChip::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

Sidebar::Sidebar(QWidget* parent)
    : QFrame(parent),
      m_brand(makeLabel(QStringLiteral("Dailies"), TextStyle::Title)),
      m_chip(new ConnectionChip) {
    setObjectName(QStringLiteral("sidebar"));
    keepClearOfMessages(*this);
    setFixedWidth(kSidebarWidth);
    auto* column = makeColumn(space::k4, {space::k12, space::k16, space::k12, space::k12});
    auto* brand = makeRow(space::k8, {space::k4, 0, 0, space::k12});
    brand->addWidget(new Mark);
    brand->addWidget(m_brand);
    brand->addStretch();
    column->addLayout(brand);

    struct Place {
        const char* icon;
        QString name;
    };
    const std::array<Place, 5> places{{{"runs", tr("Runs")},
                                       {"review", tr("Review")},
                                       {"launch", tr("Launch")},
                                       {"cluster", tr("Cluster")},
                                       {"datasets", tr("Datasets")}}};
    auto* group = new QButtonGroup(this);
    for (std::size_t i = 0; i < places.size(); ++i) {
        auto* button = new NavButton(QLatin1String(places[i].icon), places[i].name,
                                     QStringLiteral("Ctrl+%1").arg(i + 1));
        group->addButton(button);
        m_buttons.push_back(button);
        column->addWidget(button);
        connect(button, &QAbstractButton::clicked, this,
                [this, i] { emit pageChosen(static_cast<Page>(i)); });
    }
    column->addStretch();
    m_messages = makeIconButton(QStringLiteral("bell"), tr("Messages"));
    connect(m_messages, &QToolButton::clicked, this, &Sidebar::messagesRequested);
    connect(&Theme::instance(), &Theme::changed, this, &Sidebar::showMessagesIcon);
    column->addWidget(m_messages);
    m_theme = makeIconButton(QStringLiteral("sun"), tr("Switch between light and dark (Ctrl+Shift+L)"));
    const auto showThemeIcon = [this] {
        m_theme->setIcon(icon(Theme::instance().mode() == ThemeMode::Dark ? QStringLiteral("sun")
                                                                          : QStringLiteral("moon")));
    };
    showThemeIcon();
    connect(m_theme, &QToolButton::clicked, this, &Sidebar::themeToggled);
    connect(&Theme::instance(), &Theme::changed, this, showThemeIcon);
    column->addWidget(m_theme);
    column->addWidget(makeLine());
    column->addWidget(m_chip);
    setLayout(column);
    connect(m_chip, &QAbstractButton::clicked, this, &Sidebar::connectRequested);
}

void Sidebar::setUnread(int failures) {
    m_unread = failures;
    const QString text = failures == 0   ? tr("Messages")
                         : failures == 1 ? tr("Messages (1 new error)")
                                         : tr("Messages (%1 new errors)").arg(failures);
    m_messages->setToolTip(text);
    m_messages->setAccessibleName(text);
    showMessagesIcon();
}

void Sidebar::showMessagesIcon() {
    m_messages->setIcon(m_unread > 0 ? icon(QStringLiteral("bell"), colors().danger)
                                     : icon(QStringLiteral("bell")));
}

void Sidebar::setNarrow(bool narrow) {
    if (narrow == m_narrow) return;
    m_narrow = narrow;
    m_brand->setVisible(!narrow);
    setFixedWidth(narrow ? kNarrowWidth : kSidebarWidth);
    const int side = narrow ? space::k8 : space::k12;
    layout()->setContentsMargins(side, space::k16, side, space::k12);
}

void Sidebar::setPage(Page page) {
    // A run and a comparison are reached from the table, and belong to it.
    const bool navigated = static_cast<int>(page) < kSidebarPages;
    m_buttons[static_cast<std::size_t>(navigated ? page : Page::Runs)]->setChecked(true);
}

}  // namespace dailies::ui
