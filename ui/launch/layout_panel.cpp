#include "ui/launch/layout_panel.h"

#include "core/base/size_text.h"
#include "remote/diagnostics/preflight.h"
#include "remote/fit/layout_question.h"
#include "ui/launch/layout_chart.h"
#include "ui/launch/layout_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QTableWidget>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kLayoutWidth = 250;  ///< px; the rest of the words is in the tooltip

QTableWidgetItem* makeCell(const QString& text, const planner::LayoutCandidate& choice, bool isNumber) {
    auto* cell = new QTableWidgetItem(text);
    cell->setToolTip(hoverText(choice));
    cell->setTextAlignment(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
    if (!choice.fits()) {
        cell->setForeground(colors().textFaint);
    }
    if (choice.isOwn) {
        cell->setFont(Theme::font(TextStyle::Strong));
    }
    return cell;
}

QString layoutText(const planner::LayoutCandidate& choice) {
    const auto text = QString::fromStdString(choice.layout.text());
    return choice.isOwn                                   ? QObject::tr("As configured: %1").arg(text)
           : !choice.fits()                               ? QObject::tr("Too large: %1").arg(text)
           : choice.verdict == planner::FitVerdict::tight ? QObject::tr("Tight: %1").arg(text)
                                                          : text;
}

}  // namespace

LayoutPanel::LayoutPanel(QWidget* parent)
    : QWidget(parent),
      m_advice(makeLabel({})),
      m_basis(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_chart(new LayoutChart),
      m_table(new QTableWidget),
      m_take(makeButton(tr("Use this layout"))) {
    m_advice->setWordWrap(true);
    m_advice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_basis->setWordWrap(true);
    configureRowList(*m_table, tr("The layouts that a run could have, best first"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_take->setToolTip(tr("Apply this layout to the config (or double-click it)"));

    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(m_chart);
    split->addWidget(m_table);
    split->setChildrenCollapsible(false);
    auto* column = makeColumn(space::k8, {space::k16, space::k12, space::k16, space::k12});
    column->addWidget(m_advice);
    column->addWidget(split, 1);
    auto* foot = makeRow(space::k8);
    foot->addWidget(m_basis, 1);
    foot->addWidget(m_take);
    column->addLayout(foot);
    setLayout(column);

    connect(m_chart, &LayoutChart::selected, this, &LayoutPanel::select);
    connect(m_chart, &LayoutChart::activated, this, [this](std::size_t choice) {
        select(choice);
        take();
    });
    connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (row >= 0 && static_cast<std::size_t>(row) < m_choices.shown.size()) {
            select(static_cast<std::size_t>(row));
        }
    });
    connect(m_table, &QTableWidget::cellActivated, this, &LayoutPanel::take);
    connect(m_take, &QPushButton::clicked, this, &LayoutPanel::take);
    clear();
}

void LayoutPanel::ask(const Json& config, const sweep::Resources& resources,
                      const remote::ClusterProfile& profile,
                      const std::optional<remote::slurm::ClusterFacts>& facts) {
    m_config = config;
    m_resources = resources;
    m_profile = profile;
    m_facts = facts;
    m_stale = true;
    if (isVisible()) {
        evaluate();
    }
}

void LayoutPanel::clear() {
    m_task.cancel();
    m_stale = m_working = false;
    showAnswer({.question = {}, .choices = {}, .advice = {}});
    m_advice->setText(tr("Layouts are listed when the sweep is ready."));
}

void LayoutPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_stale) {
        evaluate();
    }
}

void LayoutPanel::evaluate() {
    m_task.cancel();
    m_stale = false;
    m_working = true;
    m_task = runAsync(
        this,
        [json = m_config, resources = m_resources, profile = m_profile, facts = m_facts](std::stop_token) {
            Answer answer;
            const auto config = config::resolve(json);
            const auto preflights = profile.name.empty()
                                        ? std::vector<preflight::Report>()
                                        : remote::readPreflights(remote::preflightHistory(profile.name),
                                                                 remote::kPreflightsConsidered);
            answer.question =
                remote::layoutQuestion(config, resources, profile, facts ? &*facts : nullptr, preflights);
            if (answer.question) {
                answer.choices = planner::searchLayouts(*answer.question);
                answer.advice = planner::layoutAdvice(answer.choices);
            }
            return answer;
        },
        [this](const Answer& answer) {
            m_working = false;
            showAnswer(answer);
        },
        [this](const Error& error) {
            clear();
            m_advice->setText(sanitized(error.full()));
        });
}

