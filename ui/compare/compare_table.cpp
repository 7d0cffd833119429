#include "ui/compare/compare_table.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace dailies::ui {

namespace {

using compare::Line;

constexpr int kSectionHeight = 44;
constexpr int kGroupHeight = 28;
constexpr int kRowLine = 30;
constexpr int kMaxShown = 400;  ///< characters of a value that are worth laying out in a cell

int heightOf(Line::Kind kind) {
    return kind == Line::Kind::Section ? kSectionHeight : kind == Line::Kind::Group ? kGroupHeight : kRowLine;
}

/// One line of a value: a cell is not the place for a value's line breaks.
QString cellText(const std::string& text) {
    return sanitized(text.substr(0, kMaxShown)).replace(QLatin1Char('\n'), QChar(0x21b5));
}

}  // namespace

CompareTable::CompareTable(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("Comparison"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void CompareTable::setComparison(std::shared_ptr<const compare::Comparison> comparison,
                                 const compare::LineFilter& filter) {
    m_comparison = std::move(comparison);
    m_lines = linesOf(*m_comparison, filter);
    m_tops.assign(1, 0);
    for (const Line& line : m_lines) m_tops.push_back(m_tops.back() + heightOf(line.kind));
    setFixedHeight(std::max(1, m_tops.back() + space::k8));
    update();
}

void CompareTable::setColumns(const CompareColumns& columns) {
    m_columns = columns;
    update();
}

void CompareTable::setCurrent(int column) {
    m_current = column;
    update();
}

std::vector<int> CompareTable::sectionTops() const {
    std::vector<int> tops;
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        if (m_lines[i].kind == Line::Kind::Section) tops.push_back(m_tops[i]);
    return tops;
}

int CompareTable::lineAt(int y) const {
    const auto after = std::upper_bound(m_tops.begin(), m_tops.end(), y);
    const int line = static_cast<int>(after - m_tops.begin()) - 1;
    return line < static_cast<int>(m_lines.size()) ? line : -1;
}

/// The columns may be ahead of the comparison, which a worker makes.
int CompareTable::columnAt(int x) const {
    const int column = m_columns.at(x);
    return m_comparison && column < static_cast<int>(m_comparison->names.size()) ? column : -1;
}

QRect CompareTable::lineRect(int line) const {
    const auto i = static_cast<std::size_t>(line);
    return {0, m_tops[i], width(), m_tops[i + 1] - m_tops[i]};
}

void CompareTable::paintEvent(QPaintEvent* event) {
    const Palette& p = colors();
    QPainter painter(this);
    painter.fillRect(event->rect(), p.surface);
    if (m_lines.empty()) return;
    const int first = std::max(lineAt(std::max(event->rect().top(), 0)), 0);
    for (int i = first; i < static_cast<int>(m_lines.size()); ++i) {
        const QRect area = lineRect(i);
        if (area.top() > event->rect().bottom()) break;
        const Line& line = m_lines[static_cast<std::size_t>(i)];
        switch (line.kind) {
            case Line::Kind::Section:
                painter.fillRect(area, p.window);
                painter.setFont(Theme::font(TextStyle::Title));
                painter.setPen(p.text);
                painter.drawText(area.adjusted(space::k16, space::k8, 0, 0), Qt::AlignVCenter,
                                 sanitized(line.section->title));
                break;
            case Line::Kind::Group:
                painter.setFont(Theme::font(TextStyle::Caption));
                painter.setPen(p.textFaint);
                painter.drawText(area.adjusted(space::k16, space::k4, 0, 0), Qt::AlignVCenter,
                                 cellText(line.group->title));
                break;
            case Line::Kind::Row:
                if (i == m_hovered) painter.fillRect(area, p.hover);
                paintRow(painter, area, *line.row, line.section->kind != compare::SectionKind::Environment);
                break;
        }
        painter.setPen(p.border);
        painter.drawLine(0, area.bottom(), width(), area.bottom());
    }
    const int left = m_columns.left(m_current);
    if (left + m_columns.width > CompareColumns::kKeyWidth && m_columns.count > 1) {
        QColor line = p.accent;
        line.setAlphaF(0.35f);
        painter.setClipRect(CompareColumns::kKeyWidth, 0, width(), height());
        painter.fillRect(left, event->rect().top(), 1, event->rect().height(), line);
        painter.fillRect(left + m_columns.width - 1, event->rect().top(), 1, event->rect().height(), line);
    }
}

void CompareTable::paintRow(QPainter& painter, const QRect& area, const compare::Row& row, bool mono) const {
    const Palette& p = colors();
    painter.save();
    painter.setClipRect(
        QRect(CompareColumns::kKeyWidth, area.top(), width() - CompareColumns::kKeyWidth, area.height()));
    for (int column = 0; column < static_cast<int>(row.cells.size()); ++column) {
        const QRect cell = m_columns.rect(column, area.top(), area.height());
        if (cell.right() < CompareColumns::kKeyWidth || cell.left() > width()) continue;
        const auto& value = row.cells[static_cast<std::size_t>(column)];
        if (value.differs) {
            QColor tint = p.warning;
            tint.setAlphaF(0.10f);
            painter.fillRect(cell.adjusted(0, 0, -1, -1), tint);
        } else if (column == static_cast<int>(m_comparison->reference)) {
            QColor tint = p.accentSoft;
            tint.setAlphaF(0.6f);
            painter.fillRect(cell.adjusted(0, 0, -1, -1), tint);
        }
        paintCell(painter, cell.adjusted(space::k12, 0, -space::k8, 0), value, mono);
    }
    painter.restore();

    painter.setFont(Theme::font(TextStyle::Body));
    painter.setPen(row.differs ? p.text : p.textMuted);
    QRect name = area.adjusted(space::k16, 0, 0, 0);
    name.setRight(CompareColumns::kKeyWidth - space::k12);
    if (!row.unit.empty()) {
        const QString unit = cellText(row.unit);
        painter.save();
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(p.textFaint);
        painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter, unit);
        name.setRight(name.right() - painter.fontMetrics().horizontalAdvance(unit) - space::k8);
        painter.restore();
    }
    drawElided(painter, name, Qt::AlignLeft | Qt::AlignVCenter, cellText(row.name));
    painter.setPen(p.border);
    painter.drawLine(CompareColumns::kKeyWidth - 1, area.top(), CompareColumns::kKeyWidth - 1, area.bottom());
}

void CompareTable::paintCell(QPainter& painter, const QRect& area, const compare::Cell& cell,
                             bool mono) const {
    const Palette& p = colors();
    if (!cell.present) {
        painter.setPen(p.textFaint);
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("—"));
        return;
    }
    QFont font = Theme::font(mono ? TextStyle::Mono : TextStyle::Body);
    if (cell.best) font.setWeight(QFont::Bold);
    const QString text = cellText(cell.text);
    const int wanted = QFontMetrics(font).horizontalAdvance(text);

    // The change comes first where there is room for one of the two: the step is in the tooltip anyway.
    painter.setFont(Theme::font(TextStyle::Caption));
    int room = area.width() - wanted - space::k8;
    QRect aside = area;
    for (const auto& [part, color] : {std::pair(&cell.change, p.textMuted), {&cell.note, p.textFaint}}) {
        const QString said = QString::fromStdString(*part);
        const int needed = painter.fontMetrics().horizontalAdvance(said);
        if (said.isEmpty() || needed > room) continue;
        painter.setPen(color);
        painter.drawText(aside, Qt::AlignRight | Qt::AlignVCenter, said);
        aside.setRight(aside.right() - needed - space::k8);
        room -= needed + space::k8;
    }
    painter.setFont(font);
    painter.setPen(cell.best ? p.success : p.text);
    drawElided(painter, QRect(area.left(), area.top(), aside.right() - area.left(), area.height()),
               Qt::AlignLeft | Qt::AlignVCenter, text);
}

