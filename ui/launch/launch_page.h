#pragma once

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "ui/bridge/run_async.h"
#include "ui/cluster/cluster_worker.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace dailies::ui {

class FieldEditor;
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
    bool settled() const;
    void choosePreset(const QString& title);
    /// Fills the form with this sweep, to be changed and launched.
    void startFrom(const sweep::Sweep& sweep);
    /// Scrolls the form to a key of the config ("optimizer.lr") and gives it the focus.
    void showKey(const std::string& key);

signals:
    void connectRequested();
    void saved(const QString& file);
    /// What became of parts of an opened file that mean nothing here.
    void noticed(const QString& text);
    void failed(const dailies::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeFooter();
    void refreshPreview();
    void showCluster();
    /// Reads what earlier runs tell about a launch on the target.
    void readPast();
    void refreshFooter();
    void browse(FieldEditor& editor);
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
    LaunchPreview* m_preview;
    QLabel* m_target;
    QLabel* m_progress;
    QPushButton* m_check;
    QPushButton* m_launch;
    QPushButton* m_stop;
};

}  // namespace dailies::ui
