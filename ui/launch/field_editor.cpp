#include "ui/launch/field_editor.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/value_text.h"
#include "core/sweep/parameter.h"
#include "ui/launch/variation_editor.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/line_list_edit.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kUnitWidth = 56;
bool isBool(const config::Field& field) {
    return field.defaultValue().is_boolean();
}

bool isList(const config::Field& field) {
    return field.defaultValue().is_array();
}

bool holdsAll(const std::string& text, const QStringList& words) {
    const QString searched = QString::fromStdString(text);
    return std::ranges::all_of(
        words, [&](const QString& word) { return searched.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

QString configText(const Json& value) {
    if (value.is_string()) {
        return QString::fromStdString(value.get<std::string>());
    }
    if (value.is_array()) {
        QStringList parts;
        for (const auto& item : value) {
            parts << configText(item);
        }
        return parts.join(QStringLiteral(", "));
    }
    if (value.is_number_float()) {
        return QString::fromStdString(shortNumber(value.get<double>()));
    }
    return QString::fromStdString(value.dump());
}

FieldEditor::FieldEditor(const config::Field& field, QWidget* parent) : QWidget(parent), m_field(field) {
    auto* label = new ElidedLabel(TextStyle::Body, TextTone::Muted);
    label->setFixedWidth(kFormLabelWidth);
    label->setFullText(QString::fromStdString(field.label));
    const QString help = QStringLiteral("%1\n%2\n%3: %4")
                             .arg(QString::fromStdString(field.key), QString::fromStdString(field.doc),
                                  tr("Accepted"), QString::fromStdString(field.accepted()));
    m_sweep = makeButton(tr("Sweep"), ButtonKind::Ghost);
    m_sweep->setAccessibleName(tr("Sweep %1").arg(QString::fromStdString(field.label)));
    m_sweep->setCheckable(true);
    m_sweep->setToolTip(tr("Try several values of this"));

    m_mode = new QStackedWidget;
    m_mode->addWidget(makeFixedEditor());
    m_mode->addWidget(makeSweptEditor());
    m_mode->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_mode->setFixedHeight(kControlHeight);

    m_row = makeRow(space::k8);
    m_row->addWidget(label);
    m_row->addWidget(m_mode, 1);
    m_unit = makeLabel(QString::fromStdString(field.unit), TextStyle::Caption, TextTone::Faint);
    m_unit->setFixedWidth(kUnitWidth);
    m_row->addWidget(m_unit);
    m_row->addWidget(m_sweep);

    m_note = makeLabel({}, TextStyle::Caption, TextTone::Danger);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(kFormLabelWidth + space::k8, 0, 0, 0);
    m_note->hide();
    auto* column = makeColumn(space::k4);
    column->addLayout(m_row);
    column->addWidget(m_note);
    setLayout(column);
    setToolTip(help);
    label->setToolTip(help);

    connect(m_sweep, &QPushButton::toggled, this, [this](bool on) {
        m_mode->setCurrentIndex(on ? 1 : 0);
        m_unit->setVisible(!on);
        fitHeight();
        if (on && m_variation->values().text().isEmpty()) {
            beginValues();
        }
        emit sweptChanged(on);
        check();
    });
    connect(m_sweep, &QPushButton::clicked, this, &FieldEditor::focusField);
}

void FieldEditor::focusField() {
    if (swept()) return m_variation->focusField();
    QWidget* field = m_choice  ? static_cast<QWidget*>(m_choice)
                     : m_lines ? static_cast<QWidget*>(m_lines)
                               : m_text;
    field->setFocus(Qt::TabFocusReason);
    if (auto* line = qobject_cast<QLineEdit*>(field)) {
        line->selectAll();
    }
}

void FieldEditor::setRelevant(bool isRelevant) {
    m_relevant = isRelevant;
    showNotes();
}

bool FieldEditor::matches(const QStringList& words) const {
    return holdsAll(m_field.label + ' ' + m_field.key + ' ' + m_field.doc, words);
}

bool FieldEditor::isNamed(const QStringList& words) const {
    return holdsAll(m_field.label + ' ' + m_field.key, words);
}

void FieldEditor::showNotes() {
    const bool wrong = !m_problem.isEmpty();
    const bool idle = !m_relevant && modified();
    if (wrong || idle) {
        QStringList conditions;
        for (const auto& condition : m_field.appliesWhen) {
            QStringList values;
            for (const auto& value : condition.values) {
                values << (value == "" ? tr("empty") : configText(value));
            }
            const QString label = QString::fromStdString(config::findField(condition.key)->label);
            conditions << (condition.unless ? tr("%1 is not %2").arg(label, values.join(tr(" or ")))
                                            : tr("%1 is %2").arg(label, values.join(tr(" or "))));
        }
        setTone(m_note, wrong ? TextTone::Danger : TextTone::Warning);
        m_note->setText(wrong ? m_problem : tr("No effect unless %1.").arg(conditions.join(tr(" and "))));
    }
    m_note->setVisible(wrong || idle);
}

/// With the value that it has.
void FieldEditor::beginValues() {
    try {
        const auto now = fixedText().isEmpty() ? m_field.defaultValue()
                                               : config::parseValue(m_field, fixedText().toStdString());
        m_variation->values().setText(QString::fromStdString(config::valuesText({now})));
    } catch (const InputError&) {
        m_variation->values().setText(fixedText());  // which is said to be wrong there, too
    }
}

/// A list is as high as its lines.
void FieldEditor::fitHeight() {
    m_mode->setFixedHeight(m_lines && !swept() ? m_lines->sizeHint().height() : kControlHeight);
}

void FieldEditor::setBrowsable(const QString& name) {
    auto* place = new QWidget;
    place->setFixedWidth(kUnitWidth);
    auto* row = makeRow(0);
    auto* button = makeIconButton(QStringLiteral("folder"), name);
    row->addWidget(button);
    row->addStretch();
    place->setLayout(row);
    delete m_row->replaceWidget(m_unit, place);
    delete m_unit;
    m_unit = place;
    connect(button, &QToolButton::clicked, this, &FieldEditor::browseRequested);
}

QWidget* FieldEditor::makeFixedEditor() {
    const QString name = QString::fromStdString(m_field.label);
    const QString fallback = configText(m_field.defaultValue());
    if (!m_field.choices.empty() || isBool(m_field)) {
        m_choice = new QComboBox;
        m_choice->setAccessibleName(name);
        const auto choices = isBool(m_field) ? std::vector<std::string>{"true", "false"} : m_field.choices;
        for (const auto& choice : choices) {
            m_choice->addItem(QString::fromStdString(choice));
        }
        m_choice->setCurrentText(fallback);
        connect(m_choice, &QComboBox::currentTextChanged, this, &FieldEditor::check);
        return m_choice;
    }
    if (isList(m_field)) {
        m_lines = new LineListEdit;
        m_lines->setAccessibleName(name);
        m_lines->setPlaceholderText(tr("none; one a line"));
        connect(m_lines, &QPlainTextEdit::textChanged, this, [this] {
            fitHeight();
            check();
        });
        return m_lines;
    }
    m_text = new QLineEdit;
    m_text->setAccessibleName(name);
    m_text->setPlaceholderText(fallback.isEmpty() ? tr("none") : fallback);
    connect(m_text, &QLineEdit::textChanged, this, &FieldEditor::check);
    return m_text;
}

QWidget* FieldEditor::makeSweptEditor() {
    // only numbers have distributions
    m_variation =
        new VariationEditor(m_field.defaultValue().is_number() ? VariationEditor::Offer::Distributions
                                                               : VariationEditor::Offer::Values);
    m_variation->setName(QString::fromStdString(m_field.label));
    if (isList(m_field)) m_variation->setValuesHint(QStringLiteral("[\"one\", \"two\"], [\"three\"]"));
    connect(m_variation, &VariationEditor::changed, this, &FieldEditor::check);
    return m_variation;
}

bool FieldEditor::swept() const {
    return m_sweep->isChecked();
}

QString FieldEditor::fixedText() const {
    if (m_choice) {
        const QString text = m_choice->currentText();
        return text == configText(m_field.defaultValue()) ? QString() : text;
    }
    return m_lines ? m_lines->toPlainText().trimmed() : m_text->text().trimmed();
}

bool FieldEditor::modified() const {
    return swept() || !fixedText().isEmpty();
}

std::optional<Json> FieldEditor::value() const {
    if (swept() || fixedText().isEmpty() || !m_problem.isEmpty()) {
        return std::nullopt;
    }
    return config::parseValue(m_field, fixedText().toStdString());
}

std::optional<sweep::Parameter> FieldEditor::parameter() const {
    if (!swept() || !m_problem.isEmpty()) {
        return std::nullopt;
    }
    return readParameter();
}

sweep::Parameter FieldEditor::readParameter() const {
    sweep::Parameter parameter;
    parameter.key = m_field.key;
    m_variation->read(parameter, [this](sweep::Parameter& read, const std::string& text) {
        read.values = config::parseValues(m_field, text);
    });
    if (const auto problem = sweep::validationError(parameter)) {
        throw InputError(*problem);
    }
    return parameter;
}

void FieldEditor::check() {
    m_problem.clear();
    try {
        if (swept()) {
            readParameter();
        } else if (!fixedText().isEmpty()) {
            config::parseValue(m_field, fixedText().toStdString());
        }
    } catch (const Error& error) {
        m_problem = QString::fromStdString(error.full());
    }
    const bool wrong = !m_problem.isEmpty();
    markProblem(m_text, wrong && !swept());
    markProblem(m_lines, wrong && !swept());
    m_variation->mark(wrong && swept());
    showNotes();
    emit changed();
}

FieldEditor::Input FieldEditor::input() const {
    return {swept(), fixedText(), m_variation->input()};
}

void FieldEditor::setInput(const Input& input) {
    reset();
    if (!input.fixed.isEmpty()) setText(input.fixed);
    m_variation->setInput(input.variation);
    m_sweep->setChecked(input.swept);
    m_variation->setInput(input.variation);  // where its values were empty, varying began them
}

void FieldEditor::reset() {
    const QSignalBlocker quiet(this);
    m_variation->setInput({});
    m_sweep->setChecked(false);
    if (m_choice) {
        m_choice->setCurrentText(configText(m_field.defaultValue()));
    } else if (m_lines) {
        m_lines->clear();
        fitHeight();
    } else {
        m_text->clear();
    }
}

void FieldEditor::setValue(const Json& value) {
    m_sweep->setChecked(false);
    setText(QString::fromStdString(config::valueText(value)));
}

void FieldEditor::setParameter(const sweep::Parameter& parameter) {
    if (parameter.kind == sweep::Parameter::Kind::Fixed) {
        if (!parameter.values.empty()) {
            setValue(parameter.values.front());
        }
        return;
    }
    m_sweep->setChecked(true);
    m_variation->setParameter(parameter, QString::fromStdString(config::valuesText(parameter.values)));
}

void FieldEditor::setSwept(bool swept) {
    m_sweep->setChecked(swept);
}

void FieldEditor::setText(const QString& text) {
    if (swept()) {
        m_variation->values().setText(text);
    } else if (m_choice) {
        m_choice->setCurrentText(text);
    } else if (m_lines) {
        m_lines->setPlainText(text);
    } else {
        m_text->setText(text);
    }
}

}  // namespace dailies::ui
