#include "ui/run_details/log_view.h"

#include "core/base/text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr std::int64_t kAround = 300;         ///< rows read beyond those in sight
constexpr std::int64_t kMaxCopied = 200'000;  ///< rows: more is no clipboard's business

bool contains(const QString& text, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) {
        return text.contains(QLatin1String(word), Qt::CaseInsensitive);
    });
}

}  // namespace

LogView::LogView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Log"));
    viewport()->setCursor(Qt::IBeamCursor);
    setFont(Theme::font(TextStyle::Mono));
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

// -- reading

void LogView::setFile(const std::filesystem::path& file) {
    if (file == m_file) return refresh();
    m_indexTask.cancel();
    m_windowTask.cancel();
    m_findTask.cancel();
    m_indexing = m_readingWindow = m_finding = m_refreshAgain = false;
    m_file = file;
    m_index.reset();
    m_windowIndex.reset();
    m_window.clear();
    m_matches.clear();
    m_failures.clear();
    m_matchesSeen = m_failuresSeen = 0;
    m_cursor = m_anchor = -1;
    updateBars();
    viewport()->update();
    refresh();
}

void LogView::refresh() {
    if (m_file.empty()) return;
    if (m_indexing) {
        m_refreshAgain = true;
        return;
    }
    m_indexing = true;
    m_indexTask = runAsync(
        this,
        [file = m_file, previous = m_index](const std::stop_token& stop) {
            return indexLog(file, previous, stop);
        },
        [this](LogIndexPtr index) {
            m_indexing = false;
            accept(std::move(index));
            if (std::exchange(m_refreshAgain, false)) refresh();
        },
        [this](const Error& error) {
            m_indexing = false;
            emit failed(error);
        });
}

void LogView::accept(LogIndexPtr index) {
    if (index == m_index) return;
    if (m_index && index->complete < m_index->complete) {  // begun anew
        m_matches.clear();
        m_failures.clear();
        m_matchesSeen = m_failuresSeen = 0;
        m_cursor = m_anchor = -1;
    }
    m_index = std::move(index);
    updateBars();
    if (m_following) {
        m_moving = true;
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
        m_moving = false;
    }
    readWindow();
    find();
    emit changed();
}

void LogView::readWindow() {
    if (m_readingWindow || !m_index) return;
    const std::int64_t top = topRow(), bottom = std::min(top + visibleRows() + 1, rows());
    const bool covered =
        m_windowFirst <= top && m_windowFirst + static_cast<std::int64_t>(m_window.size()) >= bottom;
    // Rows that were complete stay as they were, however the file grows.
    const bool fresh = m_windowIndex == m_index || (m_windowIndex && bottom <= m_windowIndex->complete);
    if (covered && fresh) return;
    m_readingWindow = true;
    m_windowTask = runAsync(
        this,
        [index = m_index, first = std::max<std::int64_t>(0, top - kAround),
         count = visibleRows() + 2 * kAround](const std::stop_token&) {
            std::vector<ShownRow> shown;
            for (LogRow& row : readRows(*index, first, count)) {
                ShownRow& made = shown.emplace_back();
                made.text =
                    QString::fromStdString(row.text).replace(QLatin1Char('\t'), QLatin1String("    "));
                made.line = row.line;
                made.begins = row.begins;
                made.isContinuation = row.isContinuation;
                if (contains(made.text,
                             {"error", "traceback", "exception", "fatal", "out of memory", "oom-kill"}))
                    made.tone = Tone::Failure;
                else if (contains(made.text, {"warn"}))
                    made.tone = Tone::Warning;
            }
            return std::tuple(index, first, std::move(shown));
        },
        [this](auto read) {
            m_readingWindow = false;
            std::tie(m_windowIndex, m_windowFirst, m_window) = std::move(read);
            updateBars();
            if (m_following && m_wrapping) {  // only now are the heights of the last rows known
                m_moving = true;
                verticalScrollBar()->setValue(verticalScrollBar()->maximum());
                m_moving = false;
            }
            viewport()->update();
            readWindow();
        },
        [this](const Error& error) {
            m_readingWindow = false;
            emit failed(error);
        });
}

