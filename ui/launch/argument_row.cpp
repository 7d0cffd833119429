#include "ui/launch/argument_row.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/argument_text.h"
#include "core/sweep/command.h"
#include "core/sweep/parameter.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kNameShare = 2, kVariationShare = 5;  ///< of a row's width; names may be long

}  // namespace

ArgumentRow::ArgumentRow(QWidget* parent)
    : QWidget(parent),
      m_name(new QLineEdit),
      m_variation(new VariationEditor(VariationEditor::Offer::FixedValue)),
      m_note(makeLabel({}, TextStyle::Caption, TextTone::Danger)) {
    m_name->setPlaceholderText(tr("name"));
    m_name->setAccessibleName(tr("Name of the parameter"));
    m_name->setMinimumWidth(kFormLabelWidth);
    auto* remove = makeIconButton(QStringLiteral("close"), tr("Remove this parameter"));
    m_remove = remove;
    auto* row = makeRow(space::k8);
    row->addWidget(m_name, kNameShare);
    row->addWidget(m_variation, kVariationShare);
    row->addWidget(remove);
    m_note->setWordWrap(true);
    auto* column = makeColumn(space::k4);
    column->addLayout(row);
    column->addWidget(m_note);
    setLayout(column);
    connect(m_name, &QLineEdit::textChanged, this, [this] {
        showNames();
        check();
    });
    connect(m_variation, &VariationEditor::changed, this, &ArgumentRow::check);
    connect(remove, &QToolButton::clicked, this, &ArgumentRow::removeRequested);
    showNames();
    check();
}

void ArgumentRow::showNames() {
    const QString text = m_name->text().trimmed();
    const QString name = text.isEmpty() ? tr("the parameter") : text;
    m_variation->setName(name);
    m_remove->setAccessibleName(tr("Remove %1").arg(name));
    m_remove->setToolTip(tr("Remove %1").arg(name));
    m_name->setToolTip(
        groups().empty()
            ? text
            : tr("%1\nNested in %2. Nest others in the YAML.").arg(text, sanitized(join(groups(), "."))));
}

std::string ArgumentRow::name() const {
    return m_name->text().trimmed().toStdString();
}

std::vector<std::string> ArgumentRow::groups() const {
    return !m_groups.empty() && name().starts_with(join(m_groups, ".") + ".") ? m_groups
                                                                              : std::vector<std::string>();
}

bool ArgumentRow::isBlank() const {
    return name().empty() && m_variation->input() == VariationEditor::Input();
}

sweep::Parameter ArgumentRow::read() const {
    sweep::Parameter parameter;
    parameter.key = name();
    parameter.groups = groups();
    if (parameter.key.empty()) throw InputError("parameters: found no name, expected one, such as lr.");
    if (!sweep::isArgumentName(parameter.key)) {
        parameter.values = {nullptr};
        throw InputError(sweep::validationErrorOfArgument(parameter).value());
    }
    m_variation->read(parameter, sweep::readArgumentText);
    if (const auto problem = sweep::validationErrorOfArgument(parameter)) throw InputError(*problem);
    if (m_taken) throw InputError(parameter.key + ": found twice, expected once.");
    return parameter;
}

std::optional<sweep::Parameter> ArgumentRow::parameter() const {
    return m_problem.isEmpty() && !isBlank() ? std::optional(read()) : std::nullopt;
}

void ArgumentRow::setParameter(const sweep::Parameter& parameter) {
    {
        const QSignalBlocker quietName(m_name),
            quietVariation(m_variation);  // it is checked once, as a whole
        m_groups = parameter.groups;
        m_name->setText(QString::fromStdString(parameter.key));
        m_name->setCursorPosition(0);
        m_variation->setInput({});
        m_variation->setParameter(parameter, QString::fromStdString(sweep::argumentText(parameter)));
    }
    showNames();
    check();
}

ArgumentRow::Input ArgumentRow::input() const {
    return {m_name->text(), m_groups, m_variation->input()};
}

void ArgumentRow::setInput(const Input& input) {
    {
        const QSignalBlocker quietName(m_name), quietVariation(m_variation);
        m_groups = input.groups;
        m_name->setText(input.name);
        m_variation->setInput(input.variation);
    }
    showNames();
    check();
}

void ArgumentRow::setTaken(bool taken) {
    if (taken == m_taken) return;
    m_taken = taken;
    const QSignalBlocker quiet(this);  // the list that says so has told of the change
    check();
}

bool ArgumentRow::holds(const QStringList& words) const {
    const QString text = valuesIn(*this).join(QLatin1Char(' '));
    return std::ranges::all_of(words,
                               [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

void ArgumentRow::focusField() {
    const bool named = sweep::isArgumentName(name()) && !m_taken;
    if (named) return m_variation->focusField();
    m_name->setFocus(Qt::TabFocusReason);
    m_name->selectAll();
}

void ArgumentRow::check() {
    m_problem.clear();
    try {
        if (!isBlank()) read();
    } catch (const Error& error) {
        m_problem = sanitized(error.full());
    }
    const bool named = sweep::isArgumentName(name()) && !m_taken;
    markProblem(m_name, !m_problem.isEmpty() && !named);
    m_variation->mark(!m_problem.isEmpty() && named);
    m_note->setText(m_problem);
    m_note->setVisible(!m_problem.isEmpty());
    emit changed();
}

}  // namespace dailies::ui