QString CompareTable::describe(QPoint place) const {
    const int at = lineAt(place.y());
    if (at < 0 || m_lines[static_cast<std::size_t>(at)].kind != Line::Kind::Row) return {};
    const compare::Row& row = *m_lines[static_cast<std::size_t>(at)].row;
    QStringList said{cellText(row.key)};
    if (const int column = columnAt(place.x()); column >= 0) {
        const auto& cell = row.cells[static_cast<std::size_t>(column)];
        const auto& name = m_comparison->names[static_cast<std::size_t>(column)];
        said << tr("%1: %2").arg(cellText(name), cell.present ? sanitized(cell.text) : tr("not recorded"));
        if (!cell.note.empty()) said << sanitized(cell.note);
        if (!cell.change.empty()) said << tr("%1 against the reference").arg(sanitized(cell.change));
        if (cell.best) said << tr("The best of these runs");
    }
    if (!row.unit.empty()) said << tr("Unit: %1").arg(sanitized(row.unit));
    if (!row.doc.empty()) said << sanitized(row.doc);
    return said.join(QLatin1Char('\n'));
}

void CompareTable::mouseMoveEvent(QMouseEvent* event) {
    if (const int line = lineAt(event->position().toPoint().y()); line != m_hovered) {
        for (const int changed : {m_hovered, line})
            if (changed >= 0 && changed < static_cast<int>(m_lines.size())) update(lineRect(changed));
        m_hovered = line;
    }
}

void CompareTable::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

void CompareTable::contextMenuEvent(QContextMenuEvent* event) {
    const int at = lineAt(event->pos().y());
    const int column = columnAt(event->pos().x());
    if (at < 0 || m_lines[static_cast<std::size_t>(at)].kind != Line::Kind::Row) return;
    const compare::Row& row = *m_lines[static_cast<std::size_t>(at)].row;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto copy = [&](const QString& title, const std::string& text) {
        connect(menu->addAction(icon(QStringLiteral("copy")), title), &QAction::triggered, this,
                [text = sanitized(text)] { QApplication::clipboard()->setText(text); });
    };
    if (column >= 0) copy(tr("Copy value"), row.cells[static_cast<std::size_t>(column)].text);
    copy(tr("Copy key"), row.key);
    menu->popup(event->globalPos());
}

bool CompareTable::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), describe(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace dailies::ui
