#include "ui/runs/column_chooser.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAbstractListModel>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr QSize kSize{320, 420};
constexpr int kLineHeight = 30;
constexpr int kKindRole = Qt::UserRole;

QString kindWord(Column::Kind kind) {
    switch (kind) {
        case Column::Kind::Param:
            return ColumnChooser::tr("param");
        case Column::Kind::Notes:
        case Column::Kind::Tag:
            return ColumnChooser::tr("tag");
        case Column::Kind::Metric:
            return ColumnChooser::tr("metric");
        case Column::Kind::Curve:
            return ColumnChooser::tr("curve");
        default:
            return {};
    }
}

class LineDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Palette& p = colors();
        painter->save();
        if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
            painter->fillRect(option.rect, option.state & QStyle::State_Selected ? p.accentSoft : p.hover);
        }
        QRect row = option.rect.adjusted(space::k12, 0, -space::k12, 0);
        if (index.data(Qt::CheckStateRole).toInt() == Qt::Checked) {
            icon(QStringLiteral("check"), p.accent)
                .paint(painter, QRect(row.left(), row.center().y() - 7, 15, 15));
        }
        row.setLeft(row.left() + space::k24);
        const QFont caption = Theme::font(TextStyle::Caption);
        const QString kind = index.data(kKindRole).toString();
        painter->setFont(caption);
        painter->setPen(p.textFaint);
        painter->drawText(row, Qt::AlignRight | Qt::AlignVCenter, kind);
        row.setRight(row.right() - QFontMetrics(caption).horizontalAdvance(kind) - space::k8);
        const QFont body = Theme::font(TextStyle::Body);
        painter->setFont(body);
        painter->setPen(p.text);
        painter->drawText(
            row, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
            QFontMetrics(body).elidedText(index.data().toString(), Qt::ElideMiddle, row.width()));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {0, kLineHeight};
    }
};

}  // namespace

class ColumnListModel : public QAbstractListModel {
public:
    ColumnListModel(std::vector<Column> all, const std::vector<Column>& shown, QObject* parent)
        : QAbstractListModel(parent), m_all(std::move(all)) {
        std::erase_if(m_all, [](const Column& c) { return c.kind == Column::Kind::Name; });  // always there
        for (const auto& column : shown) {
            m_on.insert(column.id());
        }
        // Those on show first: to take one away is to see it.
        std::stable_partition(m_all.begin(), m_all.end(),
                              [&](const Column& c) { return m_on.contains(c.id()); });
        search({});
    }

    void search(const QString& text) {
        beginResetModel();
        m_found.clear();
        for (std::size_t i = 0; i < m_all.size(); ++i) {
            const auto& column = m_all[i];
            const QString searched = QString::fromStdString(column.key.empty() ? column.title : column.key) +
                                     u' ' + kindWord(column.kind);
            const auto words = text.split(u' ', Qt::SkipEmptyParts);
            if (std::all_of(words.begin(), words.end(), [&](const QString& word) {
                    return searched.contains(word, Qt::CaseInsensitive);
                })) {
                m_found.push_back(i);
            }
        }
        endResetModel();
    }

    /// The id of the column, and whether it is on now.
    std::pair<std::string, bool> toggle(const QModelIndex& at) {
        const std::string id = columnAt(at).id();
        const bool on = m_on.erase(id) == 0;
        if (on) {
            m_on.insert(id);
        }
        emit dataChanged(at, at);
        return {id, on};
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_found.size());
    }

    QVariant data(const QModelIndex& at, int role) const override {
        const Column& column = columnAt(at);
        switch (role) {
            case Qt::DisplayRole:
                return sanitized(column.key.empty() ? column.title : column.key);
            case Qt::CheckStateRole:
                return m_on.contains(column.id()) ? Qt::Checked : Qt::Unchecked;
            case kKindRole:
                return kindWord(column.kind);
            default:
                return {};
        }
    }

private:
    const Column& columnAt(const QModelIndex& at) const {
        return m_all[m_found[static_cast<std::size_t>(at.row())]];
    }
    std::vector<Column> m_all;
    std::vector<std::size_t> m_found;
    std::set<std::string> m_on;
};

ColumnChooser::ColumnChooser(std::vector<Column> all, const std::vector<Column>& shown, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      m_columns(new ColumnListModel(std::move(all), shown, this)),
      m_search(new QLineEdit),
      m_list(new QListView) {
    setAttribute(Qt::WA_DeleteOnClose);
    setProperty("card", true);
    setFixedSize(kSize);
    auto* column = makeColumn(space::k8, {space::k8, space::k8, space::k8, space::k8});
    m_search->setPlaceholderText(tr("Search params, metrics, curves, tags"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setAccessibleName(tr("Search columns"));
    m_search->installEventFilter(this);
    m_list->setModel(m_columns);
    m_list->setItemDelegate(new LineDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setAccessibleName(tr("Columns"));
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    setLayout(column);
    setFocusProxy(m_search);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_columns->search(text);
        m_list->setCurrentIndex(m_columns->index(0));
    });
    connect(m_list, &QListView::clicked, this, &ColumnChooser::toggle);
}

void ColumnChooser::popupBelow(QWidget* button) {
    QPoint at = button->mapToGlobal(QPoint(button->width() - width(), button->height() + space::k4));
    at.setX(std::max(at.x(), button->window()->mapToGlobal(QPoint(0, 0)).x()));
    move(at);
    show();
    m_search->setFocus();
}

bool ColumnChooser::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::ShortcutOverride) {
        event->accept();  // no shortcut of the page below while one types here
    }
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int row = m_list->currentIndex().row();
        switch (key->key()) {
            case Qt::Key_Down:
            case Qt::Key_Up:
                m_list->setCurrentIndex(m_columns->index(std::clamp(
                    row + (key->key() == Qt::Key_Down ? 1 : -1), 0, std::max(0, m_columns->rowCount() - 1))));
                return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                toggle(m_list->currentIndex());
                return true;
            case Qt::Key_Escape:
                close();
                return true;
            default:
                break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void ColumnChooser::toggle(const QModelIndex& at) {
    if (at.isValid()) {
        const auto [id, on] = m_columns->toggle(at);
        emit toggled(id, on);
    }
}

}  // namespace dailies::ui