void LayoutPanel::showAnswer(const Answer& answer) {
    m_choices = answer.choices;
    m_selected.reset();
    m_advice->setText(
        answer.question ? sanitized(answer.advice)
                        : tr("No speed data for these ranks, so layouts can't be compared. Choose a GPU type "
                             "(h100, h200, a100) under Resources, or check the nodes on the Cluster page."));
    const bool any = !m_choices.shown.empty();
    m_chart->setVisible(any);
    m_table->setVisible(any);
    m_take->setVisible(any);
    m_take->setEnabled(false);
    m_basis->setText(any ? tr("%1 layouts of %2 × %3 ranks, by %4.")
                               .arg(answer.choices.considered)
                               .arg(answer.question->machines.nodes)
                               .arg(answer.question->machines.ranksPerNode)
                               .arg(sanitized(answer.question->rates.source))
                         : QString());
    m_chart->display(m_choices);
    if (any) {
        fillTable(*answer.question);
    } else {
        m_table->setRowCount(0);
    }
}

void LayoutPanel::fillTable(const planner::LayoutQuestion& question) {
    QStringList heads{tr("Tokens/s")};
    if (question.rates.peak) {
        heads << tr("MFU");
    }
    heads << tr("Memory") << tr("Layout") << tr("Traffic") << tr("Duration");
    const int layoutColumn = static_cast<int>(heads.size()) - 3;
    const bool priced = question.gpuHourPrice > 0 && question.rates.gpu;
    if (priced) {
        heads << tr("Price");
    }
    const QSignalBlocker quiet(m_table);
    m_table->clear();
    m_table->setColumnCount(static_cast<int>(heads.size()));
    m_table->setHorizontalHeaderLabels(heads);
    m_table->setRowCount(static_cast<int>(m_choices.shown.size()));
    const auto percent = [](double share) { return tr("%1 %").arg(std::lround(100 * share)); };
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const auto& choice = m_choices.shown[static_cast<std::size_t>(row)];
        const auto& speed = choice.speed;
        QStringList texts{roundText(speed.tokensPerSecond())};
        if (const auto mfu = speed.mfu()) {
            texts << percent(*mfu);
        }
        texts << QString::fromStdString(binarySizeText(choice.bytes)) << layoutText(choice)
              << percent(speed.exposedCommunication() / speed.seconds())
              << hoursText(choice.hours(question.config.steps));
        if (priced) {
            texts << roundText(question.gpuHourPrice * choice.gpuHours(question.config.steps)) +
                         QLatin1Char(' ') + sanitized(m_profile.currency);
        }
        for (int column = 0; column < texts.size(); ++column) {
            m_table->setItem(row, column, makeCell(texts[column], choice, column != layoutColumn));
        }
    }
    m_table->resizeColumnsToContents();
    for (int column = 0; column < m_table->columnCount(); ++column) {
        const int wanted = m_table->columnWidth(column) + space::k12;
        m_table->setColumnWidth(column, column == layoutColumn ? std::min(wanted, kLayoutWidth) : wanted);
    }
}

void LayoutPanel::select(std::size_t choice) {
    if (m_selected == choice) {
        return;
    }
    m_selected = choice;
    m_chart->select(choice);
    m_take->setEnabled(!m_choices.shown[choice].isOwn);
    const QSignalBlocker quiet(m_table);
    m_table->selectRow(static_cast<int>(choice));
    m_table->scrollToItem(m_table->item(static_cast<int>(choice), 0));
}

void LayoutPanel::take() {
    if (m_selected && !m_choices.shown[*m_selected].isOwn) {
        emit layoutAccepted(m_choices.shown[*m_selected].layout.settings());
    }
}

QString LayoutPanel::adviceText() const {
    return m_advice->text();
}

}  // namespace dailies::ui
