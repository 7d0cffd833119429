#include "ui/charts/chart_card.h"

#include "core/base/error.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_export_dialog.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QBuffer>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

namespace dailies::ui {

namespace {

constexpr double kPictureScale = 2;
constexpr int kDragSlack = 8;

}  // namespace

ChartCard::ChartCard(std::string id, const QString& title, ChartPanel* panel, QWidget* parent)
    : QFrame(parent),
      m_id(std::move(id)),
      m_title(title),
      m_panel(panel),
      m_header(new QWidget),
      m_notice(new QToolButton),
      m_maximise(makeIconButton(QStringLiteral("maximize"), tr("Maximise (F)"))),
      m_more(makeIconButton(QStringLiteral("more"), tr("Menu of this chart (M)"))) {
    setProperty("card", true);
    setFocusPolicy(Qt::NoFocus);
    setFocusProxy(panel);
    setAccessibleName(title);

    auto* name = new ElidedLabel(TextStyle::Strong);
    name->setFullText(title);
    m_notice->setAutoRaise(true);
    m_notice->setFont(Theme::font(TextStyle::Caption));
    m_notice->hide();
    for (auto* button : {m_maximise, m_more}) {
        button->setFixedSize(24, 24);
        button->setIconSize({14, 14});
    }
    auto* row = makeRow(space::k4, {space::k12, 0, space::k4, 0});
    row->addWidget(name, 1);
    row->addWidget(m_notice);
    row->addWidget(m_maximise);
    row->addWidget(m_more);
    m_header->setLayout(row);
    m_header->setFixedHeight(30);
    m_header->setCursor(Qt::OpenHandCursor);
    m_header->setToolTip(panel->whatsThis());
    m_header->installEventFilter(this);
    name->setAttribute(Qt::WA_TransparentForMouseEvents);

    auto* column = makeColumn(0, {0, space::k4, 0, space::k4});
    column->addWidget(m_header);
    column->addWidget(m_panel, 1);
    setLayout(column);

    connect(m_maximise, &QToolButton::clicked, this, &ChartCard::maximizeToggled);
    connect(m_more, &QToolButton::clicked, this, &ChartCard::openMenu);
    connect(m_notice, &QToolButton::clicked, m_panel, [this] { m_panel->noticeClicked(); });
    connect(m_panel, &ChartPanel::failed, this, &ChartCard::failed);
    connect(m_panel, &ChartPanel::noticeChanged, this, [this](const QString& text, const QString& action) {
        m_notice->setText(text);
        m_notice->setToolTip(action);
        m_notice->setEnabled(!action.isEmpty());
        m_notice->setAccessibleName(text + QStringLiteral(". ") + action);
        m_notice->setVisible(!text.isEmpty());
    });
}

void ChartCard::setMaximized(bool on) {
    m_maximise->setIcon(icon(on ? QStringLiteral("minimize") : QStringLiteral("maximize")));
    m_maximise->setToolTip(on ? tr("Back to the grid (Esc)") : tr("Maximise (F)"));
    m_maximise->setAccessibleName(m_maximise->toolTip());
}

QSize ChartCard::pictureSize(bool labels) const {
    return labels ? size() : m_panel->size();
}

void ChartCard::paintPicture(QPainter& painter, bool labels) const {
    painter.fillRect(QRect(QPoint(), pictureSize(labels)), colors().surface);
    if (labels) {
        painter.setFont(Theme::font(TextStyle::Strong));
        painter.setPen(colors().text);
        painter.drawText(QRect(space::k12, 0, width() - 2 * space::k12, m_panel->y()), Qt::AlignVCenter,
                         m_title);
    }
    // The panel is not const to Qt, though painting changes nothing of it.
    m_panel->render(&painter, labels ? m_panel->pos() : QPoint());
}

QImage ChartCard::image(bool labels) const {
    QImage picture(pictureSize(labels) * kPictureScale, QImage::Format_RGB32);
    picture.setDevicePixelRatio(kPictureScale);
    QPainter painter(&picture);
    paintPicture(painter, labels);
    return picture;
}

void ChartCard::copyPicture() {
    QApplication::clipboard()->setImage(image(true));
}

ChartPanel::Exporter ChartCard::exporter(const ChartPanel::FileOptions& options) const {
    if (auto work = m_panel->exporter(options)) return work;
    QByteArray bytes;
    const auto paint = [&](QPainter& painter) { paintPicture(painter, options.labels); };
    switch (options.format) {
        case ChartPanel::Format::Png: {
            QBuffer buffer(&bytes);
            buffer.open(QIODevice::WriteOnly);
            image(options.labels).save(&buffer, "PNG");
            break;
        }
        case ChartPanel::Format::Svg:
            bytes = svgOf(m_title, pictureSize(options.labels), paint);
            break;
        case ChartPanel::Format::Pdf:
            bytes = pdfOf(m_title, pictureSize(options.labels), paint);
            break;
        case ChartPanel::Format::Csv:
            bytes = QByteArray::fromStdString(m_panel->toCsv());
            break;
    }
    return [bytes](const std::filesystem::path& target, std::stop_token) { saveBytes(target, bytes); };
}

void ChartCard::openExportDialog() {
    auto* dialog = new ChartExportDialog(
        m_title, m_panel->hasMorePoints(),
        [this](const ChartPanel::FileOptions& options) { return exporter(options); }, this);
    m_export = dialog;
    connect(dialog, &ChartExportDialog::exported, this, &ChartCard::exported);
    dialog->open();
}

void ChartCard::openMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_panel->fillMenu(*menu);
    if (!menu->isEmpty()) {
        menu->addSeparator();
    }
    const auto add = [&](const char* iconName, const QString& text, const QKeySequence& keys, auto call) {
        auto* action = menu->addAction(icon(QLatin1String(iconName)), text, this, call);
        action->setShortcut(keys);
    };
    add("copy", tr("&Copy picture"), QKeySequence::Copy, [this] { copyPicture(); });
    add("save", tr("&Export…"), QKeySequence::Save, [this] { openExportDialog(); });
    menu->addSeparator();
    add("maximize", tr("&Maximise"), QKeySequence(Qt::Key_F), [this] { emit maximizeToggled(); });
    add("chevron-left", tr("Move &earlier"), QKeySequence(Qt::ALT | Qt::Key_Left),
        [this] { emit moved(-1); });
    add("chevron-right", tr("Move &later"), QKeySequence(Qt::ALT | Qt::Key_Right), [this] { emit moved(1); });
    add("trash", tr("&Remove from the grid"), QKeySequence(Qt::Key_Delete), [this] { emit removed(); });
    menu->popup(m_more->mapToGlobal(QPoint(0, m_more->height())));
}

