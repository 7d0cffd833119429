#include "ui/main_window/window_state_saver.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QMainWindow>
#include <QScreen>
#include <QSplitter>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kKeepDelayMs = 1000;
constexpr int kTitleBar = 32;  ///< that the desktop adds above the window; known only once it is shown

QList<QRect> screens() {
    QList<QRect> areas;
    for (const auto* screen : QGuiApplication::screens())
        areas << screen->availableGeometry().adjusted(0, 0, 0, -kTitleBar);
    return areas;
}

std::vector<int> columnsOf(const QHeaderView& header) {
    std::vector<int> widths;
    for (int i = 0; i < header.count(); ++i) widths.push_back(header.sectionSize(i));
    return widths;
}

}  // namespace

QRect clampToScreens(const QRect& wanted, const QList<QRect>& screens) {
    if (screens.isEmpty()) return wanted;
    const auto shared = [&](const QRect& screen) {
        const QRect both = screen.intersected(wanted);
        return both.isEmpty() ? 0 : qint64(both.width()) * both.height();
    };
    const QRect& screen = *std::ranges::max_element(screens, {}, shared);
    QRect place(wanted.topLeft(), wanted.size().boundedTo(screen.size()));
    place.moveLeft(std::clamp(place.left(), screen.left(), screen.right() - place.width() + 1));
    place.moveTop(std::clamp(place.top(), screen.top(), screen.bottom() - place.height() + 1));
    return place;
}

WindowStateSaver::WindowStateSaver(QMainWindow& window, WindowState state,
                                   std::function<void(const WindowState&)> keep)
    : m_window(window), m_state(std::move(state)), m_kept(m_state), m_keep(std::move(keep)) {
    m_later.setSingleShot(true);
    m_later.setInterval(kKeepDelayMs);
    connect(&m_later, &QTimer::timeout, this, &WindowStateSaver::keepNow);
    window.installEventFilter(this);
}

WindowStateSaver::~WindowStateSaver() {
    keepNow();
}

void WindowStateSaver::restoreWindow(const QSize& first) {
    const auto areas = screens();
    // or it could never be as small as the screen
    for (const QRect& area : areas) m_window.setMinimumSize(m_window.minimumSize().boundedTo(area.size()));
    if (m_state.place.isEmpty()) {
        const QSize size = areas.isEmpty() ? first : first.boundedTo(areas.front().size());
        m_window.resize(size);
        if (!areas.isEmpty())
            m_window.move(areas.front().center() - QPoint(size.width() / 2, size.height() / 2));
        return;
    }
    const QRect place = clampToScreens(m_state.place, areas);
    m_window.resize(place.size());
    m_window.move(place.topLeft());
    if (m_state.maximized) m_window.setWindowState(m_window.windowState() | Qt::WindowMaximized);
}

void WindowStateSaver::watch(QWidget& page) {
    const std::string name = page.metaObject()->className();
    int number = 0;
    for (auto* split : page.findChildren<QSplitter*>()) {
        const std::string key = name + "/splitter " + std::to_string(number++);
        if (const auto known = m_state.sizes.find(key);
            known != m_state.sizes.end() && static_cast<int>(known->second.size()) == split->count())
            split->setSizes(QList<int>(known->second.begin(), known->second.end()));
        connect(split, &QSplitter::splitterMoved, this, [this, split, key] {
            const auto sizes = split->sizes();
            m_state.sizes[key] = {sizes.begin(), sizes.end()};
            changed();
        });
    }
    number = 0;
    for (auto* table : page.findChildren<QTableView*>()) {
        const std::string key = name + "/columns " + std::to_string(number++);
        auto* header = table->horizontalHeader();
        if (const auto known = m_state.sizes.find(key);
            known != m_state.sizes.end() && static_cast<int>(known->second.size()) == header->count())
            for (int i = 0; i < header->count(); ++i)
                if (header->sectionResizeMode(i) == QHeaderView::Interactive)
                    header->resizeSection(i, known->second[static_cast<std::size_t>(i)]);
        connect(header, &QHeaderView::sectionResized, this, [this, header, key] {
            if (!(QApplication::mouseButtons() & Qt::LeftButton)) return;  // the table fits itself
            m_state.sizes[key] = columnsOf(*header);
            changed();
        });
    }
}

void WindowStateSaver::setPage(Page page) {
    m_state.page = page;
    changed();
}

std::vector<int> WindowStateSaver::sizesOf(const std::string& name) const {
    const auto known = m_state.sizes.find(name);
    return known == m_state.sizes.end() ? std::vector<int>() : known->second;
}

void WindowStateSaver::setSizes(const std::string& name, std::vector<int> sizes) {
    m_state.sizes[name] = std::move(sizes);
    changed();
}

bool WindowStateSaver::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Move:
        case QEvent::Resize:
        case QEvent::WindowStateChange:
            readPlace();
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

void WindowStateSaver::readPlace() {
    if (!m_window.isVisible() || m_window.isMinimized()) return;
    m_state.maximized = m_window.isMaximized() || m_window.isFullScreen();
    if (!m_state.maximized) m_state.place = {m_window.pos(), m_window.size()};
    changed();
}

void WindowStateSaver::changed() {
    m_later.start();
}

void WindowStateSaver::keepNow() {
    m_later.stop();
    if (m_state == m_kept) return;
    m_kept = m_state;
    m_keep(m_state);
}

}  // namespace dailies::ui
