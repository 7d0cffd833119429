#include "ui/launch/argument_list.h"

#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QPushButton>

#include <algorithm>
#include <set>
#include <utility>

namespace dailies::ui {

ArgumentList::ArgumentList(QWidget* parent)
    : QWidget(parent),
      m_column(makeColumn(space::k8)),
      m_none(makeLabel(tr("None: the program is started without arguments of its own."), TextStyle::Caption,
                       TextTone::Muted)),
      m_add(makeButton(tr("Add parameter"), ButtonKind::Ghost, QStringLiteral("plus"))) {
    auto* rows = new QWidget;
    rows->setLayout(m_column);
    auto* foot = makeRow(0);
    foot->addWidget(m_add);
    foot->addStretch();
    auto* column = makeColumn(space::k8);
    column->addWidget(rows);
    column->addWidget(m_none);
    column->addLayout(foot);
    setLayout(column);
    connect(m_add, &QPushButton::clicked, this, [this] {
        auto* row = addRow();
        tell();
        emit added(row);
        row->focusField();
    });
    tell();
}

ArgumentRow* ArgumentList::addRow() {
    auto* row = new ArgumentRow;
    ignoreUnfocusedWheel(*row);  // the form was told so before it had this one
    m_column->addWidget(row);
    m_rows.push_back(row);
    row->show();
    connect(row, &ArgumentRow::changed, this, [this] {
        if (!m_filling) tell();
    });
    connect(row, &ArgumentRow::removeRequested, this, [this, row] { remove(row); });
    return row;
}

/// The focus goes on to the row that takes its place.
void ArgumentList::remove(ArgumentRow* row) {
    const auto at = std::ranges::find(m_rows, row);
    const auto index = static_cast<std::size_t>(at - m_rows.begin());
    m_rows.erase(at);
    m_column->removeWidget(row);
    row->hide();
    row->deleteLater();  // it is the sender's parent
    if (m_rows.empty())
        m_add->setFocus(Qt::OtherFocusReason);
    else
        m_rows[std::min(index, m_rows.size() - 1)]->focusField();
    tell();
}

void ArgumentList::resize(std::size_t count) {
    while (m_rows.size() > count) {
        m_column->removeWidget(m_rows.back());
        m_rows.back()->hide();
        m_rows.back()->deleteLater();
        m_rows.pop_back();
    }
    while (m_rows.size() < count) addRow();
}

void ArgumentList::tell() {
    std::set<std::string> names;
    for (auto* row : m_rows) row->setTaken(!row->name().empty() && !names.insert(row->name()).second);
    m_none->setVisible(m_rows.empty());
    emit changed();
}

std::vector<sweep::Parameter> ArgumentList::parameters() const {
    std::vector<sweep::Parameter> parameters;
    for (const auto* row : m_rows)
        if (auto parameter = row->parameter()) parameters.push_back(std::move(*parameter));
    return parameters;
}

void ArgumentList::setParameters(const std::vector<sweep::Parameter>& parameters) {
    m_filling = true;
    resize(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) m_rows[i]->setParameter(parameters[i]);
    m_filling = false;
    tell();
}

ArgumentList::Input ArgumentList::input() const {
    Input input;
    for (const auto* row : m_rows) input.push_back(row->input());
    return input;
}

void ArgumentList::setInput(const Input& input) {
    m_filling = true;
    resize(input.size());
    for (std::size_t i = 0; i < input.size(); ++i) m_rows[i]->setInput(input[i]);
    m_filling = false;
    tell();
}

QStringList ArgumentList::problems() const {
    QStringList problems;
    for (const auto* row : m_rows)
        if (!row->problem().isEmpty()) problems << row->problem();
    return problems;
}

ArgumentRow* ArgumentList::firstProblem() const {
    const auto found =
        std::ranges::find_if(m_rows, [](const auto* row) { return !row->problem().isEmpty(); });
    return found == m_rows.end() ? nullptr : *found;
}

bool ArgumentList::hasGroups() const {
    return std::ranges::any_of(m_rows, [](const auto* row) { return !row->groups().empty(); });
}

bool ArgumentList::holds(const QStringList& words) const {
    return std::ranges::any_of(m_rows, [&](const auto* row) { return row->holds(words); });
}

}  // namespace dailies::ui