bool ChartCard::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        // Ours while a chart has the focus, whatever the page does with these keys (Del archives runs there).
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool plain = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
        const bool arrow = key->key() >= Qt::Key_Left && key->key() <= Qt::Key_Down;
        if (key->matches(QKeySequence::Copy) || key->matches(QKeySequence::Save) ||
            (arrow && !(key->modifiers() & Qt::ControlModifier)) ||
            (plain && (key->key() == Qt::Key_F || key->key() == Qt::Key_M || key->key() == Qt::Key_Delete ||
                       key->key() == Qt::Key_0))) {
            event->accept();
            return true;
        }
    }
    return QFrame::event(event);
}

void ChartCard::contextMenuEvent(QContextMenuEvent*) {
    openMenu();
}

void ChartCard::keyPressEvent(QKeyEvent* event) {
    const bool alt = event->modifiers() & Qt::AltModifier;
    if (event->matches(QKeySequence::Copy)) {
        copyPicture();
    } else if (event->matches(QKeySequence::Save)) {
        openExportDialog();
    } else if (event->key() == Qt::Key_F && !event->modifiers()) {
        emit maximizeToggled();
    } else if (event->key() == Qt::Key_M || event->key() == Qt::Key_Menu) {
        openMenu();
    } else if (event->key() == Qt::Key_Delete) {
        emit removed();
    } else if (alt && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        emit moved(event->key() == Qt::Key_Left ? -1 : 1);
    } else if (alt && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        emit moved(event->key() == Qt::Key_Up ? -kRowOfCards : kRowOfCards);
    } else {
        QFrame::keyPressEvent(event);
    }
}

bool ChartCard::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_header) {
        return QFrame::eventFilter(watched, event);
    }
    switch (event->type()) {
        case QEvent::MouseButtonDblClick:
            m_pressed.reset();
            emit maximizeToggled();
            return true;
        case QEvent::MouseButtonPress:
            if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) {
                m_pressed = static_cast<QMouseEvent*>(event)->globalPosition().toPoint();
            }
            break;
        case QEvent::MouseMove: {
            const QPoint at = static_cast<QMouseEvent*>(event)->globalPosition().toPoint();
            m_dragging = m_dragging || (m_pressed && (at - *m_pressed).manhattanLength() > kDragSlack);
            if (m_dragging) {
                m_header->setCursor(Qt::ClosedHandCursor);
                emit dragged(at);
            }
            break;
        }
        case QEvent::MouseButtonRelease:
            m_pressed.reset();
            m_header->setCursor(Qt::OpenHandCursor);
            if (std::exchange(m_dragging, false)) {
                emit dropped(static_cast<QMouseEvent*>(event)->globalPosition().toPoint());
            }
            break;
        default:
            break;
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace dailies::ui
