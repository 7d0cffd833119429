// What people arranged in a ChartGrid, kept in the store for each experiment.
#include "core/base/error.h"
#include "core/base/json.h"
#include "ui/bridge/read_store.h"
#include "ui/bridge/write_store.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/chart_grid.h"
#include "ui/charts/metric_chart.h"

#include <QJsonDocument>

namespace dailies::ui {

namespace {

constexpr int kSaveDelayMs = 700;  ///< many small changes are one write

}  // namespace

void ChartGrid::setExperiment(const std::string& name) {
    if (name == m_experiment) {
        return;
    }
    if (m_unsaved) {
        save();
    }
    m_experiment = name;
    load();
}

void ChartGrid::load() {
    m_loading = true;
    readStore(
        this, m_store.file(),
        [experiment = m_experiment](const tracking::Store& store, std::stop_token) {
            for (const auto& view : store.views(experiment)) {
                if (view.name == kViewName) {
                    return view.content.dump();
                }
            }
            return std::string();
        },
        [this, experiment = m_experiment](const std::string& json) {
            m_loading = false;
            if (experiment != m_experiment || m_unsaved) {
                return;
            }
            const auto metrics = m_arrangement.metrics();
            m_arrangement =
                ChartArrangement::fromJson(QJsonDocument::fromJson(QByteArray::fromStdString(json)).object());
            m_arrangement.setMetrics(metrics);
            for (auto& [id, card] : m_cards) {
                card->panel().restore(m_arrangement.panelState(id));
            }
            setRange(std::nullopt);
            eachChart([&](MetricChart& chart) { chart.setSettings(m_arrangement.settings); });
            rebuild();
        },
        [this](const Error&) {
            // A store without saved views, or one that cannot be read: the page says so where it reads runs.
            m_loading = false;
        });
}

void ChartGrid::scheduleSave() {
    m_unsaved = true;
    m_saveTimer.start(kSaveDelayMs);
}

void ChartGrid::save() {
    m_saveTimer.stop();
    if (m_saving) {
        m_saveTimer.start(kSaveDelayMs);
        return;
    }
    m_unsaved = false;
    m_saving = true;
    const std::string json =
        QJsonDocument(m_arrangement.toJson()).toJson(QJsonDocument::Compact).toStdString();
    writeStore(
        this, m_store.file(),
        [experiment = m_experiment, json](tracking::Store& store) {
            store.putView(experiment, kViewName, parseJson(json, "the charts' arrangement"));
        },
        [this] { m_saving = false; },
        [this](const Error&) {
            // A store that cannot be written keeps no arrangement; the page says so.
            m_saving = false;
        });
}

}  // namespace dailies::ui
