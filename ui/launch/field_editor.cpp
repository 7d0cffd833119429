#include "ui/launch/field_editor.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/value_text.h"
#include "core/sweep/parameter.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/line_list_edit.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

using Kind = sweep::Parameter::Kind;

constexpr int kUnitWidth = 56;
constexpr int kKindWidth = 132;

struct KindChoice {
    Kind kind;
    const char* name;
    const char* first;  ///< what the two numbers of a distribution are
    const char* second;
    bool weighted = false;  ///< values that are not equally likely
};
constexpr std::array<KindChoice, 13> kKinds{
    {{Kind::Values, "Values", "", ""},
     {Kind::Values, "Weighted values", "", "", true},
     {Kind::Uniform, "Uniform", "min", "max"},
     {Kind::LogUniform, "Log-uniform", "min", "max"},
     {Kind::IntUniform, "Integers", "min", "max"},
     {Kind::QUniform, "Quantised", "min", "max"},
     {Kind::QLogUniform, "Log, quantised", "min", "max"},
     {Kind::Normal, "Normal", "mean", "deviation"},
     {Kind::LogNormal, "Log-normal", "mean of ln", "deviation"},
     {Kind::QNormal, "Normal, quantised", "mean", "deviation"},
     {Kind::QLogNormal, "Log-normal, quantised", "mean of ln", "deviation"},
     {Kind::Beta, "Beta", "a", "b"},
     {Kind::QBeta, "Beta, quantised", "a", "b"}}};

bool isBool(const config::Field& field) {
    return field.defaultValue().is_boolean();
}

bool isList(const config::Field& field) {
    return field.defaultValue().is_array();
}

/// A number of a distribution, in the words of the schema when it is none.
double number(const config::Field& field, const QLineEdit* edit) {
    bool ok = false;
    const double value = edit->text().trimmed().toDouble(&ok);
    if (!ok) {
        throw InputError(field.key + ": found '" + edit->text().toStdString() + "' as " +
                         edit->placeholderText().toStdString() + ", expected a number.");
    }
    return value;
}

void mark(QWidget* widget, bool problem) {
    if (widget && widget->property("problem").toBool() != problem) {
        widget->setProperty("problem", problem);
        widget->style()->unpolish(widget);
        widget->style()->polish(widget);
    }
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
        if (on && m_values->text().isEmpty()) {
            beginValues();
        }
        emit sweptChanged(on);
        check();
    });
    connect(m_sweep, &QPushButton::clicked, this, &FieldEditor::focusField);
}

void FieldEditor::focusField() {
    QWidget* field = m_choice  ? static_cast<QWidget*>(m_choice)
                     : m_lines ? static_cast<QWidget*>(m_lines)
                               : m_text;
    if (swept()) {
        field = m_spec->currentIndex() == 0 ? m_values : m_first;
    }
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
        m_note->setText(wrong ? m_problem
                              : tr("No effect: it applies where %1.").arg(conditions.join(tr(" and "))));
    }
    m_note->setVisible(wrong || idle);
}

