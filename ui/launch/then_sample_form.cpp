#include "ui/launch/then_sample_form.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/line_list_edit.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>

namespace dailies::ui {

namespace {

constexpr int kPromptLines = 3;

std::string trimmed(const QLineEdit* edit) {
    return edit->text().trimmed().toStdString();
}

}  // namespace

ThenSampleForm::ThenSampleForm(int labelWidth, QWidget* parent)
    : QWidget(parent),
      m_on(new QCheckBox(tr("sample the newest checkpoint of each run"))),
      m_prompts(new LineListEdit(kPromptLines)),
      m_seeds(new QLineEdit(QStringLiteral("0..3"))),
      m_guidance(new QLineEdit),
      m_steps(new QLineEdit),
      m_state(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_fields(new QWidget) {
    auto* fields = makeColumn(space::k8);
    const auto add = [&](QBoxLayout* column, const QString& label, QWidget* field, const QString& help) {
        column->addWidget(makeFormRow(label, field, help, labelWidth));
    };
    m_prompts->setPlaceholderText(tr("red square moves left"));
    add(fields, tr("Prompts"), m_prompts, tr("One a line; a clip of each with each seed."));
    add(fields, tr("Seeds"), m_seeds, tr("Seeds, e.g. 0..3 or 1,5,9"));
    m_guidance->setPlaceholderText(tr("as the run sampled"));
    add(fields, tr("Guidance"), m_guidance, tr("One scale or several, as 1,3,5"));
    m_steps->setPlaceholderText(tr("as the run sampled"));
    add(fields, tr("Sampler steps"), m_steps, tr("One count or several, as 10,50"));
    m_fields->setLayout(fields);

    m_state->setWordWrap(true);
    m_state->setContentsMargins(labelWidth + space::k8, 0, 0, 0);
    auto* column = makeColumn(space::k8);
    add(column, tr("After training"), m_on,
        tr("Submits a second job that waits for each run and samples its latest checkpoint. Failed runs are "
           "skipped."));
    column->addWidget(m_fields);
    column->addWidget(m_state);
    setLayout(column);

    connect(m_on, &QCheckBox::toggled, this, &ThenSampleForm::refresh);
    connect(m_prompts, &QPlainTextEdit::textChanged, this, [this] {
        m_typed = true;
        refresh();
    });
    for (auto* edit : {m_seeds, m_guidance, m_steps})
        connect(edit, &QLineEdit::textChanged, this, &ThenSampleForm::refresh);
    refresh();
}

sweep::SamplingFile ThenSampleForm::read() const {
    sweep::SamplingFile file;
    auto& job = file.job;
    job.prompts = config::parsePrompts(m_prompts->toPlainText().toStdString(), "The prompts");
    job.seeds = config::parseWholeNumbers(trimmed(m_seeds), "Seeds");
    if (!trimmed(m_guidance).empty()) job.guidance = config::parseNumbers(trimmed(m_guidance), "Guidance");
    if (!trimmed(m_steps).empty()) job.steps = config::parseWholeNumbers(trimmed(m_steps), "Sampler steps");
    config::throwIfInvalid(job);
    return file;
}

std::optional<sweep::SamplingFile> ThenSampleForm::sampling() const {
    if (!m_on->isChecked() || !problem().isEmpty()) return std::nullopt;
    return read();
}

QString ThenSampleForm::problem() const {
    if (!m_on->isChecked()) return {};
    try {
        read();
    } catch (const InputError& error) {
        return QString::fromStdString(error.full());
    }
    return {};
}

ThenSampleForm::Input ThenSampleForm::input() const {
    return {m_on->isChecked(),  m_typed,        m_prompts->toPlainText(), m_seeds->text(),
            m_guidance->text(), m_steps->text()};
}

void ThenSampleForm::setInput(const Input& input) {
    m_on->setChecked(input.on);
    m_prompts->setPlainText(input.prompts);
    m_typed = input.typed;
    m_seeds->setText(input.seeds);
    m_guidance->setText(input.guidance);
    m_steps->setText(input.steps);
}

void ThenSampleForm::turnOff() {
    m_on->setChecked(false);
}

void ThenSampleForm::setSweepPrompts(const std::vector<std::string>& prompts) {
    if (m_typed && m_on->isChecked()) return;
    const QSignalBlocker quiet(m_prompts);
    m_prompts->setPlainText(QString::fromStdString(join(prompts, "\n")));
    m_typed = false;
}

void ThenSampleForm::refresh() {
    m_fields->setVisible(m_on->isChecked());
    m_state->setVisible(m_on->isChecked());
    if (const QString wrong = problem(); !wrong.isEmpty()) {
        setTone(m_state, TextTone::Danger);
        m_state->setText(wrong);
    } else if (m_on->isChecked()) {
        auto job = read().job;
        job.checkpoints = {"newest"};
        setTone(m_state, TextTone::Muted);
        m_state->setText(job.clips() == 1 ? tr("1 clip of each run")
                                          : tr("%1 clips of each run").arg(job.clips()));
    }
    emit changed();
}

}  // namespace dailies::ui
