#include "ui/charts/chart_grid.h"

#include "core/base/error.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/chart_grid_bar.h"
#include "ui/charts/metric_chart.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <set>

namespace dailies::ui {

namespace {

constexpr int kCardHeight = 232;
constexpr int kTallCardHeight = 400;
constexpr int kMakingMs = 4;     ///< cards may take this of a frame; the rest of them come in the next
constexpr int kKeptScreens = 2;  ///< cards further from the screen than that are let go

/// A chart's key comes from a cluster: nothing in it may become markup or escape.
QString titleOf(const ChartSlot& slot) {
    if (slot.kind.empty()) {
        return sanitized(slot.metric);
    }
    for (const auto& kind : chartKinds()) {
        if (kind.id == slot.kind) {
            return kind.title;
        }
    }
    return {};
}

std::vector<std::string> metricKeys(const ChartedRuns& runs, std::stop_token stop) {
    std::set<std::string> keys;
    for (const auto& charted : runs) {
        if (stop.stop_requested()) {
            throw Cancelled();
        }
        auto hint = keys.begin();
        for (const auto& [key, latest] : charted.run->metrics) {
            hint = std::next(keys.insert(hint, key));
        }
    }
    return {keys.begin(), keys.end()};
}

}  // namespace

ChartGrid::ChartGrid(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_store(std::move(storeFile)),
      m_bar(new ChartGridBar),
      m_scroll(new QScrollArea),
      m_content(new QWidget),
      m_dropMark(new QWidget(m_content)),
      m_nothing(new QWidget),
      m_empty(makeLabel({}, TextStyle::Body, TextTone::Faint)),
      m_remedy(makeButton({}, ButtonKind::Normal)) {
    m_content->setProperty("clear", true);
    m_content->setObjectName(QStringLiteral("page"));
    m_scroll->setWidget(m_content);
    m_scroll->setWidgetResizable(false);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Always, so that its coming and going does not make every card a little narrower and wider.
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_dropMark->setFixedWidth(3);
    m_dropMark->setAutoFillBackground(true);
    m_dropMark->setBackgroundRole(QPalette::Highlight);
    m_dropMark->hide();
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    auto* nothing = makeColumn(space::k12, {space::k16, space::k16, space::k16, space::k16});
    nothing->addStretch();
    nothing->addWidget(m_empty);
    nothing->addWidget(m_remedy, 0, Qt::AlignHCenter);
    nothing->addStretch();
    m_nothing->setLayout(nothing);
    connect(m_remedy, &QPushButton::clicked, this, &ChartGrid::remedyRequested);
    auto* column = makeColumn(0);
    column->addWidget(m_bar);
    column->addWidget(m_scroll, 1);
    column->addWidget(m_nothing, 1);
    setLayout(column);
    m_scroll->hide();

    connect(m_scroll->verticalScrollBar(), &QScrollBar::valueChanged, this, &ChartGrid::makeVisibleCards);
    m_scroll->viewport()->installEventFilter(this);
    connect(&m_store, &CurveCache::failed, this, &ChartGrid::failed);
    connect(m_bar, &ChartGridBar::searchTextChanged, this, [this](const QString& text) {
        m_search = text;
        rebuild();
    });
    connect(m_bar, &ChartGridBar::settingsChosen, this, &ChartGrid::applySettings);
    connect(m_bar, &ChartGridBar::gridShapeChanged, this, [this](int columns, bool tall) {
        m_arrangement.columns = columns;
        m_arrangement.tall = tall;
        layOut();
        scheduleSave();
    });
    connect(m_bar, &ChartGridBar::chartAdded, this, [this](const std::string& kind) {
        const std::string id = m_arrangement.add(kind);
        rebuild();
        scheduleSave();
        m_scroll->ensureVisible(0, rectOf(id).top());
    });
    connect(m_bar, &ChartGridBar::metricAdded, this, [this](const std::string& key) {
        m_arrangement.addMetric(key);
        rebuild();
        scheduleSave();
    });
    connect(m_bar, &ChartGridBar::zoomResetRequested, this, [this] { setRange(std::nullopt); });

    m_makeLater.setSingleShot(true);
    connect(&m_makeLater, &QTimer::timeout, this, &ChartGrid::makeVisibleCards);
    m_saveTimer.setSingleShot(true);
    connect(&m_saveTimer, &QTimer::timeout, this, &ChartGrid::save);
    load();
}

ChartGrid::~ChartGrid() {
    // The charts use the curve store, which as a member dies before child widgets do.
    for (auto& [id, card] : m_cards) {
        delete card;
    }
}

void ChartGrid::eachChart(const std::function<void(MetricChart&)>& call) {
    for (auto& [id, card] : m_cards) {
        if (auto* chart = qobject_cast<MetricChart*>(&card->panel())) {
            call(*chart);
        }
    }
}

std::vector<ChartCard*> ChartGrid::cards() const {
    std::vector<ChartCard*> cards;
    for (const auto& [id, card] : m_cards) {
        cards.push_back(card);
    }
    return cards;
}

// -- runs and metrics

void ChartGrid::setRuns(const ChartedRuns& runs, const QString& caption) {
    m_runs = runs;
    m_curveRuns.clear();
    std::copy_if(m_runs.begin(), m_runs.end(), std::back_inserter(m_curveRuns),
                 [](const ChartedRun& charted) { return charted.emphasized; });
    if (m_curveRuns.empty()) {
        m_curveRuns = m_runs;
    }
    for (auto& charted : m_curveRuns) {
        charted.emphasized = false;  // among themselves they are all alike
    }
    m_bar->setCaption(caption);
    for (auto& [id, card] : m_cards) {
        card->panel().setRuns(runsFor(card->panel()));
    }
    // A run's metrics only become more, so their number tells whether there are new ones.
    std::vector<std::pair<std::string, std::size_t>> from;
    for (const auto& charted : m_curveRuns) {
        from.emplace_back(charted.run->id, charted.run->metrics.size());
    }
    if (from == m_keysFrom) {
        return;
    }
    m_keysFrom = std::move(from);
    if (m_collecting) {
        return;  // again when it is through
    }
    m_collecting = true;
    // Two hundred runs of ten thousand metrics each are too many for a slot.
    runAsync(
        this, [runs = m_curveRuns](std::stop_token stop) { return metricKeys(runs, stop); },
        [this, asked = m_keysFrom](std::vector<std::string> keys) {
            m_collecting = false;
            applyMetrics(std::move(keys));
            if (asked != m_keysFrom) {
                m_keysFrom.clear();
                setRuns(ChartedRuns(m_runs), m_bar->caption());
            }
        },
        [this](const Error& error) {
            m_collecting = false;
            emit failed(error);
        });
}

void ChartGrid::applyMetrics(std::vector<std::string> keys) {
    keys = chartOrder(std::move(keys));
    if (keys == m_arrangement.metrics() && !m_sections.empty()) {
        return;
    }
    m_arrangement.setMetrics(keys);
    m_bar->setMetrics(monotonicMetrics(keys));
    rebuild();
}

void ChartGrid::runsChanged(const std::vector<std::string>& runIds) {
    if (runIds.empty()) {
        m_store.invalidateAll();
    } else {
        m_store.invalidate(runIds);
    }
}

bool ChartGrid::isSettled() const {
    return !m_collecting && !m_loading && !m_makeLater.isActive() && m_store.isSettled() &&
           std::all_of(m_cards.begin(), m_cards.end(), [](const auto& card) {
               return !card.second->isVisible() || card.second->panel().isSettled();
           });
}

// -- cards

void ChartGrid::rebuild() {
    m_sections = m_arrangement.sections(m_search);
    m_bar->setRemoved(m_arrangement.removedMetrics());
    if (!find(m_maximised)) {
        m_maximised.clear();
    }
    std::set<std::string> there;
    for (const auto& section : m_sections) {
        for (const auto& slot : section.charts) {
            there.insert(slot.id);
        }
    }
    std::erase_if(m_cards, [&](const auto& card) {
        if (there.contains(card.first)) {
            return false;
        }
        card.second->deleteLater();
        card.second->hide();
        return true;
    });
    for (auto* header : m_headers) {
        header->deleteLater();
        header->hide();
    }
    m_headers.clear();
    for (const auto& section : m_sections) {
        auto* header = new QToolButton(m_content);
        header->setText(QStringLiteral("%1   %2").arg(section.title).arg(section.charts.size()));
        header->setIcon(
            icon(section.open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
        header->setIconSize({14, 14});
        header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        header->setFont(Theme::font(TextStyle::Strong));
        header->setAccessibleName(section.title + (section.open ? tr(", open") : tr(", closed")));
        header->setToolTip(section.open ? tr("Close this section") : tr("Open this section"));
        connect(header, &QToolButton::clicked, this, [this, name = section.name, open = section.open] {
            m_arrangement.setOpen(name, !open);
            rebuild();
            scheduleSave();
        });
        m_headers.push_back(header);
    }
    const bool any = !m_sections.empty();
    m_scroll->setVisible(any);
    m_nothing->setVisible(!any);
    showEmpty();
    layOut();
}

void ChartGrid::showEmpty() {
    const bool withheld = m_runs.empty() && !m_withheld.isEmpty();
    m_empty->setText(withheld              ? m_withheld
                     : !m_search.isEmpty() ? tr("No results for “%1”").arg(m_search)
                     : m_arrangement.metrics().empty()
                         ? tr("Curves appear here with the first logged step.")
                         : tr("Every chart was removed. Add brings them back."));
    m_remedy->setVisible(withheld && !m_remedy->text().isEmpty());
}

void ChartGrid::setWithheld(const QString& text, const QString& remedy) {
    m_withheld = text;
    m_remedy->setText(remedy);
    m_remedy->setAccessibleName(remedy);
    showEmpty();
}

void ChartGrid::layOut() {
    const QSize viewport = m_scroll->viewport()->size();
    m_bar->display(m_arrangement.settings, m_arrangement.columns, m_arrangement.tall);
    std::vector<GridSection> sections;
    for (const auto& section : m_sections) {
        // One section without a prefix needs no header.
        sections.push_back({static_cast<int>(section.charts.size()), section.open,
                            m_sections.size() > 1 || !section.name.empty()});
    }
    m_places = layOutGrid(sections, {viewport.width(), m_arrangement.columns,
                                     m_arrangement.tall ? kTallCardHeight : kCardHeight});
    const bool maximised = !m_maximised.empty();
    m_content->resize(viewport.width(), maximised ? viewport.height() : std::max(m_places.height, 1));
    for (std::size_t i = 0; i < m_headers.size(); ++i) {
        m_headers[i]->setVisible(!maximised && sections[i].named);
        m_headers[i]->move(m_places.headers[i].topLeft());
        m_headers[i]->adjustSize();
    }
    makeVisibleCards();
}

QRect ChartGrid::rectOf(const std::string& id) const {
    if (id == m_maximised) {
        return QRect(QPoint(0, 0), m_scroll->viewport()->size())
            .marginsRemoved({space::k16, 0, space::k16, space::k12});
    }
    const auto at = find(id);
    return at && m_maximised.empty() && at->second < m_places.cards[at->first].size()
               ? m_places.cards[at->first][at->second]
               : QRect();
}

std::optional<std::pair<std::size_t, std::size_t>> ChartGrid::find(const std::string& id) const {
    for (std::size_t section = 0; section < m_sections.size(); ++section) {
        const auto& charts = m_sections[section].charts;
        for (std::size_t i = 0; i < charts.size(); ++i) {
            if (charts[i].id == id) {
                return std::pair(section, i);
            }
        }
    }
    return std::nullopt;
}

void ChartGrid::makeVisibleCards() {
    const int top = m_scroll->verticalScrollBar()->value();
    const int height = m_scroll->viewport()->height();
    const QRect screen(0, top - height / 4, m_content->width(), height + height / 2);
    const QRect kept(0, top - kKeptScreens * height, m_content->width(), (2 * kKeptScreens + 1) * height);
    QElapsedTimer time;
    time.start();
    std::set<std::string> keep;
    for (std::size_t s = 0; s < m_sections.size(); ++s) {
        for (std::size_t i = 0; i < m_sections[s].charts.size(); ++i) {
            const ChartSlot& slot = m_sections[s].charts[i];
            const bool only = slot.id == m_maximised;
            if (!only && (!m_maximised.empty() || i >= m_places.cards[s].size())) {
                continue;
            }
            const QRect rect = only ? rectOf(slot.id) : m_places.cards[s][i];
            if (only || rect.intersects(kept)) {
                keep.insert(slot.id);
            }
            if (!only && !rect.intersects(screen)) {
                continue;
            }
            auto found = m_cards.find(slot.id);
            if (found == m_cards.end()) {
                if (!only && time.elapsed() >= kMakingMs) {
                    m_makeLater.start(0);
                    continue;
                }
                found = m_cards.emplace(slot.id, makeCard(slot)).first;
            }
            found->second->setGeometry(rect);
            found->second->show();
        }
    }
    for (auto card = m_cards.begin(); card != m_cards.end();) {
        const bool focused = card->second->isAncestorOf(QApplication::focusWidget());
        if (keep.contains(card->first)) {
            if (const QRect rect = rectOf(card->first); rect.isValid()) {
                card->second->setGeometry(rect);
            }
            ++card;
        } else if (focused || !m_maximised.empty() || card->second->exporting()) {
            card->second->hide();
            ++card;
        } else {
            card->second->hide();
            card->second->deleteLater();
            card = m_cards.erase(card);
        }
    }
}

ChartCard* ChartGrid::makeCard(const ChartSlot& slot) {
    ChartPanel* panel = nullptr;
    if (slot.kind.empty()) {
        panel = new MetricChart(m_store, slot.metric);
    } else {
        for (const auto& kind : chartKinds()) {
            if (kind.id == slot.kind) {
                panel = kind.make(nullptr);
            }
        }
    }
    auto* card = new ChartCard(slot.id, titleOf(slot), panel, m_content);
    panel->restore(m_arrangement.panelState(slot.id));
    connect(panel, &ChartPanel::runHovered, this, &ChartGrid::hover);
    connect(panel, &ChartPanel::runsChosen, this, &ChartGrid::runsChosen);
    connect(panel, &ChartPanel::openRunRequested, this, &ChartGrid::openRunRequested);
    connect(panel, &ChartPanel::panelStateChanged, this, [this, panel, id = slot.id] {
        m_arrangement.setPanelState(id, panel->panelState());
        scheduleSave();
    });
    connect(card, &ChartCard::failed, this, &ChartGrid::failed);
    connect(card, &ChartCard::maximizeToggled, this,
            [this, id = slot.id] { setMaximized(m_maximised == id ? std::string() : id); });
    connect(card, &ChartCard::moved, this, [this, id = slot.id](int places) { move(id, places); });
    connect(card, &ChartCard::removed, this, [this, id = slot.id] { remove(id); });
    connect(card, &ChartCard::dragged, this, [this, id = slot.id](const QPoint& at) { showDrop(id, at); });
    connect(card, &ChartCard::dropped, this, [this, id = slot.id](const QPoint& at) { drop(id, at); });
    if (auto* chart = qobject_cast<MetricChart*>(panel)) {
        connectCurves(*chart);
    }
    panel->setRuns(runsFor(*panel));
    return card;
}

const ChartedRuns& ChartGrid::runsFor(const ChartPanel& panel) const {
    return qobject_cast<const MetricChart*>(&panel) ? m_curveRuns : m_runs;
}

void ChartGrid::connectCurves(MetricChart& chart) {
    chart.setSettings(m_arrangement.settings);
    chart.setRange(m_range);
    chart.setStepCursor(m_stepCursor);
    connect(&chart, &MetricChart::rangeChosen, this, &ChartGrid::setRange);
    connect(&chart, &MetricChart::dragging, this,
            [this](bool on) { eachChart([on](MetricChart& other) { other.setDragging(on); }); });
    connect(&chart, &MetricChart::crosshairMoved, this, [this, &chart](std::optional<double> x) {
        eachChart([&](MetricChart& other) {
            if (&other != &chart) {
                other.setCrosshair(x);
            }
        });
    });
    connect(&chart, &MetricChart::stepChosen, this, &ChartGrid::stepChosen);
}

// -- what all charts share

void ChartGrid::applySettings(const CurveSettings& settings) {
    const CurveSettings before = std::exchange(m_arrangement.settings, settings);
    // Another x axis has other units.
    if (before.x != settings.x || before.logX != settings.logX) {
        setRange(std::nullopt);
    }
    eachChart([&](MetricChart& chart) { chart.setSettings(settings); });
    m_bar->display(settings, m_arrangement.columns, m_arrangement.tall);
    scheduleSave();
}

void ChartGrid::setRange(const std::optional<Range>& range) {
    m_range = range;
    m_bar->setZoomed(range.has_value());
    eachChart([&](MetricChart& chart) { chart.setRange(range); });
}

void ChartGrid::setStepCursor(std::optional<double> step) {
    m_stepCursor = step;
    eachChart([&](MetricChart& chart) { chart.setStepCursor(step); });
}

void ChartGrid::setHovered(const std::string& runId) {
    m_hovered = runId;
    for (auto& [id, card] : m_cards) {
        card->panel().setHovered(runId);
    }
}

void ChartGrid::hover(const std::string& runId) {
    if (runId != m_hovered) {
        setHovered(runId);
        emit runHovered(runId);
    }
}

// -- arranging

void ChartGrid::setMaximized(const std::string& cardId) {
    if (const auto card = m_cards.find(m_maximised); card != m_cards.end()) {
        card->second->setMaximized(false);
    }
    m_maximised = find(cardId) ? cardId : std::string();
    layOut();
    if (const auto card = m_cards.find(m_maximised); card != m_cards.end()) {
        card->second->setMaximized(true);
        card->second->raise();
        card->second->panel().setFocus();
    }
}

bool ChartGrid::showAlone(const std::string& metricOrKind) {
    for (const bool added : {false, true}) {
        for (const auto& section : m_sections) {
            for (const auto& slot : section.charts) {
                if ((slot.kind.empty() ? slot.metric : slot.kind) == metricOrKind) {
                    setMaximized(slot.id);
                    return true;
                }
            }
        }
        const auto& kinds = chartKinds();
        if (added || std::none_of(kinds.begin(), kinds.end(),
                                  [&](const ChartKind& kind) { return kind.id == metricOrKind; })) {
            break;
        }
        m_arrangement.add(metricOrKind);
        rebuild();
    }
    return false;
}

void ChartGrid::move(const std::string& id, int places) {
    const auto at = find(id);
    if (!at || !m_search.isEmpty()) {
        return;
    }
    const int step = places == kRowOfCards    ? m_places.columns
                     : places == -kRowOfCards ? -m_places.columns
                                              : places;
    const int index = static_cast<int>(at->second) + step;
    if (index < 0 || index >= static_cast<int>(m_sections[at->first].charts.size())) {
        return;
    }
    m_arrangement.move(id, step > 0 ? index + 1 : index);
    rebuild();
    scheduleSave();
    const QRect rect = rectOf(id);
    m_scroll->ensureVisible(rect.center().x(), rect.center().y(), 0, rect.height() / 2);
}

void ChartGrid::showDrop(const std::string& id, const QPoint& globalPosition) {
    const auto from = find(id);
    if (!from || !m_maximised.empty() || !m_search.isEmpty()) {
        return;
    }
    const auto& places = m_places.cards[from->first];
    const int index = dropIndex(places, m_content->mapFromGlobal(globalPosition));
    const bool atEnd = index > 0 && (index == static_cast<int>(places.size()) ||
                                     places[static_cast<std::size_t>(index)].left() == places.front().left());
    const QRect& beside = places[static_cast<std::size_t>(atEnd ? index - 1 : index)];
    m_dropMark->setGeometry(atEnd ? beside.right() + 5 : beside.left() - 8, beside.top(), 3, beside.height());
    m_dropMark->show();
    m_dropMark->raise();
}

void ChartGrid::drop(const std::string& id, const QPoint& globalPosition) {
    m_dropMark->hide();
    const auto from = find(id);
    if (!from || !m_maximised.empty() || !m_search.isEmpty()) {
        return;
    }
    m_arrangement.move(id, dropIndex(m_places.cards[from->first], m_content->mapFromGlobal(globalPosition)));
    rebuild();
    scheduleSave();
}

void ChartGrid::remove(const std::string& id) {
    m_arrangement.remove(id);
    rebuild();
    scheduleSave();
}

void ChartGrid::focusSearch() {
    m_bar->focusSearch();
}

bool ChartGrid::eventFilter(QObject* watched, QEvent* event) {
    // Not the grid's own resizing: until it is shown the viewport keeps an old size.
    if (watched == m_scroll->viewport() && event->type() == QEvent::Resize) {
        layOut();
    }
    return QWidget::eventFilter(watched, event);
}

void ChartGrid::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && !m_maximised.empty()) {
        setMaximized({});
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace dailies::ui
