#pragma once

#include "core/sweep/sampling_file.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace dailies::ui {

class LineListEdit;

/// Whether the runs of a sweep are sampled once they are trained, and what of: one row, and its fields below
/// it where they are. The job that samples is sent with the sweep and waits for it.
class ThenSampleForm : public QWidget {
    Q_OBJECT

public:
    /// `labelWidth`: of the form's other rows, px.
    explicit ThenSampleForm(int labelWidth, QWidget* parent = nullptr);

    /// What is sampled; nullopt: nothing, or nothing that makes sense (see `problem`).
    std::optional<sweep::SamplingFile> sampling() const;
    /// Why it cannot be sampled so, for a person; empty: it can.
    QString problem() const;
    /// All that was typed and chosen, whether or not it makes sense.
    struct Input {
        bool on = false, typed = false;
        QString prompts, seeds, guidance, steps;
        bool operator==(const Input&) const = default;
    };
    Input input() const;
    void setInput(const Input& input);
    void turnOff();
    /// That the sweep samples while it trains: what the prompts begin with as long as nobody typed any.
    void setSweepPrompts(const std::vector<std::string>& prompts);

signals:
    void changed();

private:
    /// Throws `InputError`.
    sweep::SamplingFile read() const;
    void refresh();

    bool m_typed = false;
    QCheckBox* m_on;
    LineListEdit* m_prompts;
    QLineEdit* m_seeds;
    QLineEdit* m_guidance;
    QLineEdit* m_steps;
    QLabel* m_state;
    QWidget* m_fields;
};

}  // namespace dailies::ui
