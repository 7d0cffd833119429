#include "ui/launch/variation_editor.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/parameter.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QStackedWidget>
#include <QStyle>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

using Kind = sweep::Parameter::Kind;

constexpr int kKindWidth = 148;

struct KindChoice {
    Kind kind;
    const char* name;
    const char* first;  ///< what the two numbers of a distribution are
    const char* second;
    bool weighted = false;  ///< values that are not equally likely
};
constexpr std::array<KindChoice, 14> kKinds{
    {{Kind::Fixed, "Fixed value", "", ""},
     {Kind::Values, "Values", "", ""},
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

bool offers(VariationEditor::Offer offer, Kind kind) {
    return kind == Kind::Values || (kind == Kind::Fixed ? offer == VariationEditor::Offer::FixedValue
                                                        : offer != VariationEditor::Offer::Values);
}

/// A number of a distribution, or why it is none.
double number(const std::string& key, const QLineEdit* edit) {
    bool ok = false;
    const double value = edit->text().trimmed().toDouble(&ok);
    if (!ok)
        throw InputError(key + ": found '" + edit->text().toStdString() + "' as " +
                         edit->placeholderText().toStdString() + ", expected a number.");
    return value;
}

std::vector<double> readProbabilities(const std::string& key, const QString& text) {
    std::vector<double> all;
    for (const QString& word : text.split(QLatin1Char(','))) {
        bool ok = false;
        all.push_back(word.trimmed().toDouble(&ok));
        if (!ok)
            throw InputError(key + ": found '" + word.trimmed().toStdString() +
                             "' as probability, expected a number for each value, separated by commas.");
    }
    return all;
}

}  // namespace

void markProblem(QWidget* field, bool problem) {
    if (field && field->property("problem").toBool() != problem) {
        field->setProperty("problem", problem);
        field->style()->unpolish(field);
        field->style()->polish(field);
    }
}

VariationEditor::VariationEditor(Offer offer, QWidget* parent)
    : QWidget(parent),
      m_kind(new QComboBox),
      m_spec(new QStackedWidget),
      m_values(new QLineEdit),
      m_probabilities(new QLineEdit),
      m_first(new QLineEdit),
      m_second(new QLineEdit),
      m_quantum(new QLineEdit),
      m_valuesHint(tr("values, separated by commas")) {
    m_kind->setFixedWidth(kKindWidth);
    for (std::size_t i = 0; i < kKinds.size(); ++i)
        if (offers(offer, kKinds[i].kind))
            m_kind->addItem(QLatin1String(kKinds[i].name), static_cast<int>(i));
    m_probabilities->setPlaceholderText(tr("probabilities: 0.5, 0.3, 0.2"));
    auto* list = new QWidget;
    auto* listRow = makeRow(space::k8);
    listRow->addWidget(m_values, 1);
    listRow->addWidget(m_probabilities, 1);
    list->setLayout(listRow);
    auto* range = new QWidget;
    auto* rangeRow = makeRow(space::k8);
    m_quantum->setPlaceholderText(tr("step"));
    m_quantum->setAccessibleName(tr("step"));
    for (auto* edit : {m_first, m_second, m_quantum}) rangeRow->addWidget(edit);
    range->setLayout(rangeRow);
    m_spec->addWidget(list);
    m_spec->addWidget(range);
    auto* row = makeRow(space::k8);
    row->addWidget(m_kind);
    row->addWidget(m_spec, 1);
    setLayout(row);
    showKind();
    for (auto* edit : {m_values, m_probabilities, m_first, m_second, m_quantum})
        connect(edit, &QLineEdit::textChanged, this, &VariationEditor::changed);
    connect(m_kind, &QComboBox::currentIndexChanged, this, [this] {
        showKind();
        emit changed();
    });
}

void VariationEditor::setName(const QString& name) {
    m_kind->setAccessibleName(tr("How %1 varies").arg(name));
    m_values->setAccessibleName(tr("Values of %1").arg(name));
    m_probabilities->setAccessibleName(tr("Probabilities of %1").arg(name));
}

void VariationEditor::setValuesHint(const QString& hint) {
    m_valuesHint = hint;
    showKind();
}

void VariationEditor::showKind() {
    const auto& kind = kKinds[static_cast<std::size_t>(std::max(0, m_kind->currentData().toInt()))];
    m_spec->setCurrentIndex(sweep::isListed(kind.kind) ? 0 : 1);
    m_values->setPlaceholderText(kind.kind == Kind::Fixed ? tr("a value") : m_valuesHint);
    m_probabilities->setVisible(kind.weighted);
    m_quantum->setVisible(sweep::isQuantized(kind.kind));
    m_first->setPlaceholderText(QLatin1String(kind.first));
    m_second->setPlaceholderText(QLatin1String(kind.second));
    m_first->setAccessibleName(QLatin1String(kind.first));
    m_second->setAccessibleName(QLatin1String(kind.second));
}

void VariationEditor::choose(Kind kind, bool weighted) {
    for (std::size_t i = 0; i < kKinds.size(); ++i)
        if (kKinds[i].kind == kind && kKinds[i].weighted == weighted)
            m_kind->setCurrentIndex(std::max(0, m_kind->findData(static_cast<int>(i))));
}

void VariationEditor::read(sweep::Parameter& parameter, const ReadValues& readValues) const {
    const auto& kind = kKinds[static_cast<std::size_t>(m_kind->currentData().toInt())];
    parameter.kind = kind.kind;
    if (sweep::isListed(parameter.kind)) {
        readValues(parameter, m_values->text().toStdString());
        if (kind.weighted)
            parameter.probabilities = readProbabilities(parameter.key, m_probabilities->text());
    } else {
        for (const auto& [at, edit] : {std::pair(0U, m_first), std::pair(1U, m_second)})
            parameter.*sweep::numbersOf(parameter.kind)[at].member = number(parameter.key, edit);
    }
    if (sweep::isQuantized(parameter.kind)) parameter.q = number(parameter.key, m_quantum);
}

void VariationEditor::setParameter(const sweep::Parameter& parameter, const QString& values) {
    choose(parameter.kind, !parameter.probabilities.empty());
    const auto shown = [](double value) { return QString::fromStdString(shortNumber(value)); };
    if (sweep::isListed(parameter.kind)) {
        m_values->setText(values);
        m_values->setCursorPosition(0);  // of a long text the beginning is shown
        QStringList probabilities;
        for (const double probability : parameter.probabilities) probabilities << shown(probability);
        m_probabilities->setText(probabilities.join(QStringLiteral(", ")));
    } else {
        const auto numbers = sweep::numbersOf(parameter.kind);
        m_first->setText(shown(parameter.*numbers[0].member));
        m_second->setText(shown(parameter.*numbers[1].member));
        m_quantum->setText(shown(parameter.q));
    }
}

VariationEditor::Input VariationEditor::input() const {
    return {m_kind->currentIndex(), m_values->text(), m_probabilities->text(),
            m_first->text(),        m_second->text(), m_quantum->text()};
}

void VariationEditor::setInput(const Input& input) {
    m_values->setText(input.values);
    m_kind->setCurrentIndex(input.kind);
    m_probabilities->setText(input.probabilities);
    m_first->setText(input.first);
    m_second->setText(input.second);
    m_quantum->setText(input.quantum);
}

void VariationEditor::focusField() {
    auto* field = m_spec->currentIndex() == 0 ? m_values : m_first;
    field->setFocus(Qt::TabFocusReason);
    field->selectAll();
}

void VariationEditor::mark(bool problem) {
    for (auto* edit : {m_values, m_probabilities, m_first, m_second, m_quantum}) markProblem(edit, problem);
}

}  // namespace dailies::ui
