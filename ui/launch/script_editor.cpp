#include "ui/launch/script_editor.h"

#include "remote/job_script/three_way_merge.h"
#include "ui/launch/code_editor.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>

#include <algorithm>
#include <set>

namespace dailies::ui {

ScriptEditor::ScriptEditor(QWidget* parent)
    : QWidget(parent),
      m_state(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_note(makeLabel({}, TextStyle::Caption, TextTone::Warning)),
      m_edit(makeButton(tr("Edit"), ButtonKind::Normal)),
      m_reset(makeButton(tr("Reset"), ButtonKind::Normal)),
      m_bringBack(makeButton(tr("Restore my edits"), ButtonKind::Ghost)),
      m_code(new CodeEditor(tr("The sbatch script"))) {
    m_edit->setToolTip(tr("Edit the script. Your version is submitted and saved with the runs."));
    m_reset->setToolTip(tr("The script as the form makes it"));
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = makeRow(space::k8);
    row->addWidget(m_state, 1);
    row->addWidget(m_bringBack);
    row->addWidget(m_reset);
    row->addWidget(m_edit);
    auto* column = makeColumn(space::k8);
    column->addLayout(row);
    column->addWidget(m_note);
    column->addWidget(m_code, 1);
    setLayout(column);
    connect(m_edit, &QPushButton::clicked, this, &ScriptEditor::startEditing);
    connect(m_reset, &QPushButton::clicked, this, &ScriptEditor::reset);
    connect(m_bringBack, &QPushButton::clicked, this, [this] {
        if (!m_dropped) {
            return;
        }
        const auto followed = remote::rebaseEdit(*m_dropped, m_generated);
        m_conflicts = followed.conflicts;
        m_dropped.reset();
        startEditing();
        showText(followed.edit.text);
        evaluate();
    });
    connect(m_code, &QPlainTextEdit::textChanged, this, [this] {
        if (m_editing) {
            m_conflicts.clear();  // they are numbered as the text was
            evaluate();
        }
    });
    showState();
}

void ScriptEditor::showText(const std::string& text) {
    const QSignalBlocker quiet(m_code);
    m_code->replaceText(QString::fromStdString(text));
}

void ScriptEditor::setGenerated(const std::string& script, const std::string& workspace) {
    if (const auto mine = edit()) {
        const auto followed = remote::rebaseEdit(*mine, script);
        m_generated = script;
        m_workspace = workspace;
        showText(followed.edit.text);
        if (!followed.conflicts.empty()) {
            m_conflicts = followed.conflicts;
        }
    } else {
        m_generated = script;
        m_workspace = workspace;
        if (m_code->toPlainText() != QString::fromStdString(script)) {
            const QSignalBlocker quiet(m_code);
            m_code->setPlainText(QString::fromStdString(script));
        }
    }
    evaluate();
}

void ScriptEditor::setEditable(bool editable) {
    m_editable = editable;
    showState();
}

void ScriptEditor::clearGenerated() {
    if (!edit()) {
        m_generated.clear();
        const QSignalBlocker quiet(m_code);
        m_code->clear();
    }
    evaluate();
}

void ScriptEditor::startEditing() {
    m_editing = true;
    m_code->setReadOnly(false);
    m_code->setFocus();
    showState();
}

void ScriptEditor::restore(const remote::ScriptEdit& edit) {
    m_editing = true;
    m_code->setReadOnly(false);
    m_conflicts.clear();
    m_generated = edit.from;
    showText(edit.text);
    evaluate();
}

void ScriptEditor::reset() {
    m_dropped = edit();
    m_editing = false;
    m_code->setReadOnly(true);
    m_conflicts.clear();
    {
        const QSignalBlocker quiet(m_code);
        m_code->setPlainText(QString::fromStdString(m_generated));
    }
    evaluate();
}

void ScriptEditor::evaluate() {
    const std::string now = text().toStdString();
    m_problems =
        edit() ? remote::validateScript(now, m_generated, m_workspace) : std::vector<remote::ScriptProblem>{};
    std::vector<bool> mine;
    if (edit()) {
        mine = remote::changedLines(m_generated, now);
    }
    m_changed = static_cast<std::size_t>(std::ranges::count(mine, true));
    std::set<std::size_t> broken;
    for (const auto& entry : m_problems) {
        if (entry.line > 0) {
            broken.insert(entry.line);
        }
    }
    m_code->setMarks(std::move(mine), std::move(broken));
    if (edit()) {
        m_dropped.reset();
    }
    showState();
    emit changed();
}

void ScriptEditor::showState() {
    const bool edited = edit().has_value();
    const auto lines = static_cast<int>(m_changed);
    m_state->setText(edited && lines == 0   ? tr("Edited: lines removed")
                     : edited && lines == 1 ? tr("1 line edited; the rest follows the form")
                     : edited               ? tr("%1 lines edited; the rest follows the form").arg(lines)
                     : m_editing            ? tr("Edits are saved with the runs")
                                            : tr("Generated from the form"));
    m_edit->setVisible(!m_editing && m_editable);
    m_edit->setEnabled(!m_generated.empty());
    m_reset->setVisible(m_editing);
    m_bringBack->setVisible(m_dropped.has_value() && !m_editing);
    QString note = problem();
    setTone(m_note, note.isEmpty() ? TextTone::Warning : TextTone::Danger);
    if (m_problems.size() > 1) {
        note += tr(" (%1 lines in all)").arg(m_problems.size());
    }
    if (note.isEmpty() && !m_conflicts.empty()) {
        note = tr("Line %1 stays as you wrote it; the form has changed it since.").arg(m_conflicts.front());
    }
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

std::optional<remote::ScriptEdit> ScriptEditor::edit() const {
    if (!m_editing) {
        return std::nullopt;
    }
    const std::string now = text().toStdString();
    if (now == m_generated) {
        return std::nullopt;
    }
    return remote::ScriptEdit{now, m_generated};
}

QString ScriptEditor::problem() const {
    if (!m_editable && edit()) return tr("Each stage has a script of its own: discard the edit.");
    return m_problems.empty() ? QString() : QString::fromStdString(m_problems.front().full());
}

QString ScriptEditor::text() const {
    return m_code->toPlainText();
}

QString ScriptEditor::note() const {
    return m_note->text();
}

}  // namespace dailies::ui
