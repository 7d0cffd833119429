#include "ui/cluster/connect_dialog.h"

#include "remote/cluster/profile_changes.h"
#include "ui/cluster/cluster_form.h"
#include "ui/cluster/finding_list.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr QSize kSize{860, 760};
constexpr int kListWidth = 200;
constexpr int kOutcomeHeight = 136;
constexpr int kFindingsHeight = 320;
constexpr int kFrame = 32;  ///< room for the window's title and border
constexpr int kShownLines = 5;

enum OutcomePage { kIdle, kProgress, kResult, kHostKey, kSecret, kFindings };

}  // namespace

ConnectDialog::ConnectDialog(ProfileList& profiles, ClusterWorker& worker, QWidget* parent)
    : QDialog(parent), m_profiles(profiles), m_worker(worker) {
    setWindowTitle(tr("Connect to a cluster"));
    auto* columns = makeRow(0);
    columns->addWidget(makeProfiles());
    columns->addWidget(makeLine(Qt::Vertical));
    auto* right = makeColumn(0);
    m_form = new ClusterForm;
    right->addWidget(m_form, 1);
    right->addWidget(makeLine());
    right->addWidget(makeOutcome());
    columns->addLayout(right, 1);
    setLayout(columns);
    m_connectButton->setDefault(true);  // a dialog knows only of buttons that are in it

    connect(&m_profiles, &ProfileList::changed, this, &ConnectDialog::fillProfiles);
    connect(&m_worker, &ClusterWorker::progress, this, &ConnectDialog::addLine);
    connect(&m_worker, &ClusterWorker::found, m_findings, &FindingList::add);
    connect(&m_worker, &ClusterWorker::tested, this, [this](remote::Verdict verdict) {
        if (verdict != remote::Verdict::Bad) {
            m_tested = m_pending;
        }
        end();
        m_findings->end(verdict);
        showPage(kFindings);
        refreshSave();
    });
    connect(&m_worker, &ClusterWorker::connectionFailed, this, [this](const Error& error) {
        showFailure(error);
        if (m_pending.name == m_worker.clusterName() && !isSaved(m_pending)) {
            m_resultText->setText(m_resultText->text() + QLatin1Char('\n') +
                                  tr("%1 is not saved yet.").arg(QString::fromStdString(m_pending.name)));
        }
    });
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this](ConnectionState state) {
        if (m_activity != Activity::Connecting) {
            return;
        }
        if (state == ConnectionState::Connected) {
            if (!isSaved(m_pending)) {
                m_profiles.put(m_pending);
            }
            end();
            accept();
        } else if (state == ConnectionState::Offline) {
            end();
        }
    });
    connect(m_form, &ClusterForm::changed, this, &ConnectDialog::refreshSave);
    fillProfiles();
    // Never larger than the screen: what does not fit is scrolled to, and the buttons stay in sight.
    const auto* place = parent ? parent->screen() : screen();
    resize(kSize.boundedTo(place->availableSize() - QSize(kFrame, kFrame)));
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
    auto* sandbox = makeButton(tr("Use the sandbox"), ButtonKind::Ghost, QStringLiteral("cluster"));
    sandbox->setToolTip(tr("Start a real Slurm on this machine, for trying things out, and connect to it"));
    for (auto* button : {add, m_remove, sandbox}) column->addWidget(button);
    side->setLayout(column);
    connect(sandbox, &QPushButton::clicked, this, [this] {
        accept();
        emit sandboxRequested();
    });

    connect(m_list, &QListWidget::currentTextChanged, this, [this](const QString& name) {
        if (const auto known = m_profiles.find(name.toStdString())) {
            m_form->setProfile(*known);
        }
        m_remove->setEnabled(!name.isEmpty());
    });
    connect(add, &QPushButton::clicked, this, [this] {
        m_list->setCurrentRow(-1);
        m_form->setProfile({});
        m_form->focusName();
    });
    connect(m_remove, &QPushButton::clicked, this, &ConnectDialog::removeChosen);
    return side;
}

