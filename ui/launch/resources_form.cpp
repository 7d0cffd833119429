#include "ui/launch/resources_form.h"

#include "remote/fit/resource_check.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/popup_completion.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

#include <utility>

namespace dailies::ui {

namespace {

std::string trimmedText(const QComboBox* box) {
    return box->currentText().trimmed().toStdString();
}

}  // namespace

ResourcesForm::ResourcesForm(int labelWidth, QWidget* parent) : QWidget(parent), m_labelWidth(labelWidth) {
    setLayout(makeColumn(space::k8));
    m_parallel =
        addNumber(tr("Parallel runs"), 1, 10000, tr("How many runs of the sweep may run at the same time."));
    m_partition =
        addChoice(tr("Partition"), tr("Part of the cluster; each has limits and nodes of its own."));
    m_about = makeLabel({}, TextStyle::Caption, TextTone::Muted);
    m_about->setWordWrap(true);
    m_about->setContentsMargins(m_labelWidth + space::k8, 0, 0, 0);
    layout()->addWidget(m_about);
    m_nodes = addNumber(tr("Nodes"), 1, 4096, {});
    m_ranks = addNumber(tr("Ranks per node"), 1, 128, tr("Processes on each node; one for each GPU."));
    m_cpus = addNumber(tr("CPUs per rank"), 1, 1024, {});
    m_gpus = addNumber(tr("GPUs per node"), 0, 64, {});
    m_gpuType = addChoice(tr("GPU type"), tr("As the cluster calls it; empty takes any."));
    m_gpuTypeRow = m_gpuType->parentWidget();
    m_memory = addLine(tr("Memory"), tr("the cluster's default"),
                       tr("Of a node, as sbatch takes it: 8G; 0 is the node's whole memory."));
    m_timeLimit = addLine(tr("Time limit"), QStringLiteral("0-01:00:00"),
                          tr("sbatch format: days-hours:minutes:seconds. A run that hits the limit resumes "
                             "from its checkpoint."));
    m_account = addChoice(tr("Account"), tr("Who is charged."));
    m_qos = addChoice(tr("QOS"), tr("Quality of service: priority and limits."));
    m_constraint = addChoice(tr("Constraint"),
                             tr("Features that the nodes must have: ib&nvme for both, ib|roce for one."));
    m_nodeList = addLine(tr("Only nodes"), tr("any"), tr("Require these nodes: n[1-4],gpu7."));
    m_exclude = addLine(tr("Exclude nodes"), tr("none"), tr("Avoid these nodes: n[1-4],gpu7."));
    m_reservation = addLine(tr("Reservation"), tr("none"), tr("As scontrol show reservation lists them."));
    m_exclusive = addSwitch(tr("Exclusive"), tr("no other job on its nodes"),
                            tr("Allocate whole nodes, regardless of the resources requested."));
    m_preflight = addSwitch(tr("Preflight"), tr("measure the nodes first"),
                            tr("Benchmark the nodes of a multi-node run first and exclude bad ones."));
    m_preflightRow = m_preflight->parentWidget();
    updateVisibleRows();
}

void ResourcesForm::add(const QString& label, QWidget* field, const QString& help) {
    layout()->addWidget(makeFormRow(label, field, help, m_labelWidth));
}

QLineEdit* ResourcesForm::addLine(const QString& label, const QString& hint, const QString& help) {
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(hint);
    add(label, edit, help);
    connect(edit, &QLineEdit::textChanged, this, [this] {
        if (!m_filling) {
            emit changed();
        }
    });
    return edit;
}

QSpinBox* ResourcesForm::addNumber(const QString& label, int minimum, int maximum, const QString& help) {
    auto* box = new QSpinBox;
    box->setRange(minimum, maximum);
    add(label, box, help);
    connect(box, &QSpinBox::valueChanged, this, [this] {
        if (!m_filling) {
            updateVisibleRows();
            emit changed();
        }
    });
    return box;
}

QComboBox* ResourcesForm::addChoice(const QString& label, const QString& help) {
    auto* box = new QComboBox;
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    completeInPopup(*box);
    box->lineEdit()->setPlaceholderText(tr("the cluster's default"));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    add(label, box, help);
    connect(box, &QComboBox::currentTextChanged, this, [this] {
        if (!m_filling) {
            updateVisibleRows();
            emit changed();
        }
    });
    return box;
}

QCheckBox* ResourcesForm::addSwitch(const QString& label, const QString& text, const QString& help) {
    auto* box = new QCheckBox(text);
    add(label, box, help);
    connect(box, &QCheckBox::toggled, this, [this] {
        if (!m_filling) {
            emit changed();
        }
    });
    return box;
}

/// A box that offers the same already is left alone: somebody may be typing in it.
void ResourcesForm::offer(QComboBox* box, const std::vector<std::string>& choices) {
    QStringList wanted, offered;
    for (const auto& choice : choices) {
        wanted << sanitized(choice);
    }
    for (int i = 0; i < box->count(); ++i) {
        offered << box->itemText(i);
    }
    if (wanted == offered) {
        return;
    }
    const QString chosen = box->currentText();
    const bool before = std::exchange(m_filling, true);
    box->clear();
    box->addItems(wanted);
    box->setCurrentIndex(-1);
    box->setCurrentText(chosen);
    m_filling = before;
}

void ResourcesForm::setCluster(const remote::ClusterProfile& profile,
                               const std::optional<remote::slurm::ClusterFacts>& facts) {
    m_profile = profile;
    m_facts = facts;
    std::vector<std::string> partitions;
    if (facts) {
        for (const auto& partition : facts->partitions) {
            partitions.push_back(partition.name);
        }
    }
    offer(m_partition, partitions);
    const auto hint = [](QComboBox* box, const std::string& own) {
        box->lineEdit()->setPlaceholderText(own.empty() ? tr("the cluster's default") : sanitized(own));
    };
    hint(m_partition, profile.partition);
    hint(m_account, profile.account);
    hint(m_qos, profile.qos);
    updateVisibleRows();
}

void ResourcesForm::updateVisibleRows() {
    m_gpuTypeRow->setVisible(m_gpus->value() > 0);
    m_preflightRow->setVisible(m_nodes->value() > 1);
    const auto wanted = resources();
    const auto* partition = m_facts ? remote::partitionOf(wanted, m_profile, *m_facts) : nullptr;
    m_about->setText(partition ? sanitized(remote::describe(*partition)) : QString());
    m_about->setVisible(partition != nullptr);
    offer(m_gpuType, partition ? remote::gpuTypes(*partition) : std::vector<std::string>());
    offer(m_constraint, partition ? remote::features(*partition) : std::vector<std::string>());
    offer(m_account, m_facts ? remote::accountsOf(*m_facts) : std::vector<std::string>());
    const auto& account = wanted.account.empty() ? m_profile.account : wanted.account;
    offer(m_qos, m_facts ? remote::qosOf(*m_facts, account) : std::vector<std::string>());
    m_gpuType->lineEdit()->setPlaceholderText(tr("any"));
    m_constraint->lineEdit()->setPlaceholderText(tr("none"));
}

QStringList ResourcesForm::choices(const QString& row) const {
    QStringList found;
    for (const auto* box : findChildren<QComboBox*>()) {
        if (box->accessibleName() == row) {
            for (int i = 0; i < box->count(); ++i) {
                found << box->itemText(i);
            }
        }
    }
    return found;
}

sweep::Resources ResourcesForm::resources() const {
    sweep::Resources resources = m_base;
    resources.partition = trimmedText(m_partition);
    resources.account = trimmedText(m_account);
    resources.qos = trimmedText(m_qos);
    resources.reservation = trimmedText(m_reservation);
    resources.nodes = m_nodes->value();
    resources.ranksPerNode = m_ranks->value();
    resources.cpusPerRank = m_cpus->value();
    resources.gpusPerNode = m_gpus->value();
    resources.gpuType = resources.gpusPerNode > 0 ? trimmedText(m_gpuType) : std::string();
    resources.memory = trimmedText(m_memory);
    resources.timeLimit =
        trimmedText(m_timeLimit).empty() ? sweep::Resources{}.timeLimit : trimmedText(m_timeLimit);
    resources.constraint = trimmedText(m_constraint);
    resources.nodeList = trimmedText(m_nodeList);
    resources.exclude = trimmedText(m_exclude);
    resources.exclusive = m_exclusive->isChecked();
    resources.preflight = m_preflight->isChecked();
    resources.parallelRuns = m_parallel->value();
    return resources;
}

void ResourcesForm::setResources(const sweep::Resources& resources) {
    const auto set = [](auto* field, const std::string& text) {
        field->setText(QString::fromStdString(text));
    };
    m_filling = true;
    m_base = resources;
    m_parallel->setValue(resources.parallelRuns);
    m_partition->setCurrentText(QString::fromStdString(resources.partition));
    m_account->setCurrentText(QString::fromStdString(resources.account));
    m_qos->setCurrentText(QString::fromStdString(resources.qos));
    m_nodes->setValue(resources.nodes);
    m_ranks->setValue(resources.ranksPerNode);
    m_cpus->setValue(resources.cpusPerRank);
    m_gpus->setValue(resources.gpusPerNode);
    m_gpuType->setCurrentText(QString::fromStdString(resources.gpuType));
    set(m_memory, resources.memory);
    set(m_timeLimit, resources.timeLimit);
    m_constraint->setCurrentText(QString::fromStdString(resources.constraint));
    set(m_nodeList, resources.nodeList);
    set(m_exclude, resources.exclude);
    set(m_reservation, resources.reservation);
    m_exclusive->setChecked(resources.exclusive);
    m_preflight->setChecked(resources.preflight);
    m_filling = false;
    updateVisibleRows();
    emit changed();
}

}  // namespace dailies::ui
