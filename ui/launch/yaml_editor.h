#pragma once

#include "core/sweep/sweep.h"

#include <QTimer>
#include <QWidget>

#include <string>

class QLabel;

namespace dailies::ui {

class CodeEditor;

/// The sweep as YAML, in step with the form both ways: a change of the form is written here, and what a
/// person writes here goes into the form. Their own text and comments stay for as long as they mean what the
/// form holds, and text that is no sweep until it is one or is discarded.
class YamlEditor : public QWidget {
    Q_OBJECT

public:
    explicit YamlEditor(QWidget* parent = nullptr);

    /// What the form holds; `leftOut` of its rows cannot be used as they stand and are not in it.
    void display(const sweep::Sweep& sweep, int leftOut);
    QString text() const;
    /// Why the text is no sweep; empty: it is one.
    const QString& problem() const { return m_problem; }
    /// Their own text again, where it is that of the form, and text that is no sweep.
    void restore(const QString& text);
    /// Text that is no sweep gives way to what the form holds. Undo brings it back.
    void discard();
    CodeEditor& code() { return *m_code; }
    /// Whether something was typed that is not in the form yet.
    bool isSettled() const { return !m_later.isActive(); }

signals:
    /// What a person wrote. Whoever holds the form puts it there at once.
    void edited(const dailies::sweep::Sweep& sweep);
    void problemChanged();

private:
    void read();
    void writeSweep();
    void setProblem(const QString& problem);
    void showState();

    QLabel* m_state;
    CodeEditor* m_code;
    QTimer m_later;
    std::string m_sweepYaml;  ///< of the form
    bool m_reading = false;
    int m_leftOut = 0;
    QString m_problem, m_notice;
};

}  // namespace dailies::ui
