#pragma once

#include "core/sweep/sweep.h"

#include <QWidget>

#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;

namespace dailies::ui {

/// The words that the first and the last run of a sweep are started with, as they are typed in a shell.
class CommandView : public QWidget {
    Q_OBJECT

public:
    explicit CommandView(QWidget* parent = nullptr);

    /// `commands` parallel to `runs`, which are those of `sweep`.
    void setCommands(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                     const std::vector<std::vector<std::string>>& commands);
    void clear();
    QString text() const;

private:
    struct Block {
        QLabel* heading;
        QPlainTextEdit* words;
    };
    Block addBlock(const QString& name);
    static void show(const Block& block, const QString& heading, const QString& words);

    QLabel* m_none;
    Block m_first, m_last, m_sampling;
};

/// A command in lines of a shell: what is started first, then a line for each long option.
QString commandLines(const std::vector<std::string>& words);

}  // namespace dailies::ui
