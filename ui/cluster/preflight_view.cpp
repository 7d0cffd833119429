#include "ui/cluster/preflight_view.h"

#include "remote/diagnostics/preflight.h"
#include "ui/link/cluster_worker.h"
#include "ui/theme/theme.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDateTime>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kShareRole = Qt::UserRole;        ///< of the bar behind a figure, 0 … 1
constexpr int kVerdictRole = Qt::UserRole + 1;  ///< of the node, as a number
constexpr int kHistoryRole = Qt::UserRole + 2;  ///< verdicts of earlier preflights, oldest first
constexpr std::size_t kHistory = 8;
constexpr int kRankDot = 12;
constexpr int kFirstFigure = 3;  ///< behind node, verdict and earlier verdicts
constexpr int kCell = 40, kLabelWidth = 72, kLabelHeight = 20;

QColor colorOf(preflight::NodeVerdict verdict) {
    switch (verdict) {
        case preflight::NodeVerdict::ok:
            return colors().success;
        case preflight::NodeVerdict::slow:
            return colors().warning;
        case preflight::NodeVerdict::bad:
            break;
    }
    return colors().danger;
}

QString displayName(preflight::NodeVerdict verdict) {
    return QString::fromStdString(preflight::toText(verdict));
}

QString shown(double value) {
    return QLocale().toString(value, 'f', std::abs(value) < 10 ? 2 : 0);
}

QString counted(std::size_t count, const QString& one, const QString& many) {
    return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? one : many);
}

/// A figure over its bar, a verdict as a coloured word, a node's past as dots.
class NodeDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto rect = QRectF(option.rect).adjusted(space::k8, 8, -space::k8, -8);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        if (const auto share = index.data(kShareRole); share.isValid()) {
            auto fill = colors().info;
            fill.setAlphaF(0.28f);
            painter->setBrush(fill);
            painter->drawRoundedRect(
                QRectF(rect.topLeft(), QSizeF(std::max(3.0, rect.width() * share.toDouble()), rect.height())),
                3, 3);
        }
        if (const auto past = index.data(kHistoryRole); past.isValid()) {
            double x = rect.left() + 4;
            for (const auto& verdict : past.toList()) {
                painter->setBrush(verdict.toInt() < 0
                                      ? colors().border
                                      : colorOf(static_cast<preflight::NodeVerdict>(verdict.toInt())));
                painter->drawEllipse(QPointF(x, rect.center().y()), 4, 4);
                x += kRankDot;
            }
        } else {
            const auto verdict = index.data(kVerdictRole);
            const auto color = verdict.isValid()
                                   ? colorOf(static_cast<preflight::NodeVerdict>(verdict.toInt()))
                                   : colors().text;
            if (verdict.isValid()) {
                painter->setBrush(color);
                painter->drawEllipse(QPointF(rect.left() + 4, rect.center().y()), 4, 4);
            }
            painter->setPen(color);
            painter->setFont(Theme::font(index.column() < 2 ? TextStyle::Strong : TextStyle::Body));
            painter->drawText(
                rect.adjusted(verdict.isValid() ? 16 : 4, 0, -4, 0),
                Qt::AlignVCenter | (index.data(kShareRole).isValid() ? Qt::AlignRight : Qt::AlignLeft),
                index.data().toString());
        }
        painter->restore();
    }
};

QTableWidgetItem* makeItem(const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setToolTip(text);
    return item;
}

/// How each report, oldest first, judged the node; −1: it was not in it.
QVariantList pastOf(const std::vector<preflight::Report>& reports, const std::string& name) {
    QVariantList past;
    for (std::size_t i = std::min(reports.size(), kHistory); i-- > 0;) {
        const auto node = std::ranges::find(reports[i].nodes, name, &preflight::Node::name);
        past << (node == reports[i].nodes.end() ? -1 : static_cast<int>(node->verdict));
    }
    return past;
}

QString pastText(const QVariantList& past) {
    QStringList words;
    for (const auto& verdict : past)
        if (verdict.toInt() >= 0) words << displayName(static_cast<preflight::NodeVerdict>(verdict.toInt()));
    return QObject::tr("Oldest first: %1").arg(words.join(QStringLiteral(", ")));
}

}  // namespace

