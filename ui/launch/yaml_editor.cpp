#include "ui/launch/yaml_editor.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/launch/code_editor.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QRegularExpression>

#include <set>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kTypingPauseMs = 300;

/// The lines that a message names.
std::set<std::size_t> linesIn(const QString& message) {
    static const QRegularExpression named(QStringLiteral("line (\\d+)"));
    std::set<std::size_t> lines;
    for (auto found = named.globalMatch(message); found.hasNext();)
        lines.insert(found.next().captured(1).toULongLong());
    return lines;
}

}  // namespace

YamlEditor::YamlEditor(QWidget* parent)
    : QWidget(parent),
      m_state(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_code(new CodeEditor(tr("The sweep as YAML"))) {
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_code->setReadOnly(false);
    auto* column = makeColumn(space::k8);
    column->addWidget(m_state);
    column->addWidget(m_code, 1);
    setLayout(column);
    m_later.setSingleShot(true);
    m_later.setInterval(kTypingPauseMs);
    connect(&m_later, &QTimer::timeout, this, &YamlEditor::read);
    connect(m_code, &QPlainTextEdit::textChanged, &m_later, qOverload<>(&QTimer::start));
    showState();
}

void YamlEditor::display(const sweep::Sweep& sweep, int leftOut) {
    const std::string before = std::exchange(m_sweepYaml, sweep::toYaml(sweep));
    m_leftOut = leftOut;
    if (!m_reading && m_sweepYaml != before && m_problem.isEmpty()) writeSweep();
    showState();
}

void YamlEditor::discard() {
    if (m_problem.isEmpty()) return;
    writeSweep();
    showState();
}

void YamlEditor::writeSweep() {
    m_later.stop();
    m_notice.clear();
    const QSignalBlocker quiet(m_code);
    m_code->replaceText(QString::fromStdString(m_sweepYaml));
    setProblem({});
}

void YamlEditor::restore(const QString& text) {
    m_later.stop();
    m_notice.clear();
    const QSignalBlocker quiet(m_code);
    m_code->replaceText(text);
    QString problem;
    try {
        // what was typed a moment before is not in the form yet
        if (sweep::toYaml(sweep::parseSweep(text.toStdString(), "YAML")) != m_sweepYaml) m_later.start();
    } catch (const Error& error) {
        problem = sanitized(error.full());
    }
    setProblem(problem);
    showState();
}

QString YamlEditor::text() const {
    return m_code->toPlainText();
}

void YamlEditor::read() {
    try {
        std::vector<std::string> notices;
        const auto sweep = sweep::parseSweep(text().toStdString(), "YAML", &notices);
        m_notice = sanitized(join(notices, " "));
        m_reading = true;
        emit edited(sweep);
        m_reading = false;
        setProblem({});
    } catch (const Error& error) {
        m_reading = false;
        setProblem(sanitized(error.full()));
    }
    showState();
}

void YamlEditor::setProblem(const QString& problem) {
    if (problem == m_problem) return;
    m_problem = problem;
    m_code->setMarks({}, linesIn(problem));
    emit problemChanged();
}

void YamlEditor::showState() {
    const QString leftOut = m_leftOut == 1 ? tr("1 marked item of the form is left out.")
                                           : tr("%1 marked items of the form are left out.").arg(m_leftOut);
    setTone(m_state, !m_problem.isEmpty() ? TextTone::Danger
                     : m_leftOut > 0      ? TextTone::Warning
                                          : TextTone::Muted);
    m_state->setText(!m_problem.isEmpty()  ? m_problem
                     : m_leftOut > 0       ? leftOut
                     : !m_notice.isEmpty() ? m_notice
                                           : tr("Synced with the form"));
}

}  // namespace dailies::ui