/// With the value that it has.
void FieldEditor::beginValues() {
    try {
        const auto now = fixedText().isEmpty() ? m_field.defaultValue()
                                               : config::parseValue(m_field, fixedText().toStdString());
        m_values->setText(QString::fromStdString(config::valuesText({now})));
    } catch (const InputError&) {
        m_values->setText(fixedText());  // which is said to be wrong there, too
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
    auto* widget = new QWidget;
    auto* row = makeRow(space::k8);
    const QString name = QString::fromStdString(m_field.label);
    m_kind = new QComboBox;
    m_kind->setAccessibleName(tr("How %1 varies").arg(name));
    m_kind->setFixedWidth(kKindWidth);
    const Json fallback = m_field.defaultValue();
    for (const auto& kind : kKinds) {
        // Only numbers have distributions.
        if (kind.kind == Kind::Values || fallback.is_number()) {
            m_kind->addItem(QLatin1String(kind.name));
        }
    }
    m_values = new QLineEdit;
    m_values->setAccessibleName(tr("Values of %1").arg(name));
    m_values->setPlaceholderText(isList(m_field) ? QStringLiteral("[\"one\", \"two\"], [\"three\"]")
                                                 : tr("values, separated by commas"));
    m_probabilities = new QLineEdit;
    m_probabilities->setAccessibleName(tr("Probabilities of %1").arg(name));
    m_probabilities->setPlaceholderText(tr("probabilities: 0.5, 0.3, 0.2"));
    m_probabilities->hide();
    auto* list = new QWidget;
    auto* listRow = makeRow(space::k8);
    listRow->addWidget(m_values, 1);
    listRow->addWidget(m_probabilities, 1);
    list->setLayout(listRow);
    auto* range = new QWidget;
    auto* rangeRow = makeRow(space::k8);
    m_first = new QLineEdit;
    m_second = new QLineEdit;
    m_quantum = new QLineEdit;
    m_quantum->setPlaceholderText(tr("step"));
    m_quantum->setAccessibleName(tr("step"));
    m_quantum->hide();
    for (auto* edit : {m_first, m_second, m_quantum}) {
        rangeRow->addWidget(edit);
        connect(edit, &QLineEdit::textChanged, this, &FieldEditor::check);
    }
    range->setLayout(rangeRow);
    m_spec = new QStackedWidget;
    m_spec->addWidget(list);
    m_spec->addWidget(range);
    row->addWidget(m_kind);
    row->addWidget(m_spec, 1);
    widget->setLayout(row);
    connect(m_values, &QLineEdit::textChanged, this, &FieldEditor::check);
    connect(m_probabilities, &QLineEdit::textChanged, this, &FieldEditor::check);
    connect(m_kind, &QComboBox::currentIndexChanged, this, [this](int index) {
        const auto& kind = kKinds[static_cast<std::size_t>(std::max(0, index))];
        m_spec->setCurrentIndex(kind.kind == Kind::Values ? 0 : 1);
        m_probabilities->setVisible(kind.weighted);
        m_quantum->setVisible(sweep::isQuantized(kind.kind));
        m_first->setPlaceholderText(QLatin1String(kind.first));
        m_second->setPlaceholderText(QLatin1String(kind.second));
        m_first->setAccessibleName(QLatin1String(kind.first));
        m_second->setAccessibleName(QLatin1String(kind.second));
        check();
    });
    return widget;
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
    const auto& kind = kKinds[static_cast<std::size_t>(m_kind->currentIndex())];
    parameter.kind = kind.kind;
    if (parameter.kind == Kind::Values) {
        parameter.values = config::parseValues(m_field, m_values->text().toStdString());
        if (kind.weighted) parameter.probabilities = readProbabilities();
    } else {
        const auto numbers = sweep::numbersOf(parameter.kind);
        parameter.*numbers[0].member = number(m_field, m_first);
        parameter.*numbers[1].member = number(m_field, m_second);
    }
    if (sweep::isQuantized(parameter.kind)) {
        parameter.q = number(m_field, m_quantum);
    }
    if (const auto problem = sweep::validationError(parameter)) {
        throw InputError(*problem);
    }
    return parameter;
}

std::vector<double> FieldEditor::readProbabilities() const {
    std::vector<double> all;
    for (const QString& text : m_probabilities->text().split(QLatin1Char(','))) {
        bool ok = false;
        all.push_back(text.trimmed().toDouble(&ok));
        if (!ok) {
            throw InputError(m_field.key + ": found '" + text.trimmed().toStdString() +
                             "' as probability, expected a number for each value, separated by commas.");
        }
    }
    return all;
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
    mark(m_text, wrong && !swept());
    mark(m_lines, wrong && !swept());
    for (auto* edit : {m_values, m_probabilities, m_first, m_second, m_quantum}) {
        mark(edit, wrong && swept());
    }
    showNotes();
    emit changed();
}

FieldEditor::Input FieldEditor::input() const {
    return {
        swept(),         fixedText(),      m_kind->currentIndex(), m_values->text(), m_probabilities->text(),
        m_first->text(), m_second->text(), m_quantum->text()};
}

void FieldEditor::setInput(const Input& input) {
    reset();
    if (!input.fixed.isEmpty()) setText(input.fixed);
    m_values->setText(input.values);
    m_sweep->setChecked(input.swept);
    m_values->setText(input.values);  // where it was empty, varying began it
    m_kind->setCurrentIndex(input.kind);
    m_probabilities->setText(input.probabilities);
    m_first->setText(input.first);
    m_second->setText(input.second);
    m_quantum->setText(input.quantum);
}

void FieldEditor::reset() {
    const QSignalBlocker quiet(this);
    m_values->clear();
    m_probabilities->clear();
    m_first->clear();
    m_second->clear();
    m_quantum->clear();
    m_kind->setCurrentIndex(0);
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
    if (parameter.kind == Kind::Fixed) {
        if (!parameter.values.empty()) {
            setValue(parameter.values.front());
        }
        return;
    }
    m_sweep->setChecked(true);
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (kKinds[i].kind == parameter.kind && kKinds[i].weighted == !parameter.probabilities.empty()) {
            m_kind->setCurrentIndex(static_cast<int>(i));
        }
    }
    if (parameter.kind == Kind::Values) {
        m_values->setText(QString::fromStdString(config::valuesText(parameter.values)));
        QStringList probabilities;
        for (const double probability : parameter.probabilities) {
            probabilities << QString::fromStdString(shortNumber(probability));
        }
        m_probabilities->setText(probabilities.join(QStringLiteral(", ")));
    } else {
        const auto numbers = sweep::numbersOf(parameter.kind);
        m_first->setText(QString::fromStdString(shortNumber(parameter.*numbers[0].member)));
        m_second->setText(QString::fromStdString(shortNumber(parameter.*numbers[1].member)));
        m_quantum->setText(QString::fromStdString(shortNumber(parameter.q)));
    }
}

void FieldEditor::setSwept(bool swept) {
    m_sweep->setChecked(swept);
}

void FieldEditor::setText(const QString& text) {
    if (swept()) {
        m_values->setText(text);
    } else if (m_choice) {
        m_choice->setCurrentText(text);
    } else if (m_lines) {
        m_lines->setPlainText(text);
    } else {
        m_text->setText(text);
    }
}

}  // namespace dailies::ui
