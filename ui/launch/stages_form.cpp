#include "ui/launch/stages_form.h"

#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/sweep/stage_yaml.h"
#include "core/sweep/stages.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

/// The step at which the runs end so far.
std::int64_t lastStep(const sweep::Sweep& sweep) {
    const Json keys = config::flatten(sweep.stages.empty() ? sweep.config : sweep.stages.back().config);
    return keys.value("steps", config::TrainConfig().steps);
}

}  // namespace

StagesForm::StagesForm(std::function<sweep::Sweep()> sweep, QWidget* parent)
    : QWidget(parent),
      m_sweep(std::move(sweep)),
      m_column(makeColumn(space::k8)),
      m_none(makeLabel(tr("None: each run is trained in one piece."), TextStyle::Caption, TextTone::Muted)),
      m_problem(makeLabel({}, TextStyle::Caption, TextTone::Danger)),
      m_add(makeButton(tr("Add stage"), ButtonKind::Ghost, QStringLiteral("plus"))) {
    m_add->setToolTip(
        tr("Train on from the last stage's checkpoints with another size, data set, layout or "
           "number of nodes"));
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* foot = makeRow(0);
    foot->addWidget(m_add);
    foot->addStretch();
    auto* column = makeColumn(space::k8);
    column->addWidget(m_none);
    column->addLayout(m_column);
    column->addWidget(m_problem);
    column->addLayout(foot);
    setLayout(column);
    connect(m_add, &QPushButton::clicked, this, &StagesForm::addNext);
}

/// The first stage is what the form holds; the next one ends as many steps later as it takes.
void StagesForm::addNext() {
    const auto sweep = m_sweep();
    const auto steps = config::flatten(sweep.config).value("steps", config::TrainConfig().steps);
    if (m_rows.empty()) addRow({tr("stage-1"), {}});
    auto* row = addRow(
        {tr("stage-%1").arg(m_rows.size() + 1), QStringLiteral("steps: %1").arg(lastStep(sweep) + steps)});
    tell();
    emit added(row);
    m_rows.back().changes->setFocus();
}

QWidget* StagesForm::addRow(const Row& text) {
    auto* row = new QWidget;
    Fields fields{row, new QLineEdit(text.name), new QLineEdit(text.changes)};
    fields.name->setAccessibleName(tr("Name of the stage"));
    fields.name->setPlaceholderText(tr("name"));
    fields.name->setFixedWidth(kFormLabelWidth);
    fields.changes->setAccessibleName(tr("What changes in the stage"));
    fields.changes->setPlaceholderText(tr("as in the form"));
    fields.changes->setToolTip(
        tr("Config keys and resources that differ from the form, such as\nsteps: 20000, data.height: 512, "
           "data.width: 512, nodes: 8\nsteps is the step at which the stage ends."));
    auto* remove = makeIconButton(QStringLiteral("close"), tr("Remove this stage"));
    auto* line = makeRow(space::k8);
    line->addWidget(fields.name);
    line->addWidget(fields.changes, 1);
    line->addWidget(remove);
    row->setLayout(line);
    m_column->addWidget(row);
    row->show();
    m_rows.push_back(fields);
    for (auto* edit : {fields.name, fields.changes})
        connect(edit, &QLineEdit::textChanged, this, &StagesForm::tell);
    connect(remove, &QToolButton::clicked, this, [this, row] {
        this->remove(row);
        tell();
        m_add->setFocus(Qt::OtherFocusReason);
    });
    return row;
}

void StagesForm::remove(QWidget* row) {
    std::erase_if(m_rows, [row](const Fields& fields) { return fields.row == row; });
    m_column->removeWidget(row);
    row->hide();
    row->deleteLater();  // it is the sender's parent
}

void StagesForm::tell() {
    m_none->setVisible(m_rows.empty());
    if (!m_filling) emit changed();
}

std::vector<sweep::Stage> StagesForm::stages(const sweep::Resources& resources) const {
    std::vector<sweep::Stage> stages;
    for (const auto& fields : m_rows) {
        try {
            stages.push_back(sweep::stageFromChanges(trimmedText(fields.name),
                                                     fields.changes->text().toStdString(), resources));
        } catch (const InputError&) {
            continue;  // `problem` says it
        }
    }
    return stages;
}

void StagesForm::setStages(const std::vector<sweep::Stage>& stages) {
    Input input;
    for (const auto& stage : stages)
        input.push_back(
            {QString::fromStdString(stage.name), QString::fromStdString(sweep::changesText(stage))});
    setInput(input);
}

StagesForm::Input StagesForm::input() const {
    Input input;
    for (const auto& fields : m_rows) input.push_back({fields.name->text(), fields.changes->text()});
    return input;
}

/// A row that holds the same already is left alone: it may be the one that is typed in.
void StagesForm::setInput(const Input& input) {
    if (input == this->input()) return;
    m_filling = true;
    while (!m_rows.empty()) remove(m_rows.back().row);
    for (const auto& row : input) addRow(row);
    m_filling = false;
    tell();
}

QString StagesForm::problem() const {
    if (m_rows.empty()) return {};
    const auto sweep = m_sweep();
    for (const auto& fields : m_rows) {
        const auto name = trimmedText(fields.name);
        if (name.empty()) return tr("stages: required. Give each stage a name.");
        try {
            sweep::stageFromChanges(name, fields.changes->text().toStdString(), sweep.resources);
        } catch (const InputError& error) {
            return QString::fromStdString(error.full());
        }
    }
    for (std::size_t i = 0; i < sweep.stages.size(); ++i)
        if (const auto problem = sweep::stageProblem(sweep, i); !problem.empty())
            return QString::fromStdString(problem);
    return {};
}

void StagesForm::showProblem() {
    const QString problem = this->problem();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

}  // namespace dailies::ui
