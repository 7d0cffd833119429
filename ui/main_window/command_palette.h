#pragma once

#include "ui/bridge/run_async.h"

#include <QDialog>
#include <QIcon>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace dailies::ui {

/// Goes anywhere by typing: pages, actions, every sweep by its name, and every run by its name or the
/// beginning of its id. What is called exactly as typed comes first, then what begins so. Closes when
/// something is chosen, with Escape, and when another window is clicked.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    struct Command {
        QString title;
        QString hint = {};  ///< its key, or what kind of thing it is
        QString iconName = {};
        std::function<void()> call = {};
        QString name = {};    ///< what it is called without the page that leads the title; empty: the title
        bool enabled = true;  ///< others are shown, last and faint, so that nobody looks for them
        QString disabledReason = {};  ///< what others lack; empty: not known
        QString plainName = {};       ///< without what it acts on, by which it is found, too: "Archive runs"
        QString words = {};           ///< by which it is found, too: "extend"
        QString details = {};         ///< found by them, too, and told under the title by a tooltip
    };

    /// The sweeps and runs are read from the store while the palette is open; `openSweep` is called with the
    /// name of the chosen one, `openRun` with its id.
    CommandPalette(std::vector<Command> commands, const std::filesystem::path& storeFile,
                   std::function<void(const std::string&)> openSweep,
                   std::function<void(const std::string&)> openRun, QWidget* parent);

    QLineEdit& field() { return *m_field; }
    QListWidget& list() { return *m_list; }
    bool isSettled() const { return !m_reading; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refilter();
    void choose();

    std::vector<Command> m_commands;  ///< pages and actions first, then sweeps, then runs, newest first
    std::vector<const Command*> m_shown;
    bool m_reading = false;
    QLineEdit* m_field;
    QListWidget* m_list;
    QLabel* m_none;  ///< in the list's place while nothing matches
};

}  // namespace dailies::ui
