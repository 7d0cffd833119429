#include "ui/cluster/connect_dialog.h"

#include "core/base/text.h"
#include "ui/cluster/finding_list.h"
#include "ui/launch/environment_form.h"
#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStyle>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr QSize kSize{860, 760};
constexpr int kListWidth = 200;
constexpr int kLabelWidth = 112;
constexpr int kOutcomeHeight = 136;
constexpr int kFindingsHeight = 320;
constexpr int kShownLines = 5;

enum OutcomePage { kIdle, kProgress, kResult, kHostKey, kSecret, kFindings };

void markProblem(QLineEdit* field, const QString& problem) {
    field->setProperty("problem", !problem.isEmpty());
    field->setToolTip(problem);
    field->style()->unpolish(field);
    field->style()->polish(field);
}

}  // namespace

ConnectDialog::ConnectDialog(ProfileList& profiles, ClusterWorker& worker, QWidget* parent)
    : QDialog(parent), m_profiles(profiles), m_worker(worker) {
    setWindowTitle(tr("Connect to a cluster"));
    resize(kSize);
    auto* columns = makeRow(0);
    columns->addWidget(makeProfiles());
    columns->addWidget(makeLine(Qt::Vertical));
    auto* right = makeColumn(0);
    right->addWidget(makeForm(), 1);
    right->addWidget(makeLine());
    right->addWidget(makeOutcome());
    columns->addLayout(right, 1);
    setLayout(columns);

    connect(&m_profiles, &ProfileList::changed, this, &ConnectDialog::fillProfiles);
    connect(&m_worker, &ClusterWorker::progress, this, &ConnectDialog::addLine);
    connect(&m_worker, &ClusterWorker::found, m_findings, &FindingList::add);
    connect(&m_worker, &ClusterWorker::tested, this, [this](remote::Verdict verdict) {
        end();
        m_findings->end(verdict);
        showPage(kFindings);
    });
    connect(&m_worker, &ClusterWorker::connectionFailed, this, &ConnectDialog::showFailure);
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this](LinkState state) {
        if (m_activity != Activity::Connecting) {
            return;
        }
        if (state == LinkState::Connected) {
            end();
            accept();
        } else if (state == LinkState::Offline) {
            end();
        }
    });
    fillProfiles();
}

QWidget* ConnectDialog::makeProfiles() {
    auto* side = new QFrame;
    side->setObjectName(QStringLiteral("sidebar"));
    side->setFixedWidth(kListWidth);
    auto* column = makeColumn(space::k8, {space::k12, space::k16, space::k12, space::k12});
    column->addWidget(makeLabel(tr("Clusters"), TextStyle::Title));
    m_list = new QListWidget;
    m_list->setAccessibleName(tr("Clusters"));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_list, 1);
    auto* add = makeButton(tr("New cluster"), ButtonKind::Normal, QStringLiteral("plus"));
    m_remove = makeButton(tr("Remove"), ButtonKind::Ghost, QStringLiteral("trash"));
    column->addWidget(add);
    column->addWidget(m_remove);
    side->setLayout(column);

    connect(m_list, &QListWidget::currentTextChanged, this, [this](const QString& name) {
        if (const auto known = m_profiles.find(name.toStdString())) {
            fillForm(*known);
        }
        m_remove->setEnabled(!name.isEmpty());
    });
    connect(add, &QPushButton::clicked, this, [this] {
        m_list->setCurrentRow(-1);
        fillForm({});
        m_name->setFocus();
    });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (auto* item = m_list->currentItem()) {
            m_profiles.remove(item->text().toStdString());
        }
    });
    return side;
}

