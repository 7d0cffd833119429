#include "ui/run_page/overview_tab.h"

#include "ui/run_details/fact_list.h"
#include "ui/run_page/certificate_badge.h"
#include "ui/theme/icons.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr std::size_t kMaxMetrics = 24;
constexpr int kMaxWidth = 1800;

QWidget* makeFactsCard(QWidget* content) {
    auto* card = makeCard();
    auto* column = makeColumn(space::k8, {space::k16, space::k16, space::k16, space::k16});
    column->addWidget(content);
    card->setLayout(column);
    return card;
}

}  // namespace

OverviewTab::OverviewTab(QWidget* parent)
    : QScrollArea(parent),
      m_certificate(new CertificateBadge),
      m_left(new FactList),
      m_middle(new FactList),
      m_fold(new QToolButton),
      m_newest(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_messages(new MessageList) {
    auto* content = new QWidget;
    content->setProperty("clear", true);
    content->setMaximumWidth(kMaxWidth);
    auto* column = makeColumn(space::k16, {space::k16, space::k16, space::k16, space::k16});
    column->addWidget(m_certificate);
    auto* row = makeRow(space::k16);
    row->addWidget(makeFactsCard(m_left), 1, Qt::AlignTop);
    row->addWidget(makeFactsCard(m_middle), 1, Qt::AlignTop);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setFont(Theme::font(TextStyle::Strong));
    m_fold->setIconSize({16, 16});
    m_fold->setCursor(Qt::PointingHandCursor);
    connect(m_fold, &QToolButton::clicked, this, [this] {
        m_open = !m_messages->isVisibleTo(this);
        showMessages();
    });
    auto* card = makeCard();
    auto* messages = makeColumn(space::k8, {space::k8, space::k8, space::k16, space::k8});
    auto* head = makeRow(space::k8);
    head->addWidget(m_fold, 0, Qt::AlignLeft);
    head->addWidget(m_newest, 1);
    messages->addLayout(head);
    m_messages->setContentsMargins(space::k8, 0, 0, space::k8);
    messages->addWidget(m_messages);
    card->setLayout(messages);
    column->addWidget(card);
    column->addLayout(row);
    column->addStretch();
    content->setLayout(column);
    setWidget(content);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Overview"));
}

void OverviewTab::setRecords(const RunRecords& records, std::int64_t nowMs) {
    m_certificate->setRun(*records.run);
    m_left->setGroups({timingFacts(records, nowMs), machineFacts(records), identityFacts(records)});
    m_middle->setGroups({metricFacts(*records.run, kMaxMetrics), predictionFacts(records),
                         trainerFacts(records), sourceFacts(records)});
    if (records.run->id != m_runId) {
        m_runId = records.run->id;
        m_open.reset();
        m_messages->setMessages({});  // it takes as many messages for the same ones
    }
    m_messages->setMessages(records.messages);
    m_troubled = records.run->status == tracking::RunStatus::Failed ||
                 std::ranges::any_of(records.messages, [](const tracking::RunMessage& message) {
                     return message.level == "error" || message.level == "warning";
                 });
    static_cast<ElidedLabel*>(m_newest)->setFullText(
        records.messages.empty() ? tr("Nothing to report")
                                 : sanitized(records.messages.back().text).section(QLatin1Char('\n'), 0, 0));
    m_fold->setText(records.messages.empty() ? tr("Messages")
                                             : tr("Messages  %1").arg(records.messages.size()));
    setAvailable(*m_fold, records.messages.empty() ? tr("Nothing to report") : QString());
    showMessages();
}

void OverviewTab::showMessages() {
    const bool open = m_fold->isEnabled() && m_open.value_or(m_troubled);
    m_messages->setVisible(open);
    m_newest->setVisible(!open);
    m_fold->setIcon(icon(open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
    m_fold->setToolTip(open ? tr("Fold the messages") : tr("Show all messages"));
}

}  // namespace dailies::ui