QWidget* ConnectDialog::makeOutcome() {
    auto* area = new QWidget;
    auto* column = makeColumn(space::k12, {space::k24, space::k16, space::k24, space::k16});
    m_outcome = new QStackedWidget;

    auto* idle = makeLabel(
        tr("Your ~/.ssh/config, keys, agent and known_hosts are used as ssh uses them. A cluster is "
           "saved once it has connected. Test checks everything Dailies needs, on a compute node too, "
           "with a job of a few seconds that leaves nothing behind."),
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
    m_undo = makeButton(tr("Undo"));
    m_replace = makeButton(tr("Replace"), ButtonKind::Danger);
    resultColumn->addWidget(m_undo, 0, Qt::AlignLeft);
    resultColumn->addWidget(m_replace, 0, Qt::AlignLeft);
    resultColumn->addStretch();
    result->setLayout(resultColumn);
    result->setProperty("clear", true);
    auto* resultScroll = new QScrollArea;
    resultScroll->setWidget(result);
    resultScroll->setWidgetResizable(true);
    resultScroll->setFocusPolicy(Qt::NoFocus);
    resultScroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_outcome->addWidget(resultScroll);
    connect(m_replace, &QPushButton::clicked, this, [this] {
        showPage(kIdle);
        m_afterReplace();
    });
    connect(m_undo, &QPushButton::clicked, this, [this] {
        m_profiles.put(m_before);
        selectProfile(m_before.name);
        showPage(kIdle);
    });

    auto* hostKey = new QWidget;
    auto* hostKeyColumn = makeColumn(space::k4);
    m_question = makeLabel({}, TextStyle::Strong);
    m_question->setWordWrap(true);
    m_fingerprint = makeLabel({}, TextStyle::Mono);
    m_fingerprint->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* advice = makeLabel(
        tr("Check it against the fingerprint your administrators publish. Trust it only if they match."),
        TextStyle::Body, TextTone::Muted);
    advice->setWordWrap(true);
    auto* answers = makeRow(space::k8, {0, space::k8, 0, 0});
    auto* save = makeButton(tr("Always trust"), ButtonKind::Primary);
    auto* once = makeButton(tr("Trust once"));
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
        m_worker.prompts().answerHostKey(trust);
        closeQuestion();
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
        m_worker.prompts().answerSecret(m_secret->text().toStdString());
        m_secret->clear();
        closeQuestion();
    };
    connect(ok, &QPushButton::clicked, this, give);
    connect(m_secret, &QLineEdit::returnPressed, this, give);
    connect(no, &QPushButton::clicked, this, [this] {
        m_secret->clear();
        m_worker.prompts().refuse();
        closeQuestion();
    });

    m_findings = new FindingList;
    m_outcome->addWidget(m_findings);

    auto* buttons = makeRow(space::k8);
    m_stop = makeButton(tr("Stop"));
    auto* cancel = makeButton(tr("Close"), ButtonKind::Ghost);
    m_test = makeButton(tr("Test"));
    m_connectButton = makeButton(tr("Connect"), ButtonKind::Primary);
    m_save = makeButton({}, ButtonKind::Ghost);
    m_stop->hide();
    buttons->addStretch();
    for (auto* button : {cancel, m_stop, m_save, m_test, m_connectButton}) {
        buttons->addWidget(button);
    }
    column->addWidget(m_outcome);
    column->addLayout(buttons);
    area->setLayout(column);
    connect(m_save, &QPushButton::clicked, this, &ConnectDialog::save);
    connect(cancel, &QPushButton::clicked, this, &ConnectDialog::reject);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_worker.stopConnecting();
        end();
        showPage(kIdle);
    });
    connect(m_test, &QPushButton::clicked, this, [this] {
        if (const auto wanted = profile()) {
            m_pending = *wanted;
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
        m_form->setProfile({});
    } else {
        selectProfile(current.toStdString());
    }
}

void ConnectDialog::selectProfile(const std::string& name) {
    const auto found = m_list->findItems(QString::fromStdString(name), Qt::MatchExactly);
    m_list->setCurrentItem(found.isEmpty() ? m_list->item(0) : found.front());
}

std::optional<remote::ClusterProfile> ConnectDialog::profile() {
    const auto wanted = m_form->profile();
    try {
        m_form->requireComplete();
        remote::throwIfInvalid(wanted);
    } catch (const InputError& error) {
        showFailure(error);
        return std::nullopt;
    }
    return wanted;
}

bool ConnectDialog::isSaved(const remote::ClusterProfile& profile) const {
    auto known = m_profiles.find(profile.name);
    if (known && known->workspace.empty()) {
        known->workspace = profile.workspace;  // as the form fills it in
    }
    return known == profile;
}

void ConnectDialog::save() {
    const auto wanted = profile();
    if (!wanted) {
        return;
    }
    unlessItReplaces(*wanted, [this, profile = *wanted] { put(profile); });
}

void ConnectDialog::put(const remote::ClusterProfile& profile) {
    const bool good = m_tested == profile;
    const auto before = m_profiles.find(profile.name);
    m_profiles.put(profile);
    selectProfile(profile.name);
    QString text =
        good ? tr("All checks passed.") : tr("Not tested since your last change. Click Test to check it.");
    if (before) {
        m_before = *before;
        text = sanitized(remote::toText(remote::changes(*before, profile))) + QLatin1Char('\n') + text;
    }
    showResult(tr("Saved %1").arg(QString::fromStdString(profile.name)), text);
    m_undo->setVisible(before.has_value());
}

/// A profile that somebody opened may be changed; another one that is called so is not lost unasked.
void ConnectDialog::unlessItReplaces(const remote::ClusterProfile& wanted, std::function<void()> go) {
    const auto known = m_profiles.find(wanted.name);
    const auto* opened = m_list->currentItem();
    if (!known || isSaved(wanted) || (opened && opened->text().toStdString() == wanted.name)) return go();
    m_afterReplace = std::move(go);
    showResult(tr("There is a cluster %1 already. Replace it?").arg(QString::fromStdString(wanted.name)),
               sanitized(remote::toText(remote::changes(*known, wanted))), TextTone::Normal);
    m_replace->show();
    m_replace->setFocus();
}

void ConnectDialog::removeChosen() {
    const auto* item = m_list->currentItem();
    const auto known = item ? m_profiles.find(item->text().toStdString()) : std::nullopt;
    if (!known) {
        return;
    }
    m_before = *known;
    m_profiles.remove(known->name);
    showResult(tr("Removed %1").arg(QString::fromStdString(known->name)),
               tr("Nothing on the cluster was touched."));
    m_undo->show();
    m_undo->setFocus();
}

void ConnectDialog::refreshSave() {
    const auto wanted = m_form->profile();
    m_save->setVisible(!wanted.host.empty() && !isSaved(wanted));
    const bool good = m_tested == wanted;
    m_save->setText(good ? tr("Save") : tr("Save untested"));
    m_save->setToolTip(good ? tr("Save this cluster; all checks passed") : tr("Save without testing"));
}

void ConnectDialog::startConnecting() {
    const auto wanted = profile();
    if (!wanted) {
        return;
    }
    // it is saved once it has connected
    unlessItReplaces(*wanted, [this, profile = *wanted] {
        m_pending = profile;
        begin(Activity::Connecting);
        m_worker.connectTo(profile);
    });
}

void ConnectDialog::begin(Activity activity) {
    m_activity = activity;
    m_lines.clear();
    m_findings->begin();
    addLine(tr("Connecting to %1").arg(QString::fromStdString(m_pending.host)));
    showProgress();
    m_stop->show();
    // Before they are disabled, which would hand the focus on to whatever comes next.
    m_focused = m_test->hasFocus() ? m_test : m_connectButton->hasFocus() ? m_connectButton : nullptr;
    if (m_focused) {
        m_stop->setFocus();
    }
    m_test->setEnabled(false);
    m_connectButton->setEnabled(false);
    m_save->setEnabled(false);
}

void ConnectDialog::end() {
    m_activity = Activity::None;
    m_test->setEnabled(true);
    m_connectButton->setEnabled(true);
    m_save->setEnabled(true);
    if (m_stop->hasFocus()) {
        (m_focused ? m_focused : m_connectButton)->setFocus();
    }
    m_stop->hide();
    refreshSave();
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
    showResult(sanitized(error.what()), sanitized(error.remedy()), TextTone::Danger);
}

void ConnectDialog::showResult(const QString& title, const QString& text, TextTone tone) {
    m_resultTitle->setText(title);
    setTone(m_resultTitle, tone);
    m_resultText->setText(text);
    m_undo->hide();
    m_replace->hide();
    showPage(kResult);
}

void ConnectDialog::showPage(int page) {
    m_outcome->setCurrentIndex(page);
    fitOutcome();
}

/// The form above gives way to findings, which are many, but on a small screen not to all of them.
void ConnectDialog::fitOutcome() {
    const auto* layout = m_outcome->currentWidget()->layout();
    const int needed = layout && layout->hasHeightForWidth()
                           ? layout->totalHeightForWidth(std::max(m_outcome->width(), 1))
                           : kOutcomeHeight;
    const int wanted =
        m_outcome->currentIndex() == kFindings ? kFindingsHeight : std::max(kOutcomeHeight, needed);
    m_outcome->setFixedHeight(std::clamp(height() / 2, std::min(kOutcomeHeight, wanted), wanted));
}

void ConnectDialog::resizeEvent(QResizeEvent* event) {
    QDialog::resizeEvent(event);
    fitOutcome();
}

void ConnectDialog::showProgress() {
    showPage(m_activity == Activity::Testing ? kFindings : kProgress);
}

void ConnectDialog::askHostKey(const QString& host, const QString& type, const QString& fingerprint) {
    m_question->setText(tr("Unknown host %1. Its %2 key:").arg(host, type));
    m_fingerprint->setText(fingerprint);
    showPage(kHostKey);
}

void ConnectDialog::askSecret(const QString& prompt, bool echo) {
    m_secretPrompt->setText(prompt);
    m_secret->setEchoMode(echo ? QLineEdit::Normal : QLineEdit::Password);
    showPage(kSecret);
    m_secret->setFocus();
}

/// A connection that signs in by itself (again, or the one for long work) asks, too.
void ConnectDialog::closeQuestion() {
    if (m_activity != Activity::None) {
        showProgress();
    } else if (m_closesWithQuestion) {
        accept();
    } else {
        showPage(kIdle);
    }
}

void ConnectDialog::reject() {
    const int page = m_outcome->currentIndex();
    if (page == kHostKey || page == kSecret) {
        m_worker.prompts().refuse();  // or its thread would wait for ever
    }
    if (m_activity != Activity::None) {
        m_worker.stopConnecting();
        end();
    }
    QDialog::reject();
}

}  // namespace dailies::ui
