#include "ui/launch/sweep_form.h"

#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/sweep/command.h"
#include "core/sweep/resources.h"
#include "core/sweep/strategies/strategy.h"
#include "remote/launch/then_sample.h"
#include "ui/cluster/environment_form.h"
#include "ui/launch/after_form.h"
#include "ui/launch/argument_list.h"
#include "ui/launch/early_stop_form.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/program_form.h"
#include "ui/launch/resources_form.h"
#include "ui/launch/swept_card.h"
#include "ui/launch/then_sample_form.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/popup_completion.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>
#include <limits>
#include <utility>

namespace dailies::ui {

namespace {

QString groupTitle(const std::string& group) {
    if (group.empty()) {
        return QObject::tr("Training");
    }
    if (group == "lora") {
        return QStringLiteral("LoRA");
    }
    QString title = QString::fromStdString(group);
    title[0] = title[0].toUpper();
    return title;
}

/// Whether all of the words stand in the labels of a card; never for none.
bool holdsWords(const QWidget& card, const QStringList& words) {
    QString text;
    for (const auto* label : card.findChildren<QLabel*>()) {
        text += label->text() + QLatin1Char(' ');
    }
    return !words.isEmpty() && std::ranges::all_of(words, [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

}  // namespace

SweepForm::SweepForm(QWidget* parent)
    : QWidget(parent),
      m_column(new QVBoxLayout(this)),
      m_swept(new SweptCard),
      m_program(new ProgramForm(kFormLabelWidth)),
      m_arguments(new ArgumentList),
      m_resources(new ResourcesForm(kFormLabelWidth)),
      m_environment(new EnvironmentForm(kFormLabelWidth, tr("the cluster's"))),
      m_stages(new StagesForm([this] { return sweep(); })) {
    setProperty("clear", true);
    m_column->setContentsMargins(space::k16, space::k16, space::k16, space::k16);
    m_column->setSpacing(space::k12);
    m_column->addWidget(m_swept);
    connect(m_swept, &SweptCard::followed, this, [this](FieldEditor* editor) {
        emit revealRequested(editor);
        editor->focusField();
    });
    addSweepCard();
    addProgramCards();
    addResourcesCard();
    addEnvironmentCard();
    addStagesCard();
    addConfigCards();
    m_column->addStretch();
    setSweep({});
    // the first cards, in the order of `add…Card` above
    addPlainRows(m_sections[0], *m_sections[0].column);
    addPlainRows(m_sections[3], *m_resources->layout());
    addPlainRows(m_sections[4], *m_environment->layout());
    addPlainRows(m_sections[5], *m_sections[5].column);
    applyFilter();
    connect(this, &SweepForm::changed, this, [this] {
        if (m_changedOnly) applyFilter();
    });
}

QVBoxLayout* SweepForm::addCard(const QString& title) {
    auto* card = makeCard();
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(space::k16, space::k12, space::k16, space::k16);
    column->setSpacing(space::k8);
    auto* heading = makeLabel(title, TextStyle::Strong);
    heading->setContentsMargins(0, 0, 0, space::k4);
    column->addWidget(heading);
    m_column->addWidget(card);
    m_sections.push_back({title, card, column, {}});
    return column;
}

void SweepForm::addRow(QVBoxLayout* column, const QString& label, QWidget* field, const QString& help) {
    column->addWidget(makeFormRow(label, field, help, kFormLabelWidth));
}

QLineEdit* SweepForm::addLine(QVBoxLayout* column, const QString& label, const QString& placeholder,
                              const QString& help) {
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(placeholder);
    addRow(column, label, edit, help);
    connect(edit, &QLineEdit::textChanged, this, &SweepForm::changed);
    return edit;
}

QSpinBox* SweepForm::addNumber(QVBoxLayout* column, const QString& label, int minimum, int maximum,
                               const QString& help) {
    auto* box = new QSpinBox;
    box->setRange(minimum, maximum);
    addRow(column, label, box, help);
    connect(box, &QSpinBox::valueChanged, this, &SweepForm::changed);
    return box;
}

void SweepForm::addSweepCard() {
    auto* column = addCard(tr("Sweep"));
    m_name = addLine(column, tr("Name"), tr("sweep"),
                     tr("What the sweep is called in the table and on the cluster."));
    m_experiment =
        addLine(column, tr("Experiment"), tr("Default"), tr("Experiment to group the runs under."));
    m_method = new QComboBox;
    for (const auto& strategy : sweep::strategies()) {
        m_method->addItem(
            QString::fromUtf8(strategy.title.data(), static_cast<int>(strategy.title.size())),
            QString::fromUtf8(strategy.method.data(), static_cast<int>(strategy.method.size())));
    }
    addRow(column, tr("Method"), m_method, tr("How values are picked for swept params."));
    m_runCap = addNumber(column, tr("Runs"), 1, static_cast<int>(sweep::kMaxRuns),
                         tr("How many runs the method draws in all."));
    m_runCapRow = m_runCap->parentWidget();
    m_seed = addNumber(column, tr("Seed"), 0, std::numeric_limits<int>::max(),
                       tr("The same seed draws the same runs."));
    m_seedRow = m_seed->parentWidget();
    auto* metric = new QWidget;
    auto* metricRow = makeRow(space::k8);
    m_metric = new QComboBox;
    m_metric->setEditable(true);
    completeInPopup(*m_metric);
    m_metric->addItems({QStringLiteral("adherence"), QStringLiteral("loss"), QStringLiteral("review/rating"),
                        QStringLiteral("review/arena")});
    m_metric->setAccessibleName(tr("Metric"));
    m_goal = new QComboBox;
    m_goal->addItem(tr("higher is better"), static_cast<int>(sweep::Goal::Maximize));
    m_goal->addItem(tr("lower is better"), static_cast<int>(sweep::Goal::Minimize));
    m_goal->setAccessibleName(tr("Goal"));
    metricRow->addWidget(m_metric, 1);
    metricRow->addWidget(m_goal, 1);
    metric->setLayout(metricRow);
    addRow(column, tr("Metric"), metric, tr("What the sweep's runs are ranked by."));
    m_metricProblem = makeLabel({}, TextStyle::Caption, TextTone::Danger);
    m_metricProblem->setWordWrap(true);
    m_metricProblem->setContentsMargins(kFormLabelWidth + space::k8, 0, 0, 0);
    column->addWidget(m_metricProblem);
    m_earlyStop = new EarlyStopForm(kFormLabelWidth);
    column->addWidget(m_earlyStop);
    m_after = new AfterForm(kFormLabelWidth);
    column->addWidget(m_after);
    addThenSample(column);
    const auto changedHere = [this] {
        updateVisibleRows();
        tell();
    };
    connect(m_method, &QComboBox::currentIndexChanged, this, changedHere);
    connect(m_metric, &QComboBox::currentTextChanged, this, changedHere);
    connect(m_earlyStop, &EarlyStopForm::changed, this, changedHere);
    connect(m_after, &AfterForm::changed, this, changedHere);
    connect(m_goal, &QComboBox::currentIndexChanged, this, &SweepForm::changed);
}

void SweepForm::tell() {
    if (m_filling) return;
    m_stages->showProblem();
    emit changed();
}

void SweepForm::updateVisibleRows() {
    const auto* strategy = sweep::findStrategy(m_method->currentData().toString().toStdString());
    m_runCapRow->setVisible(strategy && strategy->capped);
    m_seedRow->setVisible(strategy && strategy->capped);
    m_after->updateVisibleFields();
    m_thenSample->setVisible(!m_ownProgram);
    m_stages->setVisible(!m_ownProgram);
    const QString problem = metricProblem();
    m_metricProblem->setText(problem);
    m_metricProblem->setVisible(!problem.isEmpty());
}

QString SweepForm::metricProblem() const {
    if (!m_metric->currentText().trimmed().isEmpty()) {
        return {};
    }
    const auto* strategy = sweep::findStrategy(m_method->currentData().toString().toStdString());
    return strategy && strategy->adaptive ? tr("metric: required. Choose the metric this method optimizes.")
           : m_earlyStop->rule()          ? tr("metric: required. Choose the metric early stopping compares.")
                                          : QString();
}

void SweepForm::addProgramCards() {
    const auto refresh = [this] {
        m_program->setHasGroups(m_arguments->hasGroups());
        QStringList notices;
        if (m_ownProgram)
            for (const auto& notice : sweep::commandNotices(sweep())) notices << sanitized(notice);
        m_program->setNotices(notices);
        tell();
    };
    for (const auto& [title, form] : {std::pair<QString, QWidget*>(tr("Program"), m_program),
                                      std::pair<QString, QWidget*>(tr("Parameters"), m_arguments)}) {
        addCard(title)->addWidget(form);
        m_sections.back().ofProgram = true;
    }
    connect(m_program, &ProgramForm::changed, this, refresh);
    connect(m_arguments, &ArgumentList::changed, this, refresh);
    connect(m_arguments, &ArgumentList::added, this, [this](ArgumentRow* row) {
        orderTabs();
        emit revealRequested(row);
    });
}

void SweepForm::addResourcesCard() {
    auto* column = addCard(tr("Resources"));
    column->addWidget(m_resources);
    connect(m_resources, &ResourcesForm::changed, this, &SweepForm::tell);
}

void SweepForm::addEnvironmentCard() {
    auto* column = addCard(tr("Environment"));
    column->addWidget(m_environment);
    connect(m_environment, &EnvironmentForm::changed, this, &SweepForm::tell);
}

void SweepForm::addStagesCard() {
    addCard(tr("Stages"))->addWidget(m_stages);
    connect(m_stages, &StagesForm::changed, this, &SweepForm::tell);
    connect(m_stages, &StagesForm::added, this, [this](QWidget* row) {
        orderTabs();
        emit revealRequested(row);
    });
}

void SweepForm::addThenSample(QVBoxLayout* column) {
    m_thenSample = new ThenSampleForm(kFormLabelWidth);
    column->addWidget(m_thenSample);
    connect(m_thenSample, &ThenSampleForm::changed, this, &SweepForm::tell);
}

std::optional<sweep::SamplingFile> SweepForm::thenSample() const {
    return m_thenSample->sampling();
}

QString SweepForm::thenSampleProblem() const {
    if (const QString problem = m_thenSample->problem(); !problem.isEmpty()) {
        return problem;
    }
    try {
        if (const auto sampling = thenSample()) {
            remote::requireSampleable(sweep(), *sampling);
        }
    } catch (const InputError& error) {
        return QString::fromStdString(error.full());
    }
    return {};
}

void SweepForm::showSweepPrompts() {
    const auto value = editor("sampling.prompts")->value();
    m_thenSample->setSweepPrompts(value ? value->get<std::vector<std::string>>()
                                        : std::vector<std::string>());
}

void SweepForm::setCluster(const remote::ClusterProfile& profile,
                           const std::optional<remote::slurm::ClusterFacts>& facts) {
    m_resources->setCluster(profile, facts);
    if (m_changedOnly) applyFilter();
}

void SweepForm::addConfigCards() {
    std::string group = "none yet";
    QVBoxLayout* column = nullptr;
    for (const auto& field : config::trainSchema()) {
        if (field.group() != group) {
            group = field.group();
            column = addCard(groupTitle(group));
        }
        auto* editor = new FieldEditor(field);
        column->addWidget(editor);
        m_editors.push_back(editor);
        m_sections.back().editors.push_back(editor);
        connect(editor, &FieldEditor::sweptChanged, this, [this, editor] {
            if (!m_filling) {
                pinSwept();
                emit revealRequested(editor);
            }
        });
        connect(editor, &FieldEditor::changed, this, [this, prompts = field.key == "sampling.prompts"] {
            if (!m_filling) {
                if (prompts) {
                    showSweepPrompts();
                }
                applyFilter();
                emit changed();
            }
        });
    }
}

FieldEditor* SweepForm::editor(const std::string& key) const {
    const auto found =
        std::find_if(m_editors.begin(), m_editors.end(), [&](auto* e) { return e->field().key == key; });
    return found == m_editors.end() ? nullptr : *found;
}

QStringList SweepForm::problems() const {
    QStringList problems = m_ownProgram ? m_program->problems() + m_arguments->problems() : QStringList();
    for (const auto* editor : m_editors) {
        if (!editor->problem().isEmpty()) {
            problems << editor->problem();
        }
    }
    for (const QString& problem : {metricProblem(), thenSampleProblem(), m_stages->problem()})
        if (!problem.isEmpty()) problems << problem;
    if (const auto problem = sweep::validationError(m_resources->resources())) {
        problems << QString::fromStdString(*problem);
    }
    if (const QString problem = m_environment->problem(); !problem.isEmpty()) {
        problems << problem;
    }
    return problems;
}

void SweepForm::focusFirstProblem() {
    if (m_ownProgram && !m_program->problems().isEmpty()) {
        emit revealRequested(m_program);
        return m_program->focusFirstProblem();
    }
    if (auto* row = m_ownProgram ? m_arguments->firstProblem() : nullptr) {
        emit revealRequested(row);
        return row->focusField();
    }
    for (auto* editor : m_editors) {
        if (editor->problem().isEmpty()) continue;
        emit revealRequested(editor);
        return editor->focusField();
    }
}

void SweepForm::pinSwept() {
    bool moved = false;
    for (auto& section : m_sections) {
        for (auto* editor : section.editors) {
            const bool pinned = m_swept->placeholderOf(editor);
            if (editor->swept() && !pinned) {
                m_swept->pin(editor, section.column);
            } else if (!editor->swept() && pinned) {
                m_swept->unpin(editor);
            }
            moved = moved || editor->swept() != pinned;
        }
    }
    if (moved) orderTabs();
    applyFilter();
}

void SweepForm::orderTabs() {
    QWidget* last = nullptr;
    const auto goThrough = [this, &last](const QWidget& row) {
        for (auto* field : row.findChildren<QWidget*>()) {
            if (!(field->focusPolicy() & Qt::TabFocus) || field->focusProxy()) continue;
            if (field->window() != window()) continue;  // a popup's
            if (last) setTabOrder(last, field);
            last = field;
        }
    };
    goThrough(*m_swept);
    for (const auto& section : m_sections)
        for (int i = 0; i < section.column->count(); ++i)
            if (const auto* row = section.column->itemAt(i)->widget()) goThrough(*row);
}

void SweepForm::addPlainRows(Section& section, const QLayout& layout) {
    for (int i = 0; i < layout.count(); ++i) {
        auto* widget = layout.itemAt(i)->widget();
        if (!widget) continue;
        if (!qobject_cast<QLabel*>(widget))
            section.rows.push_back({widget, valuesIn(*widget), {}});
        else if (!section.rows.empty())  // the first of a card is its heading
            section.rows.back().captions.push_back(widget);
    }
}

void SweepForm::showPlainRows() {
    if (!m_changedOnly && !m_someRowsHidden) return;
    m_someRowsHidden = m_changedOnly;
    for (const auto& section : m_sections)
        for (const auto& row : section.rows) row.row->show();
    updateVisibleRows();
    m_resources->updateVisibleRows();
    m_environment->updateVisibleRows();
    if (!m_changedOnly) return;
    for (const auto& section : m_sections) {
        for (const auto& [row, usual, captions] : section.rows) {
            if (valuesIn(*row) != usual || row->isAncestorOf(QApplication::focusWidget())) continue;
            if (row->isAncestorOf(m_metric) && !metricProblem().isEmpty()) continue;
            row->hide();
            for (auto* caption : captions) caption->hide();
        }
    }
}

void SweepForm::showOnly(const QString& words, bool changedOnly) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_changedOnly = changedOnly;
    applyFilter();
}

FieldEditor* SweepForm::firstShown() const {
    auto found = std::ranges::find_if(
        m_editors, [this](const auto* editor) { return isShown(*editor) && editor->isNamed(m_words); });
    if (found == m_editors.end())
        found = std::ranges::find_if(m_editors, [this](const auto* editor) { return isShown(*editor); });
    return found == m_editors.end() ? nullptr : *found;
}

bool SweepForm::isShown(const FieldEditor& editor) const {
    return !m_ownProgram && editor.matches(m_words) &&
           (editor.modified() || (editor.isRelevant() && !m_changedOnly));
}

/// A row that is being typed in stays while it is.
void SweepForm::applyFilter() {
    const auto valuesOf = [this](const config::Field& field) -> std::vector<Json> {
        const auto* row = editor(field.key);
        if (row->swept()) {
            const auto parameter = row->parameter();
            return parameter ? parameter->values : std::vector<Json>();
        }
        return {row->value().value_or(field.defaultValue())};
    };
    showPlainRows();
    const bool everything = m_words.isEmpty() && !m_changedOnly;
    bool anySwept = false;
    for (const auto& section : m_sections) {
        bool any =
            section.ofProgram
                ? m_ownProgram && (m_words.isEmpty() || holdsWords(*section.card, m_words) ||
                                   (section.card->isAncestorOf(m_arguments) && m_arguments->holds(m_words)))
                : (m_words.isEmpty() || holdsWords(*section.card, m_words)) &&
                      std::ranges::any_of(section.rows,
                                          [](const PlainRow& row) { return !row.row->isHidden(); });
        for (auto* editor : section.editors) {
            editor->setRelevant(config::applies(editor->field(), valuesOf));
            const bool shown = isShown(*editor) || editor->isAncestorOf(QApplication::focusWidget());
            editor->setVisible(shown);
            if (auto* placeholder = m_swept->placeholderOf(editor)) {
                placeholder->setVisible(everything);
                any = any || everything;
                anySwept = anySwept || shown;
            } else {
                any = any || shown;
            }
        }
        section.card->setVisible(any);
    }
    m_swept->setVisible(anySwept);
}

sweep::Sweep SweepForm::sweep() const {
    sweep::Sweep sweep = m_base;
    sweep.name = trimmedText(m_name).empty() ? "sweep" : trimmedText(m_name);
    sweep.experiment = trimmedText(m_experiment).empty() ? "Default" : trimmedText(m_experiment);
    sweep.method = m_method->currentData().toString().toStdString();
    if (sweep::findStrategy(sweep.method)->capped) {
        sweep.runCap = m_runCap->value();
        // a seed of a file that no spin box holds stays as long as it is not changed
        sweep.seed = m_base.seed > m_seed->maximum() || m_base.seed < 0 ? m_base.seed : m_seed->value();
    }
    sweep.earlyStop = m_earlyStop->rule();
    sweep.metric = m_metric->currentText().trimmed().toStdString();
    sweep.goal = static_cast<sweep::Goal>(m_goal->currentData().toInt());

    sweep.resources = m_resources->resources();
    sweep.environment = m_environment->environment();
    sweep.after = m_after->after();

    sweep.parameters.clear();
    sweep.config = Json::object();
    sweep.program.reset();
    if (m_ownProgram) {
        sweep.program = m_program->program();
        sweep.parameters = m_arguments->parameters();
        sweep.stages.clear();
        return sweep;
    }
    sweep.stages = m_stages->stages(sweep.resources);
    sweep.sampleCheckpoints.reset();
    for (const auto* editor : m_editors) {
        if (auto parameter = editor->parameter()) {
            sweep.parameters.push_back(std::move(*parameter));
        } else if (auto value = editor->value()) {
            config::setByKey(sweep.config, editor->field().key, std::move(*value));
        }
    }
    // A strategy draws in the order of the file: the form must not make another sweep of it by showing it.
    const auto placeInFile = [this](const sweep::Parameter& parameter) {
        return std::ranges::find(m_base.parameters, parameter.key, &sweep::Parameter::key);
    };
    std::ranges::stable_sort(sweep.parameters, {}, placeInFile);
    return sweep;
}

void SweepForm::setSweep(const sweep::Sweep& sweep) {
    {
        const QSignalBlocker quiet(this);
        m_thenSample->turnOff();
    }
    editSweep(sweep);
}

SweepForm::Input SweepForm::input() const {
    Input input{.sweep = sweep(), .thenSample = m_thenSample->input(), .stages = m_stages->input()};
    for (const auto* editor : m_editors) input.fields[editor->field().key] = editor->input();
    if (m_ownProgram) {
        input.program = m_program->input();
        input.arguments = m_arguments->input();
    }
    return input;
}

void SweepForm::fillProgram(const sweep::Sweep& sweep, const Input* input) {
    if (!m_ownProgram) return;
    input && input->program ? m_program->setInput(*input->program) : m_program->setProgram(*sweep.program);
    input && input->program ? m_arguments->setInput(input->arguments)
                            : m_arguments->setParameters(sweep.parameters);
}

void SweepForm::setInput(const Input& input) {
    fill(input.sweep, &input);
}

void SweepForm::editSweep(const sweep::Sweep& sweep) {
    fill(sweep, nullptr);
}

void SweepForm::fill(const sweep::Sweep& sweep, const Input* input) {
    m_filling = true;
    bool ownProgramChanged = false;
    {
        const QSignalBlocker quiet(this);
        m_base = sweep;
        m_name->setText(QString::fromStdString(sweep.name));
        m_experiment->setText(QString::fromStdString(sweep.experiment));
        m_method->setCurrentIndex(std::max(0, m_method->findData(QString::fromStdString(sweep.method))));
        m_runCap->setValue(sweep.runCap.value_or(16));
        m_seed->setValue(
            static_cast<int>(std::clamp<std::int64_t>(sweep.seed, 0, std::numeric_limits<int>::max())));
        m_earlyStop->setRule(sweep.earlyStop);
        m_metric->setCurrentText(QString::fromStdString(sweep.metric));
        m_goal->setCurrentIndex(sweep.goal == sweep::Goal::Maximize ? 0 : 1);
        m_resources->setResources(sweep.resources);
        m_environment->setEnvironment(sweep.environment);
        m_after->setAfter(sweep.after);
        input && input->stages ? m_stages->setInput(*input->stages) : m_stages->setStages(sweep.stages);
        ownProgramChanged = std::exchange(m_ownProgram, sweep.program.has_value()) != m_ownProgram;
        if (m_ownProgram) m_thenSample->turnOff();
        fillProgram(sweep, input);
        updateVisibleRows();
        for (auto* editor : m_editors) {
            editor->reset();
        }
        const auto ofSchema = m_ownProgram ? std::vector<sweep::Parameter>() : sweep.parameters;
        const Json flat = config::flatten(sweep.config);
        for (const auto& [key, value] : flat.items()) {
            if (auto* row = editor(key)) {
                row->setValue(value);
            }
        }
        for (const auto& parameter : ofSchema) {
            if (auto* row = editor(parameter.key)) {
                row->setParameter(parameter);
            }
        }
        if (input) {
            for (const auto& [key, typed] : input->fields) {
                if (auto* row = editor(key)) row->setInput(typed);
            }
            input->thenSample ? m_thenSample->setInput(*input->thenSample) : m_thenSample->turnOff();
        }
        showSweepPrompts();
    }
    m_filling = false;
    pinSwept();
    if (m_ownProgram) orderTabs();
    if (ownProgramChanged) emit sectionsChanged();
    emit changed();
}

}  // namespace dailies::ui