PreflightView::PreflightView(QWidget* parent) : QWidget(parent) {
    auto* head = makeRow(space::k8);
    head->addWidget(makeLabel(tr("Preflight"), TextStyle::Strong));
    m_progress = makeLabel({}, TextStyle::Body, TextTone::Muted);
    head->addWidget(m_progress, 1);
    m_which = new QComboBox;
    m_which->setAccessibleName(tr("Which preflight"));
    head->addWidget(m_which);
    m_check = makeButton(tr("Check the nodes"));
    m_check->setToolTip(tr("Benchmark the nodes against each other in a separate job"));
    head->addWidget(m_check);

    m_summary = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_summary->setWordWrap(true);
    m_nodes = new QTableWidget;
    configureRowList(*m_nodes, tr("Nodes"));
    m_nodes->setItemDelegate(new NodeDelegate(m_nodes));
    m_nodes->setMinimumHeight(4 * kRowHeight);
    m_linksTitle = makeLabel({}, TextStyle::Caption, TextTone::Muted);
    m_links = new LinkMatrix;

    auto* column = makeColumn(space::k12, {space::k16, space::k12, space::k16, space::k16});
    column->addLayout(head);
    column->addWidget(m_summary);
    column->addWidget(m_nodes, 1);
    column->addWidget(m_linksTitle);
    column->addWidget(m_links);
    column->addStretch();
    setLayout(column);
    // It stays enabled: a disabled button hands the focus to whatever comes next in the window.
    connect(m_check, &QPushButton::clicked, this, [this] {
        if (m_checking)
            emit stopRequested();
        else if (m_mayCheck)
            emit checkRequested();
    });
    connect(m_which, &QComboBox::currentIndexChanged, this, &PreflightView::showReport);
    display(std::vector<preflight::Report>{});
}

void PreflightView::read(const std::filesystem::path& history) {
    m_task.cancel();
    m_reading = true;
    m_task = runAsync(
        this, [history](std::stop_token) { return remote::readPreflights(history); },
        [this](std::vector<preflight::Report> reports) {
            m_reading = false;
            display(std::move(reports));
        },
        [this](const Error&) { m_reading = false; });
}

void PreflightView::display(std::vector<preflight::Report> reports) {
    m_reports = std::move(reports);
    const QSignalBlocker quiet(m_which);
    m_which->clear();
    for (const auto& report : m_reports)
        m_which->addItem(tr("%1, %2").arg(
            QLocale().toString(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(report.time)),
                               QLocale::ShortFormat),
            counted(report.nodes.size(), tr("node"), tr("nodes"))));
    m_which->setVisible(!m_reports.empty());
    showReport(0);
}

void PreflightView::setProgress(const QString& line) {
    m_checking = !line.isEmpty();
    m_progress->setText(line);
    showButton();
}

void PreflightView::setCheckEnabled(bool enabled) {
    m_mayCheck = enabled;
    showButton();
}

void PreflightView::showButton() {
    m_check->setText(m_checking ? tr("Stop the check") : tr("Check the nodes"));
    const bool enabled = m_mayCheck || m_checking;
    if (!enabled && m_check->hasFocus()) setFocus();
    setAvailable(*m_check, enabled ? QString() : tr("Connect to a cluster first"));
}

void PreflightView::showReport(int index) {
    const bool any = index >= 0 && index < static_cast<int>(m_reports.size());
    for (QWidget* widget : std::initializer_list<QWidget*>{m_nodes, m_linksTitle, m_links})
        widget->setVisible(any);
    if (!any) {
        m_summary->setText(
            tr("No preflight results yet. Multi-node runs start with a preflight that finds broken or slow "
               "nodes before they delay a run."));
        return;
    }
    const auto& report = m_reports[static_cast<std::size_t>(index)];
    m_summary->setText(sanitized(report.summary()));
    fillTable(report);
    const bool several = report.nodes.size() > 1;
    m_links->setVisible(several);
    m_linksTitle->setVisible(several);
    QString links = tr("Between nodes, MB/s");
    if (report.allReduce)
        links += tr(" · all-reduce over %1: %2 MB/s on the bus")
                     .arg(counted(static_cast<std::size_t>(report.ranks), tr("rank"), tr("ranks")),
                          shown(*report.allReduce * 1e-6));
    links += tr(" · took %1 s").arg(shown(report.seconds));
    m_linksTitle->setText(links);
    m_links->display(report);
}

