#pragma once

#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace dailies::ui {

/// What each run of a sweep asks of the cluster, as rows of a form. While a cluster is connected its
/// partitions, accounts, QOS, types of GPUs and features are choices; anything may be typed all the same.
class ResourcesForm : public QWidget {
    Q_OBJECT

public:
    /// `labelWidth`: of the form's other rows, px.
    explicit ResourcesForm(int labelWidth, QWidget* parent = nullptr);

    sweep::Resources resources() const;
    void setResources(const sweep::Resources& resources);
    /// What may be chosen: nullopt while no cluster is connected. What was chosen before stays.
    void setCluster(const remote::ClusterProfile& profile,
                    const std::optional<remote::slurm::ClusterFacts>& facts);

    /// Shows the rows that mean something beside the others, and hides the rest.
    void updateVisibleRows();

    QStringList choices(const QString& row) const;  ///< of the row of that accessible name, for tests

signals:
    void changed();

private:
    void add(const QString& label, QWidget* field, const QString& help);
    QLineEdit* addLine(const QString& label, const QString& hint, const QString& help);
    QSpinBox* addNumber(const QString& label, int minimum, int maximum, const QString& help);
    QComboBox* addChoice(const QString& label, const QString& help);
    QCheckBox* addSwitch(const QString& label, const QString& text, const QString& help);
    void offer(QComboBox* box, const std::vector<std::string>& choices);

    const int m_labelWidth;
    bool m_filling = false;
    sweep::Resources m_base;  ///< keeps what the form does not show
    remote::ClusterProfile m_profile;
    std::optional<remote::slurm::ClusterFacts> m_facts;

    QSpinBox* m_parallel;
    QComboBox* m_partition;
    QLabel* m_about;  ///< of the partition
    QSpinBox* m_nodes;
    QSpinBox* m_ranks;
    QSpinBox* m_cpus;
    QSpinBox* m_gpus;
    QComboBox* m_gpuType;
    QWidget* m_gpuTypeRow;
    QLineEdit* m_memory;
    QLineEdit* m_timeLimit;
    QComboBox* m_account;
    QComboBox* m_qos;
    QComboBox* m_constraint;
    QLineEdit* m_nodeList;
    QLineEdit* m_exclude;
    QLineEdit* m_reservation;
    QCheckBox* m_exclusive;
    QCheckBox* m_preflight;
    QWidget* m_preflightRow;
};

}  // namespace dailies::ui
