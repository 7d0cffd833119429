#include "ui/charts/panels/field_picker.h"

#include "ui/charts/panels/plot_runs.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAbstractListModel>
#include <QBoxLayout>
#include <QFrame>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QRegularExpression>
#include <QScreen>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kPopupWidth = 300;
constexpr int kPopupHeight = 320;
constexpr int kMaxText = 150;  ///< pixels of a field's name on the button
constexpr int kMinText = 34;
}  // namespace

/// The fields whose names hold the searched text.
class FieldModel : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    void reset(const std::vector<analysis::Field>& fields, const std::vector<analysis::Field>& chosen,
               const QString& none, bool checkable) {
        beginResetModel();
        m_fields = &fields;
        m_chosen = &chosen;
        m_none = none;
        m_checkable = checkable;
        filterBy(m_search);
        endResetModel();
    }
    void search(const QString& text) {
        beginResetModel();
        filterBy(text);
        endResetModel();
    }
    void chosenChanged() {
        if (!m_rows.empty()) {
            emit dataChanged(index(0), index(rowCount() - 1));
        }
    }
    const analysis::Field& field(int row) const { return (*m_fields)[m_rows[static_cast<std::size_t>(row)]]; }
    int rowOf(const analysis::Field& wanted) const {
        for (int row = 0; row < rowCount(); ++row) {
            if (field(row) == wanted) {
                return row;
            }
        }
        return 0;
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    QVariant data(const QModelIndex& at, int role) const override {
        const auto& one = field(at.row());
        switch (role) {
            case Qt::DisplayRole:
                return isNone(one) ? m_none : fieldText(one);
            case Qt::DecorationRole:
                return iconOf(one);
            case Qt::CheckStateRole:
                if (m_checkable) {
                    const bool on = std::find(m_chosen->begin(), m_chosen->end(), one) != m_chosen->end();
                    return on ? Qt::Checked : Qt::Unchecked;
                }
                return {};
            default:
                return {};
        }
    }

private:
    static QIcon iconOf(const analysis::Field& field) {
        static const QIcon param = icon(QStringLiteral("sliders")), metric = icon(QStringLiteral("chart")),
                           time = icon(QStringLiteral("clock")), none = icon(QStringLiteral("minus"));
        if (isNone(field)) {
            return none;
        }
        switch (field.source) {
            case analysis::Field::Source::Param:
                return param;
            case analysis::Field::Source::Metric:
                return metric;
            default:
                return time;
        }
    }
    void filterBy(const QString& text) {
        m_search = text;
        m_rows.clear();
        for (std::size_t i = 0; m_fields && i < m_fields->size(); ++i) {
            if (text.isEmpty() || fieldText((*m_fields)[i]).contains(text, Qt::CaseInsensitive)) {
                m_rows.push_back(i);
            }
        }
    }

    const std::vector<analysis::Field>* m_fields = nullptr;
    const std::vector<analysis::Field>* m_chosen = nullptr;
    QString m_none, m_search;
    bool m_checkable = false;
    std::vector<std::size_t> m_rows;
};

FieldPicker::FieldPicker(const QString& purpose, Mode mode, QWidget* parent)
    : QToolButton(parent),
      m_purpose(purpose),
      m_mode(mode),
      m_popup(new QFrame(this, Qt::Popup)),
      m_search(new QLineEdit),
      m_list(new QListView),
      m_model(new FieldModel(this)) {
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIcon(ui::icon(QStringLiteral("chevron-down")));
    setIconSize({12, 12});
    setLayoutDirection(Qt::RightToLeft);  // the arrow after the text
    setCursor(Qt::PointingHandCursor);
    setFont(Theme::font(TextStyle::Caption));
    setAccessibleName(purpose);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    m_popup->setProperty("card", true);
    m_popup->setLayoutDirection(Qt::LeftToRight);
    auto* column = makeColumn(space::k4, {space::k8, space::k8, space::k8, space::k8});
    m_search->setPlaceholderText(QStringLiteral("Search params and metrics"));
    m_search->setAccessibleName(QStringLiteral("Search fields"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setUniformItemSizes(true);
    m_list->setIconSize({14, 14});
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(purpose);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    m_popup->setLayout(column);
    m_popup->resize(kPopupWidth, kPopupHeight);

    connect(this, &QToolButton::clicked, this, &FieldPicker::openList);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_model->search(text);
        m_list->setCurrentIndex(m_model->index(0));
    });
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& at) { choose(at.row()); });
    showText();
}