void PreflightView::fillTable(const preflight::Report& report) {
    std::vector<const preflight::NodeMetric*> figures;
    for (const auto& figure : preflight::kNodeMetrics)
        if (!report.values(figure.key).empty()) figures.push_back(&figure);
    QStringList headings{tr("Node"), tr("Verdict"), tr("Earlier")};
    for (const auto* figure : figures)
        headings << tr("%1, %2").arg(QString::fromUtf8(figure->name), QString::fromUtf8(figure->unit));
    m_nodes->clear();
    m_nodes->setColumnCount(static_cast<int>(headings.size()));
    m_nodes->setHorizontalHeaderLabels(headings);
    m_nodes->setRowCount(static_cast<int>(report.nodes.size()));
    for (std::size_t i = 0; i < report.nodes.size(); ++i) {
        const auto& node = report.nodes[i];
        const int row = static_cast<int>(i);
        m_nodes->setItem(row, 0, makeItem(sanitized(node.name)));
        auto* verdict = makeItem(displayName(node.verdict));
        verdict->setData(kVerdictRole, static_cast<int>(node.verdict));
        QStringList reasons;
        for (const auto& reason : node.reasons) reasons << sanitized(reason);
        if (!node.note.empty()) reasons << sanitized(node.note);
        verdict->setToolTip(reasons.join(QLatin1Char('\n')));
        m_nodes->setItem(row, 1, verdict);
        for (std::size_t column = 0; column < figures.size(); ++column) {
            const auto value = node.figures.find(figures[column]->key);
            auto* item =
                makeItem(value == node.figures.end() ? QStringLiteral("—")
                                                     : shown(value->second * figures[column]->scale));
            if (value != node.figures.end()) {
                double most = 0;
                for (const double each : report.values(figures[column]->key))
                    most = std::max(most, std::abs(each));
                item->setData(kShareRole, most > 0 ? std::abs(value->second) / most : 0.0);
            }
            m_nodes->setItem(row, static_cast<int>(column) + kFirstFigure, item);
        }
        const auto past = pastOf(m_reports, node.name);
        auto* earlier = makeItem({});
        earlier->setData(kHistoryRole, past);
        earlier->setToolTip(pastText(past));
        m_nodes->setItem(row, 2, earlier);
    }
    m_nodes->resizeColumnsToContents();
    for (int column = 0; column < m_nodes->columnCount(); ++column)
        m_nodes->setColumnWidth(column, std::clamp(m_nodes->columnWidth(column) + space::k12, 72, 220));
    m_nodes->setColumnWidth(
        2, std::max(72, 2 * space::k8 + kRankDot * static_cast<int>(std::min(m_reports.size(), kHistory))));
}

PreflightView* makePreflightPanel(ClusterWorker& worker, QWidget* parent) {
    auto* view = new PreflightView(parent);
    const auto follow = [view, &worker] {
        const auto cluster = worker.connectedTo();
        view->setCheckEnabled(!cluster.empty());
        if (cluster.empty()) view->setProgress({});
        if (!worker.clusterName().empty()) view->read(remote::preflightHistory(worker.clusterName()));
        if (!cluster.empty()) worker.mirrorPreflights();
    };
    QObject::connect(&worker, &ClusterWorker::stateChanged, view, follow);
    QObject::connect(&worker, &ClusterWorker::progress, view, [view](const QString& line) {
        if (view->isChecking()) view->setProgress(line);
    });
    QObject::connect(&worker, &ClusterWorker::nodesChecked, view,
                     [view](const std::filesystem::path& history, bool measured) {
                         if (measured) view->setProgress({});
                         view->read(history);
                     });
    QObject::connect(&worker, &ClusterWorker::failed, view, [view] { view->setProgress({}); });
    QObject::connect(view, &PreflightView::stopRequested, &worker, [view, &worker] {
        worker.stopWork();
        view->setProgress({});
    });
    QObject::connect(view, &PreflightView::checkRequested, &worker, [view, &worker] {
        view->setProgress(QObject::tr("Preparing…"));
        worker.checkNodes();
    });
    follow();
    return view;
}

