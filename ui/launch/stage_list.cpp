#include "ui/launch/stage_list.h"

#include "core/base/text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QFontMetrics>
#include <QItemSelectionModel>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyle>
#include <QStyledItemDelegate>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kMostShown = 4;
constexpr int kTermsRole = Qt::UserRole;  ///< "3h 20m · about 41 USD · ends Sun 17:40"
constexpr int kFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

/// The item's first line as a title, its terms at the end of that line, the other lines muted below.
class StageDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        ground.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
        const QRect room = option.rect.adjusted(space::k16, space::k8, -space::k16, -space::k8);
        const QString text = index.data(Qt::DisplayRole).toString();
        painter->save();
        painter->setFont(Theme::font(TextStyle::Caption));
        painter->setPen(colors().textMuted);
        const QString terms = index.data(kTermsRole).toString();
        const QRect title(room.topLeft(), QSize(room.width(), titleHeight()));
        painter->drawText(title, Qt::AlignRight | Qt::AlignVCenter, terms);
        painter->drawText(room.adjusted(0, titleHeight(), 0, 0), kFlags, text.section(QLatin1Char('\n'), 1));
        const int taken = painter->fontMetrics().horizontalAdvance(terms) + space::k12;
        painter->setFont(Theme::font(TextStyle::Strong));
        painter->setPen(colors().text);
        painter->drawText(
            title, Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(text.section(QLatin1Char('\n'), 0, 0), Qt::ElideRight,
                                              std::max(0, room.width() - taken)));
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* view = qobject_cast<const QListView*>(option.widget);
        const int width = std::max((view ? view->viewport()->width() : 0) - 2 * space::k16, 1);
        const QString below = index.data(Qt::DisplayRole).toString().section(QLatin1Char('\n'), 1);
        return {0, 2 * space::k8 + titleHeight() +
                       QFontMetrics(Theme::font(TextStyle::Caption))
                           .boundingRect(QRect(0, 0, width, 1000), kFlags, below)
                           .height()};
    }

private:
    static int titleHeight() { return QFontMetrics(Theme::font(TextStyle::Strong)).height() + space::k4; }
};

/// Lines are broken between the parts alone.
QString joined(const std::vector<std::string>& parts) {
    QStringList texts;
    for (const auto& part : parts)
        if (!part.empty()) texts << sanitized(part).replace(QLatin1Char(' '), QChar(QChar::Nbsp));
    return texts.join(QStringLiteral(" · "));
}

}  // namespace

StageList::StageList(QWidget* parent) : QListView(parent), m_items(new QStandardItemModel(this)) {
    setModel(m_items);
    setItemDelegate(new StageDelegate(this));
    setAccessibleName(tr("Stages of the runs"));
    setEditTriggers(NoEditTriggers);
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setResizeMode(Adjust);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (current.isValid()) emit chosenChanged(current.row());
    });
}

void StageList::setRows(const std::vector<std::string>& names, const std::vector<remote::ChainRow>& rows) {
    const int before = std::max(0, chosen());
    const QSignalBlocker quiet(this);
    m_items->clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        auto* item = new QStandardItem(sanitized(names[i]) + QLatin1Char('\n') +
                                       joined({row.steps.empty() ? "" : "steps " + row.steps, row.clips,
                                               row.batch.empty() ? "" : "batch " + row.batch, row.layout}));
        item->setData(joined({row.time, row.price, row.end.empty() ? "" : "ends " + row.end}), kTermsRole);
        m_items->appendRow(item);
    }
    if (!rows.empty())
        setCurrentIndex(m_items->index(std::min(before, static_cast<int>(rows.size()) - 1), 0));
    updateGeometry();
}

QSize StageList::sizeHint() const {
    int height = 0;
    for (int row = 0; row < std::min(m_items->rowCount(), kMostShown); ++row) height += sizeHintForRow(row);
    return {QListView::sizeHint().width(), height};
}

/// Another width breaks the lines elsewhere.
void StageList::resizeEvent(QResizeEvent* event) {
    QListView::resizeEvent(event);
    updateGeometry();
}

}  // namespace dailies::ui
