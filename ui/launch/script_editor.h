#pragma once

#include "remote/job_script/script_edit.h"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;

namespace dailies::ui {

class CodeEditor;

/// The sbatch script as the form makes it, until a person edits it: from then on their lines stay while the
/// rest follows the form, what they changed is marked, and a line that Dailies needs is missed at once.
class ScriptEditor : public QWidget {
    Q_OBJECT

public:
    explicit ScriptEditor(QWidget* parent = nullptr);

    /// The script of the sweep as it is now; `workspace` as the profile writes it.
    void setGenerated(const std::string& script, const std::string& workspace);
    /// Whether the script is one that may be changed: that of several stages is not. An edit is a problem
    /// then.
    void setEditable(bool editable);
    /// The sweep makes no script at the moment; an edit is kept for when it does again.
    void clearGenerated();

    void startEditing();
    void restore(const remote::ScriptEdit& edit);  ///< follows the script that the form makes next
    void reset();  ///< the generated script again; what was dropped can be brought back

    /// What a person changed; nullopt: nothing.
    std::optional<remote::ScriptEdit> edit() const;
    /// The first line that is broken, for a person; empty: none.
    QString problem() const;
    QString text() const;
    QString note() const;

signals:
    void changed();

private:
    void showText(const std::string& text);
    void evaluate();
    void showState();

    QLabel* m_state;
    QLabel* m_note;
    QPushButton* m_edit;
    QPushButton* m_reset;
    QPushButton* m_bringBack;
    CodeEditor* m_code;
    std::string m_generated, m_workspace;
    bool m_editing = false;
    bool m_editable = true;
    std::size_t m_changed = 0;  ///< lines that differ from the generated script
    std::optional<remote::ScriptEdit> m_dropped;
    std::vector<std::size_t> m_conflicts;
    std::vector<remote::ScriptProblem> m_problems;
};

}  // namespace dailies::ui