void FieldPicker::setFields(std::vector<analysis::Field> fields) {
    if (!m_none.isEmpty()) {
        fields.insert(fields.begin(), analysis::Field{});
    }
    if (fields != m_fields) {
        m_fields = std::move(fields);
        m_model->reset(m_fields, m_chosen, m_none, m_mode == Mode::Several);
    }
}

void FieldPicker::setNone(const QString& text) {
    m_none = text;
}

void FieldPicker::setChosen(std::vector<analysis::Field> chosen) {
    m_chosen = std::move(chosen);
    m_model->chosenChanged();
    showText();
}

void FieldPicker::showText() {
    m_name.clear();
    if (m_mode == Mode::Several) {
        m_name = QString::number(m_chosen.size());
    } else if (!m_chosen.empty()) {
        m_name = isNone(m_chosen.front()) ? m_none : fieldText(m_chosen.front());
    }
    setToolTip(escapedToolTip(m_purpose + QStringLiteral(": ") + m_name +
                              QStringLiteral(" (Space opens the list)")));
    setAccessibleName(m_purpose + QStringLiteral(" ") + m_name);
    fitText();
    updateGeometry();
}

/// The purpose stays readable however narrow the card is; the name gives way.
void FieldPicker::fitText() {
    const QString purpose = m_purpose + QStringLiteral("  ");
    const int room = std::max(0, std::min(kMaxText, width() - widthFor(purpose)));
    const QFontMetrics metrics = fontMetrics();
    // "lr" says more than "opti…r.lr".
    const bool whole = metrics.horizontalAdvance(m_name) <= room;
    const QString name = whole ? m_name : m_name.section(QRegularExpression(QStringLiteral("[./]")), -1);
    const QString text = purpose + metrics.elidedText(name, Qt::ElideMiddle, room);
    setText(QString(text).replace(u'&', QStringLiteral("&&")));
}

int FieldPicker::widthFor(const QString& text) const {
    const QString shown = QString(this->text()).replace(QStringLiteral("&&"), QStringLiteral("&"));
    const int around = QToolButton::sizeHint().width() - fontMetrics().horizontalAdvance(shown);
    return fontMetrics().horizontalAdvance(text) + around + 1;
}

QSize FieldPicker::sizeHint() const {
    const QString purpose = m_purpose + QStringLiteral("  ");
    const int name = std::min(kMaxText, fontMetrics().horizontalAdvance(m_name) + 2);
    return {widthFor(purpose) + name, QToolButton::sizeHint().height()};
}

QSize FieldPicker::minimumSizeHint() const {
    return {std::min(sizeHint().width(), widthFor(m_purpose + QStringLiteral("  ")) + kMinText),
            QToolButton::sizeHint().height()};
}

void FieldPicker::resizeEvent(QResizeEvent* event) {
    QToolButton::resizeEvent(event);
    fitText();
}

void FieldPicker::openList() {
    m_model->reset(m_fields, m_chosen, m_none, m_mode == Mode::Several);
    m_search->clear();
    QPoint at = mapToGlobal(QPoint(0, height() + 2));
    if (const auto* display = screen()) {
        const QRect room = display->availableGeometry();
        at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - kPopupWidth)));
        if (at.y() + kPopupHeight > room.bottom()) {
            at.setY(std::max(room.top(), mapToGlobal(QPoint(0, 0)).y() - kPopupHeight - 2));
        }
    }
    m_popup->move(at);
    m_popup->show();
    m_search->setFocus();
    const auto current =
        m_model->index(m_chosen.empty() || m_mode == Mode::Several ? 0 : m_model->rowOf(m_chosen.front()));
    m_list->setCurrentIndex(current);
    m_list->scrollTo(current);
}

void FieldPicker::choose(int row) {
    if (row < 0 || row >= m_model->rowCount()) {
        return;
    }
    const analysis::Field field = m_model->field(row);
    if (m_mode == Mode::One) {
        m_chosen = {field};
        m_popup->hide();
    } else if (std::erase(m_chosen, field) == 0) {
        m_chosen.push_back(field);
    }
    m_model->chosenChanged();
    showText();
    emit chosenChanged();
}

bool FieldPicker::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int row = m_list->currentIndex().row();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int next = std::clamp(row + (key == Qt::Key_Down ? 1 : -1), 0, m_model->rowCount() - 1);
            m_list->setCurrentIndex(m_model->index(next));
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            choose(row);
            return true;
        }
    }
    return QToolButton::eventFilter(watched, event);
}

}  // namespace dailies::ui