void LogView::find() {
    if (m_finding || !m_index || (m_matchesSeen >= m_index->rows && m_failuresSeen >= m_index->rows)) return;
    m_finding = true;
    m_findTask = runAsync(
        this,
        [index = m_index, needle = m_needle.toStdString(), matchesFrom = m_matchesSeen,
         failuresFrom = m_failuresSeen](const std::stop_token& stop) {
            std::vector<std::int64_t> matches, failures;
            if (!needle.empty()) matches = findRows(*index, {needle}, matchesFrom, stop);
            if (failuresFrom < index->rows) failures = findRows(*index, failureWords(), failuresFrom, stop);
            return std::tuple(index, std::move(matches), std::move(failures));
        },
        [this](auto found) {
            m_finding = false;
            auto& [index, matches, failures] = found;
            // The unfinished row is looked at again when it is whole.
            const auto add = [&](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& rows,
                                 std::int64_t& seen) {
                for (const std::int64_t row : rows)
                    if (to.empty() || row > to.back()) to.push_back(row);
                seen = index == m_index ? index->rows : index->complete;
            };
            add(m_matches, matches, m_matchesSeen);
            add(m_failures, failures, m_failuresSeen);
            viewport()->update();
            emit changed();
            find();
        },
        [this](const Error& error) {
            m_finding = false;
            emit failed(error);
        });
}

void LogView::search(const QString& text) {
    if (text == m_needle) return;
    m_needle = text;
    m_matches.clear();
    m_matchesSeen = 0;
    m_findTask.cancel();
    m_finding = false;
    find();
    viewport()->update();
    emit changed();
}

bool LogView::isSettled() const {
    return !m_indexing && !m_readingWindow && !m_finding;
}

// -- moving

void LogView::setFollowing(bool on) {
    if (m_following == on) return;
    m_following = on;
    if (on) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    emit changed();
}

void LogView::setEmptyText(const QString& text) {
    if (text == m_emptyText) return;
    m_emptyText = text;
    viewport()->update();
}

void LogView::setWrapping(bool on) {
    m_wrapping = on;
    updateBars();
    viewport()->update();
}

std::int64_t LogView::topRow() const {
    return verticalScrollBar()->value();
}

std::int64_t LogView::visibleRows() const {
    return std::max(1, viewport()->height() / lineHeight());
}

int LogView::lineHeight() const {
    return fontMetrics().height() + 3;
}

int LogView::gutter() const {
    const auto digits = QString::number(std::max<std::int64_t>(lines(), 999)).size();
    return static_cast<int>(digits) * fontMetrics().horizontalAdvance(QLatin1Char('0')) + space::k24;
}

int LogView::columns() const {
    const int room = viewport()->width() - gutter() - space::k12;
    // Whole pixels a character would be out by dozens of characters at the end of a long row.
    const double wide = QFontMetricsF(font()).horizontalAdvance(QLatin1Char('0'));
    return std::max(20, static_cast<int>(room / std::max(1.0, wide)));
}

const LogView::ShownRow* LogView::shownRow(std::int64_t row) const {
    const std::int64_t at = row - m_windowFirst;
    return at >= 0 && at < static_cast<std::int64_t>(m_window.size())
               ? &m_window[static_cast<std::size_t>(at)]
               : nullptr;
}

int LogView::heightOf(std::int64_t row) const {
    const ShownRow* shown = m_wrapping ? shownRow(row) : nullptr;
    const auto length = shown ? static_cast<int>(shown->text.size()) : 0;
    return lineHeight() * std::max(1, (length + columns() - 1) / columns());
}

std::int64_t LogView::rowAt(int y) const {
    std::int64_t row = topRow();
    for (int bottom = heightOf(row); bottom <= y && row + 1 < rows(); bottom += heightOf(row)) ++row;
    return std::min(row, rows() - 1);
}

