#pragma once

#include "core/sweep/program.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace dailies::ui {

class LineListEdit;

/// The program of the user's own that each run starts, as rows of a form: its file, its command with W&B's
/// macros, where its code is, how its processes begin, how it goes on from a checkpoint, and how nested
/// parameters reach it. What has no row (`config_file`, `sources`) stays as it was read.
class ProgramForm : public QWidget {
    Q_OBJECT

public:
    /// `labelWidth`: of the form's other rows, px.
    explicit ProgramForm(int labelWidth, QWidget* parent = nullptr);

    /// What the rows hold; while that can start nothing, what they held before.
    sweep::Program program() const;
    void setProgram(const sweep::Program& program);
    /// All that was typed and chosen, whether or not it makes sense.
    struct Input {
        sweep::Program before;  ///< what `program` gives while the rest makes no sense
        QString file, command;
        int place = 0;
        QString folder;
        sweep::Code code = {};
        bool dotted = false;
        sweep::Start start = sweep::Start::Process;
        std::optional<sweep::Resume> resume = {};
        bool operator==(const Input&) const = default;
    };
    Input input() const;
    void setInput(const Input& input);

    QStringList problems() const;
    void focusFirstProblem();
    /// What the command does in silence and its author may not have meant.
    void setNotices(const QStringList& notices);
    /// Whether the row says something that asks how nested parameters are passed.
    void setHasGroups(bool hasGroups);
    void setFolder(const QString& folder);

signals:
    void changed();
    /// Somebody wants to look for the folder on the cluster, beginning with this one.
    void clusterBrowseRequested(const QString& folder);

private:
    QLabel* addNote(QBoxLayout* column);
    QWidget* makeCodeRow();
    QWidget* makeStartRow();
    QWidget* makeResumeRow();
    void showResume(const std::optional<sweep::Resume>& resume);
    std::optional<sweep::Resume> resume() const;
    sweep::Program read() const;
    QString commandProblem() const;
    QString codeProblem() const;
    void check();
    void browse();

    const int m_labelWidth;
    bool m_filling = false;
    sweep::Program m_before;                   ///< the last that could start something; also what has no row
    sweep::Code m_code;                        ///< as it was read, with what it was made from
    std::optional<sweep::Resume> m_ownResume;  ///< one that no preset has, as the sweep file says it
    QStringList m_notices;
    QLineEdit* m_file;
    LineListEdit* m_command;
    QComboBox* m_place;
    QLineEdit* m_folder;
    QToolButton* m_browse;
    QComboBox* m_start;
    QComboBox* m_resume;
    QComboBox* m_nested;
    QWidget* m_nestedRow;
    QLabel* m_fileNote;
    QLabel* m_commandNote;
    QLabel* m_codeNote;
};

/// The words of a command, one a line; one that a line cannot hold as it is stands as JSON.
QString wordLines(const std::vector<std::string>& words);
std::vector<std::string> wordsFromLines(const QString& lines);

}  // namespace dailies::ui