QWidget* ConnectDialog::makeForm() {
    auto* form = new QWidget;
    form->setProperty("clear", true);
    auto* column = makeColumn(space::k16, {space::k24, space::k16, space::k24, space::k16});
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    grid->setColumnMinimumWidth(0, kLabelWidth);
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
    m_name =
        line(tr("Name"), tr("how you call it"), tr("Sweeps and runs remember the cluster by this name."));
    m_host = line(tr("Host"), tr("login.example.org, or a Host of ~/.ssh/config"), tr("The login node."));
    m_port = new QSpinBox;
    m_port->setRange(0, 65535);
    m_port->setSpecialValueText(tr("from ~/.ssh/config, else 22"));
    row(tr("Port"), m_port, tr("0 takes it from ~/.ssh/config, else 22."));
    m_user = line(tr("User"), tr("from ~/.ssh/config, else yours here"), {});
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
    row(tr("Look every"), m_poll, tr("How often Slurm and the runs are asked for news."));
    m_calls = new QSpinBox;
    m_calls->setRange(0, 6000);
    m_calls->setSuffix(tr(" a minute"));
    m_calls->setSpecialValueText(tr("no ceiling"));
    row(tr("Slurm calls"), m_calls,
        tr("At most so many questions to Slurm, of the queue, the nodes and the runs together."));
    m_userConfig = new QCheckBox(tr("Read ~/.ssh/config"));
    row({}, m_userConfig, {});
    column->addWidget(makeLabel(tr("Connection"), TextStyle::Title));
    column->addLayout(grid);
    column->addWidget(makeLabel(tr("Environment"), TextStyle::Title));
    // its rows have a smaller gap between label and field
    m_environment = new EnvironmentForm(kLabelWidth + space::k12 - space::k8, tr("none"));
    column->addWidget(m_environment);
    auto* price = makeRow(space::k12);
    m_price = new QDoubleSpinBox;
    m_price->setRange(0, 1e5);
    m_price->setDecimals(2);
    m_price->setSpecialValueText(tr("not known"));
    m_price->setAccessibleName(tr("Price of a GPU-hour"));
    m_price->setToolTip(tr("For estimates of what a launch costs."));
    m_currency = new QLineEdit;
    m_currency->setMaximumWidth(72);
    m_currency->setAccessibleName(tr("Currency"));
    auto* priceLabel = makeLabel(tr("GPU-hour"), TextStyle::Body, TextTone::Muted);
    priceLabel->setFixedWidth(kLabelWidth);
    priceLabel->setBuddy(m_price);
    price->addWidget(priceLabel);
    price->addWidget(m_price, 1);
    price->addWidget(m_currency);
    column->addLayout(price);
    column->addStretch();
    form->setLayout(column);
    letWheelScrollPast(*form);
    auto* scroll = new QScrollArea;
    scroll->setWidget(form);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

QWidget* ConnectDialog::makeOutcome() {
    auto* area = new QWidget;
    auto* column = makeColumn(space::k12, {space::k24, space::k16, space::k24, space::k16});
    m_outcome = new QStackedWidget;
    m_outcome->setFixedHeight(kOutcomeHeight);

    auto* idle =
        makeLabel(tr("~/.ssh/config, keys, agent and known_hosts are used as by ssh. Test looks at all that "
                     "is needed of "
                     "a cluster, on a compute node too, by a job of seconds, and leaves nothing there."),
                  TextStyle::Body, TextTone::Muted);
    idle->setWordWrap(true);
    idle->setAlignment(Qt::AlignTop);
    m_outcome->addWidget(idle);

    m_steps = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_steps->setAlignment(Qt::AlignTop);
    m_steps->setWordWrap(true);
    m_outcome->addWidget(m_steps);

    auto* result = new QWidget;
    auto* resultColumn = makeColumn(space::k4);
    m_resultTitle = makeLabel({}, TextStyle::Strong);
    m_resultText = makeLabel({}, TextStyle::Body, TextTone::Muted);
    for (auto* label : {m_resultTitle, m_resultText}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        resultColumn->addWidget(label);
    }
    resultColumn->addStretch();
    result->setLayout(resultColumn);
    m_outcome->addWidget(result);

    auto* hostKey = new QWidget;
    auto* hostKeyColumn = makeColumn(space::k4);
    m_question = makeLabel({}, TextStyle::Strong);
    m_question->setWordWrap(true);
    m_fingerprint = makeLabel({}, TextStyle::Mono);
    m_fingerprint->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* advice = makeLabel(
        tr("Compare it with what the cluster's administrators publish. Trust it only when they agree."),
        TextStyle::Body, TextTone::Muted);
    advice->setWordWrap(true);
    auto* answers = makeRow(space::k8, {0, space::k8, 0, 0});
    auto* save = makeButton(tr("Trust and remember"), ButtonKind::Primary);
    auto* once = makeButton(tr("Trust this time"));
    auto* refuse = makeButton(tr("Refuse"), ButtonKind::Danger);
    for (auto* button : {save, once, refuse}) {
        answers->addWidget(button);
    }
    answers->addStretch();
    hostKeyColumn->addWidget(m_question);
    hostKeyColumn->addWidget(m_fingerprint);
    hostKeyColumn->addWidget(advice);
    hostKeyColumn->addLayout(answers);
    hostKeyColumn->addStretch();
    hostKey->setLayout(hostKeyColumn);
    m_outcome->addWidget(hostKey);
    const auto answer = [this](Prompts::Trust trust) {
        showProgress();
        m_worker.prompts().answerHostKey(trust);
    };
    connect(save, &QPushButton::clicked, this, [answer] { answer(Prompts::Trust::Save); });
    connect(once, &QPushButton::clicked, this, [answer] { answer(Prompts::Trust::Once); });
    connect(refuse, &QPushButton::clicked, this, [answer] { answer(Prompts::Trust::Refuse); });

    auto* secret = new QWidget;
    auto* secretColumn = makeColumn(space::k8);
    m_secretPrompt = makeLabel({}, TextStyle::Strong);
    m_secretPrompt->setWordWrap(true);
    m_secret = new QLineEdit;
    m_secret->setAccessibleName(tr("Answer"));
    auto* secretAnswers = makeRow(space::k8);
    auto* ok = makeButton(tr("Continue"), ButtonKind::Primary);
    auto* no = makeButton(tr("Cancel"));
    secretAnswers->addWidget(ok);
    secretAnswers->addWidget(no);
    secretAnswers->addStretch();
    secretColumn->addWidget(m_secretPrompt);
    secretColumn->addWidget(m_secret);
    secretColumn->addLayout(secretAnswers);
    secretColumn->addStretch();
    secret->setLayout(secretColumn);
    m_outcome->addWidget(secret);
    const auto give = [this] {
        showProgress();
        m_worker.prompts().answerSecret(m_secret->text().toStdString());
        m_secret->clear();
    };
    connect(ok, &QPushButton::clicked, this, give);
    connect(m_secret, &QLineEdit::returnPressed, this, give);
    connect(no, &QPushButton::clicked, this, [this] {
        m_secret->clear();
        m_worker.prompts().refuse();
        showProgress();
    });

    m_findings = new FindingList;
    m_outcome->addWidget(m_findings);

    auto* buttons = makeRow(space::k8);
    auto* sandbox = makeButton(tr("Use the sandbox"), ButtonKind::Ghost, QStringLiteral("cluster"));
    sandbox->setToolTip(tr("Start a real Slurm on this machine, for trying things out, and connect to it"));
    m_stop = makeButton(tr("Stop"));
    auto* cancel = makeButton(tr("Close"), ButtonKind::Ghost);
    m_test = makeButton(tr("Test"));
    m_connectButton = makeButton(tr("Connect"), ButtonKind::Primary);
    m_connectButton->setDefault(true);
    m_stop->hide();
    buttons->addWidget(sandbox);
    buttons->addStretch();
    for (auto* button : {cancel, m_stop, m_test, m_connectButton}) {
        buttons->addWidget(button);
    }
    column->addWidget(m_outcome);
    column->addLayout(buttons);
    area->setLayout(column);
    connect(sandbox, &QPushButton::clicked, this, [this] {
        accept();
        emit sandboxRequested();
    });
    connect(cancel, &QPushButton::clicked, this, &ConnectDialog::reject);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_worker.stopWork();
        end();
        showPage(kIdle);
    });
    connect(m_test, &QPushButton::clicked, this, [this] {
        if (const auto wanted = profile()) {
            begin(Activity::Testing);
            m_worker.test(*wanted);
        }
    });
    connect(m_connectButton, &QPushButton::clicked, this, &ConnectDialog::startConnecting);
    return area;
}

