#include "ui/main_window/log_dialog.h"

#include "core/log/log.h"
#include "ui/bridge/run_async.h"
#include "ui/main_window/log_actions.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDesktopServices>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QUrl>

namespace dailies::ui {

namespace {
constexpr QSize kLogSize{960, 560};
constexpr std::size_t kShownLines = 2000;
}  // namespace

LogDialog::LogDialog(LogActions& actions, QWidget* parent)
    : QDialog(parent),
      m_actions(actions),
      m_text(new QPlainTextEdit),
      m_detailed(new QCheckBox(tr("Detailed log"))) {
    setWindowTitle(tr("Log of Dailies"));
    setAccessibleName(windowTitle());
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kLogSize);
    auto* page = makeColumn(space::k12, {space::k16, space::k16, space::k16, space::k16});
    setLayout(page);
    page->addWidget(makeLabel(windowTitle(), TextStyle::Title));
    auto* hint = makeLabel(tr("What Dailies did, to look at or to send when something is wrong. Passwords, "
                              "keys and tokens are not in it; names of hosts, files and runs are."),
                           TextStyle::Body, TextTone::Muted);
    hint->setWordWrap(true);
    page->addWidget(hint);
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(Theme::font(TextStyle::Mono));
    m_text->setPlaceholderText(tr("Nothing has been logged yet."));
    m_text->setAccessibleName(windowTitle());
    page->addWidget(m_text, 1);
    auto* row = makeRow(space::k8);
    m_detailed->setToolTip(
        tr("Also every remote command and every attempt to sign in, from now on and in the next sessions"));
    m_detailed->setChecked(actions.isDetailed());
    connect(m_detailed, &QCheckBox::toggled, &actions, &LogActions::setDetailed);
    connect(&actions, &LogActions::detailedChanged, m_detailed, &QCheckBox::setChecked);
    row->addWidget(m_detailed);
    row->addStretch();
    auto* refresh = makeButton(tr("Refresh"), ButtonKind::Ghost);
    connect(refresh, &QPushButton::clicked, this, &LogDialog::reload);
    row->addWidget(refresh);
    auto* folder = makeButton(tr("Show in folder"), ButtonKind::Ghost);
    connect(folder, &QPushButton::clicked, this, [] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(log::logFolder().string())));
    });
    row->addWidget(folder);
    auto* copy = makeButton(tr("Copy for a report"));
    connect(copy, &QPushButton::clicked, &actions, &LogActions::copyReport);
    row->addWidget(copy);
    auto* close = makeButton(tr("Close"), ButtonKind::Primary);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    row->addWidget(close);
    page->addLayout(row);
    reload();
}

void LogDialog::reload() {
    runAsync(
        this,
        [](std::stop_token) {
            log::flush();
            return log::lastLines({}, kShownLines);
        },
        [this](const std::string& lines) {
            m_text->setPlainText(sanitized(lines));
            m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
        },
        [this](const Error& error) { emit m_actions.failed(error); });
}

}  // namespace dailies::ui
