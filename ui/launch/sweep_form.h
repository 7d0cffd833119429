#pragma once

#include "core/sweep/sampling_file.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"
#include "ui/launch/argument_list.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/program_form.h"
#include "ui/launch/stages_form.h"
#include "ui/launch/then_sample_form.h"

#include <QWidget>

#include <map>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QSpinBox;
class QVBoxLayout;

namespace dailies::ui {

class AfterForm;
class EarlyStopForm;
class EnvironmentForm;
class ResourcesForm;
class SweptCard;

/// A whole sweep as a form: name, method, metric and resources, then every key of the config schema in its
/// groups; of a sweep of the user's own program that program and its parameters instead.
class SweepForm : public QWidget {
    Q_OBJECT

public:
    explicit SweepForm(QWidget* parent = nullptr);

    /// What the form holds. Rows with a problem are left out; see `problems`.
    sweep::Sweep sweep() const;
    /// Of another sweep nothing is sampled unless it is asked for anew.
    void setSweep(const sweep::Sweep& sweep);
    /// The same sweep, changed elsewhere: what is sampled once its runs are trained stays.
    void editSweep(const sweep::Sweep& sweep);
    /// All that stands in it, what makes no sense included, to be put there again.
    struct Input {
        sweep::Sweep sweep;
        std::map<std::string, FieldEditor::Input> fields = {};  ///< by key
        std::optional<ThenSampleForm::Input> thenSample = {};
        std::optional<ProgramForm::Input> program = {};
        ArgumentList::Input arguments = {};
        std::optional<StagesForm::Input> stages = {};
        bool operator==(const Input& other) const {
            return sweep::toYaml(sweep) == sweep::toYaml(other.sweep) && fields == other.fields &&
                   thenSample == other.thenSample && program == other.program &&
                   arguments == other.arguments && stages == other.stages;
        }
    };
    Input input() const;
    void setInput(const Input& input);
    /// What is sampled of its runs once they are trained; nullopt: nothing.
    std::optional<sweep::SamplingFile> thenSample() const;
    /// One line for each row that cannot be used as it stands.
    QStringList problems() const;

    /// A row that is no key of the config.
    struct PlainRow {
        QWidget* row;
        QStringList usual;               ///< what its fields hold by default
        std::vector<QWidget*> captions;  ///< below it
    };
    struct Section {
        QString title;
        QWidget* card;
        QVBoxLayout* column;
        std::vector<FieldEditor*> editors;  ///< those that vary among them
        std::vector<PlainRow> rows = {};
        bool ofProgram = false;  ///< shown for a program of the user's own alone
    };
    const std::vector<Section>& sections() const { return m_sections; }
    /// Shows the rows that all of these words stand in, and only what is not the default where that is asked.
    void showOnly(const QString& words, bool changedOnly);
    /// The first row that `showOnly` leaves; null: none.
    FieldEditor* firstShown() const;

    FieldEditor* editor(const std::string& key) const;  ///< null: no such key
    void focusFirstProblem();
    /// The choices of the connected cluster; nullopt: none is connected.
    void setCluster(const remote::ClusterProfile& profile,
                    const std::optional<remote::slurm::ClusterFacts>& facts);
    ResourcesForm& resources() { return *m_resources; }
    bool hasOwnProgram() const { return m_ownProgram; }
    ProgramForm& program() { return *m_program; }
    ArgumentList& arguments() { return *m_arguments; }
    StagesForm& stages() { return *m_stages; }

signals:
    void changed();
    /// Other cards are shown, which may need another width: those of another kind of program.
    void sectionsChanged();
    /// What somebody is to see or to type into next.
    void revealRequested(QWidget* widget);

private:
    void fill(const sweep::Sweep& sweep, const Input* input);
    void fillProgram(const sweep::Sweep& sweep, const Input* input);
    void pinSwept();
    void applyFilter();
    /// Of the rows of this layout, what they hold now is what they hold by default.
    static void addPlainRows(Section& section, const QLayout& layout);
    void showPlainRows();
    /// Tab goes through the rows as they stand, wherever they were made.
    void orderTabs();
    bool isShown(const FieldEditor& editor) const;
    void addSweepCard();
    void tell();
    void updateVisibleRows();
    /// Why the sweep needs a metric that it lacks; empty: it does not.
    QString metricProblem() const;
    void addProgramCards();
    void addResourcesCard();
    void addEnvironmentCard();
    void addStagesCard();
    void addThenSample(QVBoxLayout* column);
    void showSweepPrompts();
    /// Why the runs cannot be sampled as asked; empty: they can, or are not.
    QString thenSampleProblem() const;
    void addConfigCards();
    QLineEdit* addLine(QVBoxLayout* column, const QString& label, const QString& placeholder,
                       const QString& help);
    QSpinBox* addNumber(QVBoxLayout* column, const QString& label, int minimum, int maximum,
                        const QString& help);
    void addRow(QVBoxLayout* column, const QString& label, QWidget* field, const QString& help);
    QVBoxLayout* addCard(const QString& title);

    QVBoxLayout* m_column;
    SweptCard* m_swept;
    ProgramForm* m_program;
    ArgumentList* m_arguments;
    std::vector<Section> m_sections;
    QStringList m_words;  ///< that rows are searched for
    bool m_changedOnly = false;
    bool m_someRowsHidden = false;  ///< for they hold their defaults
    std::vector<FieldEditor*> m_editors;
    sweep::Sweep m_base;  ///< keeps what the form does not show: the cap of a grid
    bool m_filling = false;
    bool m_ownProgram = false;  ///< the sweep is of the user's own program

    QLineEdit* m_name;
    QLineEdit* m_experiment;
    QComboBox* m_method;
    QSpinBox* m_runCap;
    QSpinBox* m_seed;
    QWidget* m_runCapRow = nullptr;
    QWidget* m_seedRow = nullptr;
    EarlyStopForm* m_earlyStop;
    QLabel* m_metricProblem;
    QComboBox* m_metric;
    QComboBox* m_goal;
    AfterForm* m_after;
    ThenSampleForm* m_thenSample;
    ResourcesForm* m_resources;
    EnvironmentForm* m_environment;
    StagesForm* m_stages;
};

}  // namespace dailies::ui
