#include "ui/cluster/finding_list.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGraphicsOpacityEffect>
#include <QGridLayout>
#include <QScrollBar>

namespace dailies::ui {

namespace {

constexpr int kWhatWidth = 104;
constexpr double kOutdatedOpacity = 0.45;

struct VerdictLook {
    QString sign, word;
    TextTone tone;
};

VerdictLook lookOf(remote::Verdict verdict) {
    switch (verdict) {
        case remote::Verdict::Good:
            return {QStringLiteral("✓"), FindingList::tr("good"), TextTone::Success};
        case remote::Verdict::Warn:
            return {QStringLiteral("!"), FindingList::tr("warning"), TextTone::Warning};
        case remote::Verdict::Bad:
            break;
    }
    return {QStringLiteral("✕"), FindingList::tr("bad"), TextTone::Danger};
}

QLabel* makeCell(const QString& text, TextStyle style, TextTone tone) {
    auto* label = makeLabel(text, style, tone);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // One long path does not push the rest out of sight.
    label->setMinimumWidth(1);
    label->setToolTip(text);
    return label;
}

}  // namespace

FindingList::FindingList(QWidget* parent) : QScrollArea(parent) {
    auto* content = new QWidget;
    content->setProperty("clear", true);
    auto* column = makeColumn(space::k8);
    m_title = makeLabel({}, TextStyle::Strong);
    m_title->setWordWrap(true);  // or the list would be as wide as the sentence, and cut
    column->addWidget(m_title);
    m_rows = new QWidget;
    column->addWidget(m_rows);
    column->addStretch();
    content->setLayout(column);
    setWidget(content);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Findings"));
}

void FindingList::begin() {
    auto* fresh = new QWidget;
    m_grid = new QGridLayout(fresh);
    m_grid->setContentsMargins({});
    m_grid->setHorizontalSpacing(space::k8);
    m_grid->setVerticalSpacing(space::k4);
    m_grid->setColumnMinimumWidth(1, kWhatWidth);
    m_grid->setColumnStretch(2, 1);
    delete widget()->layout()->replaceWidget(m_rows, fresh);
    delete m_rows;
    m_rows = fresh;
    m_title->setText(tr("Testing…"));
    setTone(m_title, TextTone::Normal);
}

void FindingList::add(const remote::ClusterFinding& finding) {
    const auto look = lookOf(finding.verdict);
    const int row = m_grid->rowCount();
    auto* sign = makeCell(look.sign, TextStyle::Strong, look.tone);
    sign->setAccessibleName(look.word);
    sign->setToolTip(look.word);
    m_grid->addWidget(sign, row, 0);
    m_grid->addWidget(makeCell(sanitized(finding.what), TextStyle::Body, TextTone::Muted), row, 1);
    m_grid->addWidget(makeCell(sanitized(finding.found), TextStyle::Body, TextTone::Normal), row, 2);
    if (!finding.remedy.empty()) {
        m_grid->addWidget(makeCell(sanitized(finding.remedy), TextStyle::Body, TextTone::Muted), row + 1, 2);
    }
}

void FindingList::end(remote::Verdict verdict) {
    end(verdict, {tr("Ready: this cluster has everything Dailies needs."),
                  tr("This cluster can be used, with warnings."),
                  tr("Not ready: fix the items marked ✕ and test again.")});
}

void FindingList::end(remote::Verdict verdict, const Titles& titles) {
    setTone(m_title, lookOf(verdict).tone);
    m_title->setText(verdict == remote::Verdict::Good   ? titles.good
                     : verdict == remote::Verdict::Warn ? titles.warn
                                                        : titles.bad);
}

void FindingList::markOutdated(const QString& title) {
    setTone(m_title, TextTone::Warning);
    m_title->setText(title);
    auto* pale = new QGraphicsOpacityEffect(m_rows);
    pale->setOpacity(kOutdatedOpacity);
    m_rows->setGraphicsEffect(pale);
}

}  // namespace dailies::ui