void LogView::updateBars() {
    const std::int64_t all = rows();
    std::int64_t last = std::max<std::int64_t>(0, all - visibleRows());
    if (m_wrapping && all > 0) {
        // The greatest top from which the end of the log is in sight.
        last = all;
        for (int room = viewport()->height(); last > 0 && room >= heightOf(last - 1); --last)
            room -= heightOf(last - 1);
        last = std::min(last, all - 1);
    }
    const bool atEnd = m_following;
    m_moving = true;
    verticalScrollBar()->setRange(0, static_cast<int>(last));
    verticalScrollBar()->setPageStep(static_cast<int>(visibleRows()));
    if (atEnd) verticalScrollBar()->setValue(static_cast<int>(last));
    m_moving = false;

    const auto longest = std::max_element(m_window.begin(), m_window.end(), [](const auto& a, const auto& b) {
        return a.text.size() < b.text.size();
    });
    const int widest = longest == m_window.end() ? 0 : fontMetrics().horizontalAdvance(longest->text);
    const int needed = widest + gutter() + space::k24;
    horizontalScrollBar()->setRange(0, m_wrapping ? 0 : std::max(0, needed - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(space::k32);
}

void LogView::scrollContentsBy(int, int) {
    if (!m_moving) {
        const bool end = verticalScrollBar()->value() == verticalScrollBar()->maximum();
        if (m_following && !end) setFollowing(false);
    }
    readWindow();
    viewport()->update();
}

void LogView::wheelEvent(QWheelEvent* event) {
    QAbstractScrollArea::wheelEvent(event);
    event->accept();  // the page behind must not move when the log has come to its end
}

void LogView::resizeEvent(QResizeEvent*) {
    updateBars();
    readWindow();
}

void LogView::goToRow(std::int64_t row) {
    m_cursor = m_anchor = std::clamp<std::int64_t>(row, 0, std::max<std::int64_t>(rows() - 1, 0));
    setFollowing(false);
    if (m_cursor < topRow() || m_cursor >= topRow() + visibleRows() - 1)
        verticalScrollBar()->setValue(
            static_cast<int>(std::max<std::int64_t>(0, m_cursor - visibleRows() / 3)));
    viewport()->update();
    emit changed();
}

void LogView::goTo(const std::vector<std::int64_t>& found, int direction) {
    if (found.empty()) return;
    const std::int64_t from = m_cursor >= 0   ? m_cursor
                              : direction > 0 ? topRow() - 1
                                              : topRow() + visibleRows();
    if (direction > 0) {
        const auto next = std::upper_bound(found.begin(), found.end(), from);
        goToRow(next == found.end() ? found.front() : *next);
    } else {
        const auto here = std::lower_bound(found.begin(), found.end(), from);
        goToRow(here == found.begin() ? found.back() : *std::prev(here));
    }
}

void LogView::goToMatch(int direction) {
    goTo(m_matches, direction);
}

void LogView::goToFailure(int direction) {
    goTo(m_failures, direction);
}

std::int64_t LogView::currentMatch() const {
    const auto at = std::lower_bound(m_matches.begin(), m_matches.end(), m_cursor);
    return at != m_matches.end() && *at == m_cursor ? at - m_matches.begin() + 1 : 0;
}

std::vector<QString> LogView::shownRows() const {
    std::vector<QString> texts;
    for (std::int64_t row = topRow(); row < std::min(topRow() + visibleRows(), rows()); ++row)
        texts.push_back(shownRow(row) ? shownRow(row)->text : QString());
    return texts;
}

// -- painting

std::vector<std::pair<qsizetype, qsizetype>> LogView::hitsIn(std::int64_t row) const {
    std::vector<std::pair<qsizetype, qsizetype>> hits;
    if (m_needle.isEmpty()) return hits;
    const ShownRow* shown = shownRow(row);
    // A hit may begin in the piece before or end in the one behind.
    const ShownRow* before = shown->isContinuation ? shownRow(row - 1) : nullptr;
    const ShownRow* behind = shownRow(row + 1);
    const auto reach = m_needle.size() - 1;
    const QString lead = before ? before->text.right(reach) : QString();
    const QString text =
        lead + shown->text + (behind && behind->isContinuation ? behind->text.left(reach) : QString());
    for (qsizetype at = text.indexOf(m_needle, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(m_needle, at + m_needle.size(), Qt::CaseInsensitive))
        hits.emplace_back(at - lead.size(), at - lead.size() + m_needle.size());
    return hits;
}

void LogView::paintEvent(QPaintEvent*) {
    const Palette& p = colors();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), p.surface);
    if (rows() == 0) {
        painter.setFont(Theme::font(TextStyle::Body));
        painter.setPen(p.textMuted);
        painter.drawText(viewport()->rect().adjusted(space::k24, 0, -space::k24, 0),
                         Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    painter.setFont(font());
    const int left = gutter(), line = lineHeight(), shift = horizontalScrollBar()->value();
    const int ascent = painter.fontMetrics().ascent() + 1;
    const int perLine = m_wrapping ? columns() : static_cast<int>(LogIndex::kRowBytes) + 1;
    const auto [selectedFrom, selectedTo] = std::minmax(m_anchor, m_cursor);

    int y = 0;
    for (std::int64_t row = topRow(); row < rows() && y < viewport()->height(); ++row) {
        const ShownRow* shown = shownRow(row);
        const int height = heightOf(row);
        const bool current = row == m_cursor;
        if (row >= selectedFrom && row <= selectedTo && selectedFrom >= 0)
            painter.fillRect(0, y, viewport()->width(), height, p.accentSoft);
        if (shown) {
            const QColor color = shown->tone == Tone::Failure   ? p.danger
                                 : shown->tone == Tone::Warning ? p.warning
                                                                : p.text;
            painter.setClipRect(left, y, viewport()->width() - left, height);
            const auto hits = hitsIn(row);
            QColor mark = p.warning;
            mark.setAlphaF(current ? 0.55f : 0.28f);
            for (int at = 0, top = y; at == 0 || at < shown->text.size(); at += perLine, top += line) {
                const QString piece = shown->text.mid(at, perLine);
                for (const auto& [begin, end] : hits) {
                    const auto from = std::max<qsizetype>(begin - at, 0);
                    const auto to = std::min(end - at, piece.size());
                    if (from >= to) continue;
                    const int x = painter.fontMetrics().horizontalAdvance(piece.left(from));
                    const int wide = painter.fontMetrics().horizontalAdvance(piece.mid(from, to - from));
                    painter.fillRect(left - shift + x, top + 1, wide, line - 2, mark);
                }
                painter.setPen(color);
                painter.drawText(left - shift, top + ascent, piece);
            }
            painter.setClipping(false);
            painter.setPen(current ? p.text : p.textFaint);
            painter.drawText(QRect(0, y, left - space::k12, line), Qt::AlignRight | Qt::AlignVCenter,
                             shown->begins ? QString::number(shown->line) : QStringLiteral("·"));
        }
        y += height;
    }
}

// -- selection and keys

void LogView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || rows() == 0) return;
    m_cursor = rowAt(event->position().toPoint().y());
    if (!(event->modifiers() & Qt::ShiftModifier) || m_anchor < 0) m_anchor = m_cursor;
    viewport()->update();
    emit changed();
}

void LogView::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) || rows() == 0) return;
    const int y = event->position().toPoint().y();
    if (y < 0 || y > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + (y < 0 ? -3 : 3));
    m_cursor = rowAt(std::clamp(y, 0, viewport()->height() - 1));
    viewport()->update();
}

