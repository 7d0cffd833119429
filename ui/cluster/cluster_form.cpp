#include "ui/cluster/cluster_form.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/host_name.h"
#include "ui/cluster/environment_form.h"
#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QStyle>

namespace dailies::ui {

namespace {

constexpr int kClusterLabelWidth = 112;

void markProblem(QLineEdit* field, const QString& problem) {
    field->setProperty("problem", !problem.isEmpty());
    field->setToolTip(problem);
    field->style()->unpolish(field);
    field->style()->polish(field);
}

}  // namespace

ClusterForm::ClusterForm(QWidget* parent) : QScrollArea(parent) {
    auto* form = new QWidget;
    form->setProperty("clear", true);
    auto* column = makeColumn(space::k16, {space::k24, space::k16, space::k24, space::k16});
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    grid->setColumnMinimumWidth(0, kClusterLabelWidth);
    grid->setColumnStretch(1, 1);

    const auto row = [&](const QString& text, QWidget* field, const QString& help) {
        const int at = grid->rowCount();
        auto* label = makeLabel(text, TextStyle::Body, TextTone::Muted);
        label->setBuddy(field);
        field->setAccessibleName(text);
        field->setToolTip(help);
        grid->addWidget(label, at, 0, Qt::AlignTop);
        label->setMinimumHeight(kControlHeight);
        grid->addWidget(field, at, 1);
    };
    const auto line = [&](const QString& text, const QString& placeholder, const QString& help) {
        auto* field = new QLineEdit;
        field->setPlaceholderText(placeholder);
        row(text, field, help);
        return field;
    };
    m_name = line(tr("Display name"), tr("the host's name"),
                  tr("Sweeps and runs remember the cluster by this name."));
    m_host = line(tr("Host"), tr("login.example.org, or a Host of ~/.ssh/config"), tr("The login node."));
    m_port = new QSpinBox;
    m_port->setRange(0, 65535);
    m_port->setSpecialValueText(tr("from ~/.ssh/config, else 22"));
    row(tr("Port"), m_port, tr("0 takes it from ~/.ssh/config, else 22."));
    m_user = line(tr("User"), tr("from ~/.ssh/config, else your user name here"), {});
    m_identity =
        line(tr("Key file"), tr("from the agent or ~/.ssh"), tr("Private key; a passphrase is asked for."));
    m_workspace = line(tr("Workspace"), QStringLiteral("~/dailies"),
                       tr("Folder on the cluster's shared file system for trainer, sweeps and runs."));
    m_partition = line(tr("Partition"), tr("the cluster's default"), {});
    m_account = line(tr("Account"), tr("the cluster's default"), {});
    m_setup = new QPlainTextEdit;
    m_setup->setPlaceholderText(QStringLiteral("module load cuda/12.4\nsource ~/venv/bin/activate"));
    m_setup->setFont(Theme::font(TextStyle::Mono));
    m_setup->setFixedHeight(72);
    m_setup->setTabChangesFocus(true);
    row(tr("Setup"), m_setup, tr("Shell lines before the trainer is built and run."));
    m_poll = new QSpinBox;
    m_poll->setRange(1, 3600);
    m_poll->setSuffix(tr(" s"));
    row(tr("Poll every"), m_poll, tr("How often to poll Slurm and the runs."));
    m_calls = new QSpinBox;
    m_calls->setRange(0, 6000);
    m_calls->setSuffix(tr(" per minute"));
    m_calls->setSpecialValueText(tr("no limit"));
    row(tr("Slurm calls"), m_calls, tr("Maximum Slurm calls per minute across queue, nodes, and runs."));
    m_userConfig = new QCheckBox(tr("Read ~/.ssh/config"));
    row({}, m_userConfig, {});
    column->addWidget(makeLabel(tr("Connection"), TextStyle::Title));
    column->addLayout(grid);
    column->addWidget(makeLabel(tr("Environment"), TextStyle::Title));
    // its rows have a smaller gap between label and field
    m_environment = new EnvironmentForm(kClusterLabelWidth + space::k12 - space::k8, tr("none"));
    column->addWidget(m_environment);
    auto* price = makeRow(space::k12);
    m_price = new QDoubleSpinBox;
    m_price->setRange(0, 1e5);
    m_price->setDecimals(2);
    m_price->setSpecialValueText(tr("unknown"));
    m_price->setAccessibleName(tr("GPU-hour price"));
    m_price->setToolTip(tr("For estimates of what a launch costs."));
    m_currency = new QLineEdit;
    m_currency->setMaximumWidth(72);
    m_currency->setAccessibleName(tr("Currency"));
    auto* priceLabel = makeLabel(tr("GPU-hour price"), TextStyle::Body, TextTone::Muted);
    priceLabel->setFixedWidth(kClusterLabelWidth);
    priceLabel->setBuddy(m_price);
    price->addWidget(priceLabel);
    price->addWidget(m_price, 1);
    price->addWidget(m_currency);
    column->addLayout(price);
    column->addStretch();
    form->setLayout(column);
    ignoreUnfocusedWheel(*form);
    setWidget(form);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    watchFields();
}

void ClusterForm::watchFields() {
    for (auto* field : findChildren<QLineEdit*>())
        connect(field, &QLineEdit::textChanged, this, &ClusterForm::changed);
    for (auto* field : {m_port, m_poll, m_calls})
        connect(field, &QSpinBox::valueChanged, this, &ClusterForm::changed);
    connect(m_price, &QDoubleSpinBox::valueChanged, this, &ClusterForm::changed);
    connect(m_setup, &QPlainTextEdit::textChanged, this, &ClusterForm::changed);
    connect(m_userConfig, &QCheckBox::toggled, this, &ClusterForm::changed);
    connect(m_environment, &EnvironmentForm::changed, this, &ClusterForm::changed);
}

void ClusterForm::setProfile(const remote::ClusterProfile& known) {
    m_given = known;
    m_name->setText(QString::fromStdString(known.name));
    m_host->setText(QString::fromStdString(known.host));
    m_port->setValue(known.port);
    m_user->setText(QString::fromStdString(known.user));
    m_identity->setText(QString::fromStdString(known.identityFile));
    m_workspace->setText(QString::fromStdString(known.workspace));
    m_partition->setText(QString::fromStdString(known.partition));
    m_account->setText(QString::fromStdString(known.account));
    m_setup->setPlainText(QString::fromStdString(join(known.setup, "\n")));
    m_environment->setEnvironment(known.environment);
    m_price->setValue(known.gpuHourPrice);
    m_currency->setText(QString::fromStdString(known.currency));
    m_poll->setValue(known.pollSeconds);
    m_calls->setValue(known.callsPerMinute);
    m_userConfig->setChecked(known.readUserConfig);
    for (auto* field : {m_name, m_host}) {
        markProblem(field, {});
        field->setCursorPosition(0);
    }
}

remote::ClusterProfile ClusterForm::profile() const {
    const auto text = [](const QLineEdit* field) { return field->text().trimmed().toStdString(); };
    remote::ClusterProfile wanted = m_given;
    wanted.name = text(m_name);
    wanted.host = text(m_host);
    wanted.port = m_port->value();
    wanted.user = text(m_user);
    wanted.identityFile = text(m_identity);
    wanted.workspace = text(m_workspace).empty() ? "~/dailies" : text(m_workspace);
    wanted.partition = text(m_partition);
    wanted.account = text(m_account);
    wanted.setup.clear();
    for (const auto& lineOfSetup : split(m_setup->toPlainText().toStdString(), '\n')) {
        if (!trim(lineOfSetup).empty()) {
            wanted.setup.push_back(lineOfSetup);
        }
    }
    wanted.environment = m_environment->environment();
    wanted.gpuHourPrice = m_price->value();
    if (!text(m_currency).empty()) {
        wanted.currency = text(m_currency);
    }
    wanted.pollSeconds = m_poll->value();
    wanted.callsPerMinute = m_calls->value();
    wanted.readUserConfig = m_userConfig->isChecked();
    if (wanted.name.empty()) {
        wanted.name = wanted.host;
    }
    return wanted;
}

void ClusterForm::requireComplete() {
    try {
        remote::requireHostName(profile().host);
        markProblem(m_host, {});
    } catch (const InputError& error) {
        markProblem(m_host, QString::fromStdString(error.full()));
        m_host->setFocus();
        throw;
    }
    if (const QString problem = m_environment->problem(); !problem.isEmpty())
        throw InputError(problem.toStdString());
}

void ClusterForm::focusName() {
    m_name->setFocus();
}

}  // namespace dailies::ui
