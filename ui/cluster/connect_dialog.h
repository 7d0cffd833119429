#pragma once

#include "core/base/error.h"
#include "ui/cluster/cluster_worker.h"
#include "ui/cluster/profile_list.h"

#include <QDialog>

#include <optional>
#include <string>

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace dailies::ui {

class EnvironmentForm;
class FindingList;

/// Choosing, describing, testing and connecting to a cluster. Shows each step of the connection as it goes, a
/// failure with its remedy, and asks what only a person can answer (unknown host key, passphrase) in place.
class ConnectDialog : public QDialog {
    Q_OBJECT

public:
    ConnectDialog(ProfileList& profiles, ClusterWorker& worker, QWidget* parent = nullptr);

    /// Shows the question in the dialog; the answer goes to the worker's prompts.
    void askHostKey(const QString& host, const QString& type, const QString& fingerprint);
    void askSecret(const QString& prompt, bool echo);

    void selectProfile(const std::string& name);
    /// What the form holds; nullopt (and marks on the fields) while something needed is missing.
    std::optional<remote::ClusterProfile> profile();
    void startConnecting();
    void reject() override;

signals:
    void sandboxRequested();

private:
    enum class Activity { None, Testing, Connecting };

    QWidget* makeProfiles();
    QWidget* makeForm();
    QWidget* makeOutcome();
    void fillProfiles();
    void fillForm(const remote::ClusterProfile& profile);
    void begin(Activity activity);
    void end();
    void addLine(const QString& line);
    void showFailure(const Error& error);
    void showPage(int page);
    void showProgress();

    ProfileList& m_profiles;
    ClusterWorker& m_worker;
    Activity m_activity = Activity::None;
    remote::ClusterProfile m_edited;  ///< keeps what the form does not show

    QListWidget* m_list;
    QPushButton* m_remove;
    QLineEdit* m_name;
    QLineEdit* m_host;
    QSpinBox* m_port;
    QLineEdit* m_user;
    QLineEdit* m_identity;
    QLineEdit* m_workspace;
    QLineEdit* m_partition;
    QLineEdit* m_account;
    QPlainTextEdit* m_setup;
    EnvironmentForm* m_environment;
    QDoubleSpinBox* m_price;
    QLineEdit* m_currency;
    QSpinBox* m_poll;
    QSpinBox* m_calls;
    QCheckBox* m_userConfig;

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
    QPushButton* m_stop;
};

}  // namespace dailies::ui
