#pragma once

#include "ui/bridge/run_async.h"

#include <QDialog>
#include <QIcon>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

class QLineEdit;
class QListWidget;

namespace dailies::ui {

/// Goes anywhere by typing: pages, actions, and every run by its name or the beginning of its id. Closes when
/// something is chosen, with Escape, and when another window is clicked.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    struct Command {
        QString title;
        QString hint = {};  ///< its key, or what kind of thing it is
        QString iconName = {};
        std::function<void()> call = {};
    };

    /// The runs are read from the store while the palette is open; `openRun` is called with the chosen one.
    CommandPalette(std::vector<Command> commands, const std::filesystem::path& storeFile,
                   std::function<void(const std::string&)> openRun, QWidget* parent);

    QLineEdit& field() { return *m_field; }
    QListWidget& list() { return *m_list; }
    bool settled() const { return !m_reading; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refilter();
    void choose();

    std::vector<Command> m_commands;  ///< pages and actions first, then runs, newest first
    std::vector<const Command*> m_shown;
    bool m_reading = false;
    QLineEdit* m_field;
    QListWidget* m_list;
};

}  // namespace dailies::ui