void LogView::selectAll() {
    m_anchor = 0;
    m_cursor = rows() - 1;
    viewport()->update();
}

void LogView::copySelection() {
    if (m_cursor < 0 || m_anchor < 0 || !m_index) return;
    const auto [from, to] = std::minmax(m_anchor, m_cursor);
    runAsync(
        this,
        [index = m_index, first = from, count = std::min(to - from + 1, kMaxCopied)](const std::stop_token&) {
            std::string text;
            const auto rows = readRows(*index, first, count);
            for (const LogRow& row : rows) {
                // Pieces of one long line are one line again.
                if (&row != &rows.front() && !row.isContinuation) text += '\n';
                text += row.text;
            }
            return QString::fromStdString(text);
        },
        [](const QString& text) { QApplication::clipboard()->setText(text); },
        [this](const Error& error) { emit failed(error); });
}

void LogView::keyPressEvent(QKeyEvent* event) {
    const bool control = event->modifiers() & Qt::ControlModifier;
    QScrollBar* bar = verticalScrollBar();
    if (event->matches(QKeySequence::Copy)) return copySelection();
    if (event->matches(QKeySequence::SelectAll)) return selectAll();
    switch (event->key()) {
        case Qt::Key_Home:
            setFollowing(false);
            return bar->setValue(0);
        case Qt::Key_End:
            return setFollowing(true);
        case Qt::Key_N:
            return goToMatch(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        case Qt::Key_E:
            return control ? event->ignore() : goToFailure(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (event->modifiers() & Qt::AltModifier) return event->ignore();
            break;
        default:
            break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void LogView::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    auto* copyAction = menu->addAction(icon(QStringLiteral("copy")), tr("Copy lines"));
    copyAction->setEnabled(m_cursor >= 0);
    connect(copyAction, &QAction::triggered, this, &LogView::copySelection);
    connect(menu->addAction(tr("Select all")), &QAction::triggered, this, &LogView::selectAll);
    menu->popup(event->globalPos());
}

}  // namespace dailies::ui
