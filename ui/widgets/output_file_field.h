#pragma once

#include <QWidget>

#include <filesystem>

class QLineEdit;
class QPushButton;

namespace dailies::ui {

/// What a person is asked before a file is written.
enum class WriteConfirmation { None, Replace, CreateFolder };

/// Touches the disk: not on the GUI thread.
WriteConfirmation confirmationNeeded(const std::filesystem::path& file);
/// Makes the folder where that was agreed to; else the question that is still to be asked. Touches the disk.
WriteConfirmation prepareToWrite(const std::filesystem::path& file, WriteConfirmation agreed);

/// Where a dialog writes to: the file's name, and a button that chooses it. It keeps what was asked about
/// this file; pressing the dialog's button again is the answer, another name takes the question back.
class OutputFileField : public QWidget {
    Q_OBJECT

public:
    explicit OutputFileField(QWidget* parent = nullptr);

    QString text() const;
    std::filesystem::path file() const;
    void setFile(const QString& file);
    /// What the system's dialog offers: "CSV (*.csv);;All files (*)".
    void setFilters(const QString& filters) { m_filters = filters; }

    WriteConfirmation asked() const { return m_asked; }
    void ask(WriteConfirmation question) { m_asked = question; }
    /// The question for a person; empty when there is none.
    QString question() const;
    /// What the dialog's button says: `verb` while nothing is asked.
    QString verb(const QString& verb) const;

signals:
    void changed();

private:
    void choose();

    QString m_filters;
    WriteConfirmation m_asked = WriteConfirmation::None;
    QLineEdit* m_edit;
    QPushButton* m_choose;
};

}  // namespace dailies::ui
