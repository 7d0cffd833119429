#pragma once

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/job_script/script_edit.h"
#include "ui/bridge/run_async.h"
#include "ui/launch/sweep_form.h"
#include "ui/link/cluster_worker.h"

#include <QWidget>

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

class QAction;
class QBoxLayout;
class QComboBox;
class QFrame;
class QLabel;
class QPushButton;

namespace dailies::ui {

class ElidedLabel;
class FieldEditor;
class FitToWidth;
class FormPanel;
class LaunchDraft;
class LaunchPreview;
class ProfileList;

/// Where a sweep is put together, looked at and sent: a preset or a file to begin with, the form, the
/// preview, the button.
class LaunchPage : public QWidget {
    Q_OBJECT

public:
    LaunchPage(ProfileList& profiles, ClusterWorker& worker, QWidget* parent = nullptr);

    SweepForm& form() { return *m_form; }
    LaunchPreview& preview() { return *m_preview; }
    FormPanel& panel() { return *m_panel; }
    bool isSettled() const;
    void choosePreset(const QString& title);
    /// Reads a sweep file and starts from it.
    void open(const std::filesystem::path& file);
    /// Fills the form with this sweep, to be changed and launched. `origin` is what it is: a preset's title,
    /// or another name for a person. What was there before is one undo away.
    void startFrom(const sweep::Sweep& sweep, const QString& origin = {});
    /// Has the sweep train on a folder of the cluster instead of its own data; of a program of the user's own
    /// a preset takes the place.
    void trainOn(const std::string& folder);
    QComboBox& origin() { return *m_preset; }
    /// Begins with what was left in this file, unless something was chosen already, and keeps it from now on.
    void setDraftFile(const std::filesystem::path& file);
    /// Scrolls the form to a key of the config ("optimizer.lr") and gives it the focus.
    void showKey(const std::string& key);

signals:
    void connectRequested();
    void saved(const QString& file);
    /// What became of parts of an opened file that mean nothing here.
    void notificationPosted(const QString& text);
    void failed(const dailies::Error& error);
    /// What a person had put together gave way to `origin`; `undo` brings all of it back.
    void draftReplaced(const QString& origin, const std::function<void()>& undo);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    /// A sweep file that is dropped is opened.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// All that stands here.
    struct Draft {
        SweepForm::Input form;
        QString origin;
        QString yaml = {};  ///< as a person wrote it; empty: as the form writes it
        std::optional<remote::ScriptEdit> script = {};
    };
    Draft draft() const;
    void fill(const Draft& draft);
    /// Shows another one in the place of what stands here, which `undoStartFrom` brings back.
    void replaceBy(const Draft& draft);
    void undoStartFrom();
    void redoStartFrom();
    void updateUndo();
    bool isTouched() const;

    QWidget* makeHeader();
    QWidget* makeFooter();
    void addKeys();
    /// Where both do not fit beside each other, form or preview is shown; the footer always.
    void arrange();
    void refreshPreview();
    void showCluster();
    /// Reads what earlier runs tell about a launch on the target.
    void readPastRuns();
    void refreshFooter();
    void browse(FieldEditor& editor);
    void browseCode(const QString& folder);
    remote::LaunchRequest request() const;
    void launch();
    void check();
    void chooseFile();
    void saveFile();
    remote::ClusterProfile targetProfile() const;

    ProfileList& m_profiles;
    ClusterWorker& m_worker;

    AsyncTask m_reading;
    bool m_opening = false;
    QComboBox* m_preset;
    SweepForm* m_form;
    FormPanel* m_panel;
    LaunchPreview* m_preview;
    LaunchDraft* m_draft;
    QString m_origin;                  ///< what the form was filled with
    bool m_chosen = false;             ///< what the form holds is somebody's choice
    std::optional<Draft> m_untouched;  ///< what the form was filled with, unless that is a person's own work
    std::vector<Draft> m_undo, m_redo;
    QAction* m_undoAction = nullptr;
    QAction* m_redoAction = nullptr;
    QFrame* m_side;
    QWidget* m_footer;
    FitToWidth* m_headerFit = nullptr;
    QBoxLayout* m_column;
    QPushButton* m_toForm;  ///< one of these two is checked, where only one of both fits
    QPushButton* m_toPreview;
    QLabel* m_summary;  ///< in the footer, while the preview is not beside the form
    QLabel* m_target;
    ElidedLabel* m_progress;
    QPushButton* m_check;
    QPushButton* m_launch;
    QPushButton* m_stop;
};

}  // namespace dailies::ui
