#pragma once

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "ui/bridge/run_async.h"
#include "ui/link/cluster_worker.h"

#include <QWidget>

#include <filesystem>

class QBoxLayout;
class QComboBox;
class QFrame;
class QLabel;
class QPushButton;

namespace dailies::ui {

class FieldEditor;
class FormPanel;
class LaunchDraft;
class LaunchPreview;
class ProfileList;
class SweepForm;

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
    /// Fills the form with this sweep, to be changed and launched. `origin` is what it is: a preset's title,
    /// or another name for a person.
    void startFrom(const sweep::Sweep& sweep, const QString& origin = {});
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

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
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
    remote::LaunchRequest request() const;
    void launch();
    void check();
    void openFile();
    void saveFile();
    remote::ClusterProfile targetProfile() const;

    ProfileList& m_profiles;
    ClusterWorker& m_worker;

    AsyncTask m_reading;
    QComboBox* m_preset;
    SweepForm* m_form;
    FormPanel* m_panel;
    LaunchPreview* m_preview;
    LaunchDraft* m_draft;
    QString m_origin;       ///< what the form was filled with
    bool m_chosen = false;  ///< what the form holds is somebody's choice
    QFrame* m_side;
    QWidget* m_footer;
    QBoxLayout* m_column;
    QPushButton* m_toForm;  ///< one of these two is checked, where only one of both fits
    QPushButton* m_toPreview;
    QLabel* m_summary;  ///< in the footer, while the preview is not beside the form
    QLabel* m_target;
    QLabel* m_progress;
    QPushButton* m_check;
    QPushButton* m_launch;
    QPushButton* m_stop;
};

}  // namespace dailies::ui
