#include "ui/run_page/overview_tab.h"

#include "ui/run_page/certificate_badge.h"
#include "ui/run_page/fact_list.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>

namespace dailies::ui {

namespace {

constexpr std::size_t kMostMetrics = 24;
constexpr int kMostWidth = 1800;

QWidget* makeFactsCard(QWidget* content, const QString& title = {}) {
    auto* card = makeCard();
    auto* column = makeColumn(space::k8, {space::k16, space::k16, space::k16, space::k16});
    if (!title.isEmpty()) column->addWidget(makeLabel(title, TextStyle::Strong));
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
      m_messages(new MessageList) {
    auto* content = new QWidget;
    content->setProperty("clear", true);
    content->setMaximumWidth(kMostWidth);
    auto* column = makeColumn(space::k16, {space::k16, space::k16, space::k16, space::k16});
    column->addWidget(m_certificate);
    auto* row = makeRow(space::k16);
    row->addWidget(makeFactsCard(m_left), 1, Qt::AlignTop);
    row->addWidget(makeFactsCard(m_middle), 1, Qt::AlignTop);
    row->addWidget(makeFactsCard(m_messages, tr("Messages")), 1, Qt::AlignTop);
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
    m_middle->setGroups(
        {metricFacts(*records.run, kMostMetrics), predictionFacts(records), trainerFacts(records)});
    m_messages->setMessages(records.messages);
}

}  // namespace dailies::ui