void ConnectDialog::fillProfiles() {
    const QString current = m_list->currentItem() ? m_list->currentItem()->text()
                                                  : QString::fromStdString(m_worker.clusterName());
    m_list->clear();
    for (const auto& known : m_profiles.all()) {
        m_list->addItem(QString::fromStdString(known.name));
    }
    m_remove->setEnabled(false);
    if (m_profiles.all().empty()) {
        fillForm({});
    } else {
        selectProfile(current.toStdString());
    }
}

void ConnectDialog::selectProfile(const std::string& name) {
    const auto found = m_list->findItems(QString::fromStdString(name), Qt::MatchExactly);
    m_list->setCurrentItem(found.isEmpty() ? m_list->item(0) : found.front());
}

void ConnectDialog::fillForm(const remote::ClusterProfile& known) {
    m_edited = known;
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

std::optional<remote::ClusterProfile> ConnectDialog::profile() {
    const auto text = [](const QLineEdit* field) { return field->text().trimmed().toStdString(); };
    remote::ClusterProfile wanted = m_edited;
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
    markProblem(m_host, wanted.host.empty()
                            ? tr("Say which host: a name, an address, or a Host of ~/.ssh/config.")
                            : QString());
    if (const QString problem = m_environment->problem(); !problem.isEmpty()) {
        showFailure(InputError(problem.toStdString()));
        return std::nullopt;
    }
    if (wanted.host.empty()) {
        m_host->setFocus();
        showFailure(InputError("the cluster has no host", "Enter the login node's name or address."));
        return std::nullopt;
    }
    return wanted;
}

void ConnectDialog::startConnecting() {
    const auto wanted = profile();
    if (!wanted) {
        return;
    }
    m_profiles.put(*wanted);
    selectProfile(wanted->name);
    begin(Activity::Connecting);
    m_worker.connectTo(*wanted);
}

void ConnectDialog::begin(Activity activity) {
    m_activity = activity;
    m_lines.clear();
    m_findings->begin();
    addLine(tr("Connecting to %1").arg(m_host->text()));
    showProgress();
    m_test->setEnabled(false);
    m_connectButton->setEnabled(false);
    m_stop->show();
}

void ConnectDialog::end() {
    m_activity = Activity::None;
    m_test->setEnabled(true);
    m_connectButton->setEnabled(true);
    m_stop->hide();
}

void ConnectDialog::addLine(const QString& line) {
    if (m_activity == Activity::None) {
        return;
    }
    m_lines << line;
    m_steps->setText(
        m_lines.mid(std::max<qsizetype>(0, m_lines.size() - kShownLines)).join(QLatin1Char('\n')));
}

void ConnectDialog::showFailure(const Error& error) {
    end();
    m_resultTitle->setText(inert(error.what()));
    setTone(m_resultTitle, TextTone::Danger);
    m_resultText->setText(inert(error.remedy()));
    showPage(kResult);
}

/// The form above gives way to findings, which are many.
void ConnectDialog::showPage(int page) {
    m_outcome->setFixedHeight(page == kFindings ? kFindingsHeight : kOutcomeHeight);
    m_outcome->setCurrentIndex(page);
}

void ConnectDialog::showProgress() {
    showPage(m_activity == Activity::Testing ? kFindings : kProgress);
}

void ConnectDialog::askHostKey(const QString& host, const QString& type, const QString& fingerprint) {
    m_question->setText(tr("%1 is not known yet. It shows this %2 key:").arg(host, type));
    m_fingerprint->setText(fingerprint);
    showPage(kHostKey);
}

void ConnectDialog::askSecret(const QString& prompt, bool echo) {
    m_secretPrompt->setText(prompt);
    m_secret->setEchoMode(echo ? QLineEdit::Normal : QLineEdit::Password);
    showPage(kSecret);
    m_secret->setFocus();
}

void ConnectDialog::reject() {
    if (m_activity != Activity::None) {
        m_worker.stopWork();
        end();
    }
    QDialog::reject();
}

}  // namespace dailies::ui
