#pragma once

#include "core/base/error.h"
#include "ui/cluster/profile_list.h"
#include "ui/link/cluster_worker.h"
#include "ui/theme/theme.h"

#include <QDialog>

#include <functional>
#include <optional>
#include <string>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace dailies::ui {

class ClusterForm;
class FindingList;

/// Choosing, describing, testing and connecting to a cluster. Shows each step of the connection as it goes, a
/// failure with its remedy, and asks what only a person can answer (unknown host key, passphrase) in place.
/// What was typed is saved once it has connected; it can be saved without that, and the button says whether a
/// test found it good.
class ConnectDialog : public QDialog {
    Q_OBJECT

public:
    ConnectDialog(ProfileList& profiles, ClusterWorker& worker, QWidget* parent = nullptr);

    /// Shows the question in the dialog; the answer goes to the worker's prompts.
    void askHostKey(const QString& host, const QString& type, const QString& fingerprint);
    void askSecret(const QString& prompt, bool echo);
    /// It was opened for a question alone: it closes once that is answered.
    void closeWithQuestion() { m_closesWithQuestion = true; }

    void selectProfile(const std::string& name);
    /// What the form holds; nullopt (and marks on the fields) while something needed is missing.
    std::optional<remote::ClusterProfile> profile();
    void startConnecting();
    void reject() override;

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void sandboxRequested();

private:
    enum class Activity { None, Testing, Connecting };

    QWidget* makeProfiles();
    QWidget* makeOutcome();
    void fillProfiles();
    bool isSaved(const remote::ClusterProfile& profile) const;
    void save();
    void put(const remote::ClusterProfile& profile);
    void unlessItReplaces(const remote::ClusterProfile& wanted, std::function<void()> go);
    void removeChosen();
    void refreshSave();
    void showResult(const QString& title, const QString& text, TextTone tone = TextTone::Normal);
    void fitOutcome();
    void begin(Activity activity);
    void end();
    void addLine(const QString& line);
    void showFailure(const Error& error);
    void showPage(int page);
    void showProgress();
    void closeQuestion();

    ProfileList& m_profiles;
    ClusterWorker& m_worker;
    Activity m_activity = Activity::None;
    bool m_closesWithQuestion = false;
    remote::ClusterProfile m_pending;                ///< what is being tested or connected to
    std::optional<remote::ClusterProfile> m_tested;  ///< of this a test found nothing bad
    remote::ClusterProfile m_before;                 ///< what was saved over or removed last
    std::function<void()> m_afterReplace;

    QListWidget* m_list;
    QPushButton* m_remove;
    ClusterForm* m_form;

    QStackedWidget* m_outcome;
    QLabel* m_steps;
    FindingList* m_findings;
    QLabel* m_resultTitle;
    QLabel* m_resultText;
    QLabel* m_question;
    QLabel* m_fingerprint;
    QLabel* m_secretPrompt;
    QLineEdit* m_secret;
    QStringList m_lines;
    QPushButton* m_test;
    QPushButton* m_connectButton;
    QPushButton* m_save;
    QPushButton* m_undo;
    QPushButton* m_replace;
    QPushButton* m_stop;
    QPushButton* m_focused = nullptr;  ///< what had the focus before something began
};

}  // namespace dailies::ui
