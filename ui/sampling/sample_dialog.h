#pragma once

#include "remote/launch/sampling_launch.h"
#include "ui/cluster/job_dialog.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QSpinBox;

namespace dailies::ui {

/// Asks for more clips of runs' checkpoints: which checkpoints, prompts, given frames, seeds, guidance,
/// sampler steps and length. Beside the form stands what it comes to: clips and jobs, how long, the exact
/// sbatch script, or what is wrong. Sends it through the worker and closes.
class SampleDialog : public JobDialog {
    Q_OBJECT

public:
    /// A clip to begin with: its prompt, its seed, and its checkpoint where the run kept one.
    struct Clip {
        std::int64_t step = 0;
        std::string prompt;
        std::int64_t seed = 0;
    };

    /// Of a run that itself samples, the run whose checkpoints it samples is meant. Without a clip the form
    /// begins with all prompts of the runs.
    SampleDialog(ClusterWorker& worker, std::vector<std::string> runIds, std::optional<Clip> clip = {},
                 QWidget* parent = nullptr);

    QString summary() const;  ///< "400 clips in 4 jobs, 2 at once", or that it is not ready
    QString problem() const;  ///< what is wrong; empty: nothing
    QString script() const;

private:
    /// What the form begins with.
    struct Known {
        std::vector<std::pair<std::string, std::string>> runs;  ///< ids and names
        std::vector<std::string> prompts;
        std::string checkpoint = "last";
        std::string seeds = "0..3";
        sweep::Resources resources;
        std::string cluster;
        bool animates = false;            ///< one of the runs is a model of characters
        bool readsReferencePose = false;  ///< and one of these is told of the reference picture's pose
        bool alignsPoses = false;         ///< and one of these sampled with aligned poses
        bool readsCaptions = true;        ///< none of them does without
        bool startsFromImages = false;    ///< every clip of one of the runs begins with an image
        bool endsWithImages = false;      ///< and ends with one
        bool areAdapters = false;         ///< all runs train one (LoRA)
    };
    struct Preview {
        QString summary, cost, script, problem;
    };

    QWidget* makeForm();
    QWidget* makePreview();
    void load(std::vector<std::string> runIds, const std::optional<Clip>& clip);
    void fill(const Known& known);
    void plan() override;
    void showPreview(const Preview& preview);
    void showRunCount();
    void showReferencePoseFields();
    std::vector<std::string> checkedRunIds() const;
    void openPrompts();
    /// A field of files, several separated by ';', with an action that chooses them.
    QAction* offerFiles(QLineEdit& field, const QString& title);
    void chooseFiles(QLineEdit& field, const QString& title);
    void submit() override;
    /// What the form holds. Throws `InputError`.
    remote::SamplingRequest request() const;

    Known m_known;

    QLabel* m_title;
    QListWidget* m_runs;
    QComboBox* m_checkpoint;
    QPlainTextEdit* m_prompts;
    QLabel* m_promptCount;
    QLineEdit* m_negativePrompt;
    QLineEdit* m_conditioningFrames;
    QLineEdit* m_lastFrames;
    QLineEdit* m_references;
    QLineEdit* m_poses;
    QLineEdit* m_referencePoses;
    QCheckBox* m_alignPoses;
    std::vector<QWidget*> m_characterFields;      ///< with their names; for models of characters
    std::vector<QWidget*> m_lastFrameFields;      ///< for models of first and last frame
    std::vector<QWidget*> m_referencePoseFields;  ///< and for those told of the reference's pose, or aligned
    std::vector<QWidget*> m_captionFields;        ///< which models without captions have no use for
    std::vector<QWidget*> m_beginningFields;      ///< which models of characters have no use for
    QLineEdit* m_seeds;
    QLineEdit* m_guidance;
    QLineEdit* m_steps;
    QLineEdit* m_strength;
    std::vector<QWidget*> m_adapterFields;  ///< with its name
    QSpinBox* m_frames;
    QSpinBox* m_overlap;
    QComboBox* m_blend;
    QSpinBox* m_parallel;
    QLineEdit* m_timeLimit;
    QLabel* m_summary;
    QLabel* m_cost;
    QLabel* m_problem;
    QPlainTextEdit* m_script;
};

}  // namespace dailies::ui