LinkMatrix::LinkMatrix(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Rates between nodes"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LinkMatrix::display(const preflight::Report& report) {
    m_report = report;
    m_most = 0;
    QStringList broken;
    for (std::size_t i = 0; i < report.links.size(); ++i)
        for (std::size_t j = 0; j < report.links[i].size(); ++j) {
            m_most = std::max(m_most, report.links[i][j].value_or(0));
            if (i < j && report.links[i][j] == 0.0) broken << textOf(i, j);
        }
    setAccessibleDescription(broken.isEmpty() ? tr("All measured pairs are reachable")
                                              : broken.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize LinkMatrix::sizeHint() const {
    const int nodes = static_cast<int>(m_report.nodes.size());
    return {kLabelWidth + nodes * kCell, kLabelHeight + std::min(nodes, 16) * (kCell - 12)};
}

QRectF LinkMatrix::cell(std::size_t row, std::size_t column) const {
    const auto count = static_cast<double>(std::max<std::size_t>(1, m_report.nodes.size()));
    const double wide = std::min<double>(72, (width() - kLabelWidth) / count);
    const double high = (height() - kLabelHeight) / count;
    return {kLabelWidth + static_cast<double>(column) * wide, kLabelHeight + static_cast<double>(row) * high,
            wide, high};
}

QString LinkMatrix::textOf(std::size_t row, std::size_t column) const {
    const auto& rate = m_report.links[row][column];
    return tr("%1 and %2: %3")
        .arg(sanitized(m_report.nodes[row].name), sanitized(m_report.nodes[column].name),
             !rate       ? tr("not measured")
             : *rate > 0 ? tr("%1 MB/s").arg(shown(*rate * 1e-6))
                         : tr("unreachable"));
}

void LinkMatrix::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::font(TextStyle::Caption));
    const auto& metrics = painter.fontMetrics();
    for (std::size_t i = 0; i < m_report.nodes.size(); ++i) {
        const auto name = sanitized(m_report.nodes[i].name);
        const auto row = cell(i, 0), column = cell(0, i);
        painter.setPen(colors().textMuted);
        painter.drawText(QRectF(0, row.top(), kLabelWidth - space::k8, row.height()),
                         Qt::AlignVCenter | Qt::AlignRight,
                         metrics.elidedText(name, Qt::ElideMiddle, kLabelWidth - space::k8));
        painter.drawText(QRectF(column.left(), 0, column.width(), kLabelHeight), Qt::AlignCenter,
                         metrics.elidedText(name, Qt::ElideMiddle, static_cast<int>(column.width()) - 2));
        for (std::size_t j = 0; j < m_report.nodes.size(); ++j) {
            const auto box = cell(i, j).adjusted(1, 1, -1, -1);
            const auto& rate = m_report.links[i][j];
            painter.setPen(Qt::NoPen);
            auto fill = colors().info;
            if (!rate)
                fill = colors().surface;
            else if (*rate <= 0)
                fill = colors().danger;
            else
                fill.setAlphaF(static_cast<float>(0.08 + 0.5 * *rate / m_most));
            painter.setBrush(fill);
            painter.drawRoundedRect(box, 3, 3);
            if (!rate || box.width() < 32 || box.height() < 14) continue;
            painter.setPen(*rate > 0 ? colors().text : colors().window);
            painter.drawText(box, Qt::AlignCenter, *rate > 0 ? shown(*rate * 1e-6) : tr("none"));
        }
    }
}

bool LinkMatrix::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 0; i < m_report.nodes.size(); ++i)
        for (std::size_t j = 0; j < m_report.nodes.size(); ++j)
            if (i != j && cell(i, j).contains(help->pos())) {
                QToolTip::showText(help->globalPos(), textOf(i, j), this);
                return true;
            }
    QToolTip::hideText();
    return true;
}

}  // namespace dailies::ui
