#pragma once

#include "remote/cluster/profile.h"

#include <QScrollArea>

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;

namespace dailies::ui {

class EnvironmentForm;

/// A cluster's profile as a form, which scrolls where there is no room.
class ClusterForm : public QScrollArea {
    Q_OBJECT

public:
    explicit ClusterForm(QWidget* parent = nullptr);

    void setProfile(const remote::ClusterProfile& profile);
    /// As it is typed; what the form does not show stays as `setProfile` gave it.
    remote::ClusterProfile profile() const;
    /// Throws `InputError` for what lacks or cannot be, and marks the field.
    void requireComplete();
    void focusName();

signals:
    void changed();

private:
    void watchFields();

    remote::ClusterProfile m_given;
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
};

}  // namespace dailies::ui
