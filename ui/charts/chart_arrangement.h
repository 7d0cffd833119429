#pragma once

#include "ui/charts/curve_scene.h"

#include <QJsonObject>
#include <QString>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// One place in the grid.
struct ChartSlot {
    std::string id;    ///< "metric:loss", "parallel:2"
    std::string kind;  ///< of `chartKinds`; empty: the curves of a metric
    std::string metric = {};
};

struct ChartSection {
    std::string name;  ///< the metrics' common prefix; empty: metrics without one, and panels people added
    QString title;
    bool open = true;
    std::vector<ChartSlot> charts;
};

/// What a person made of the grid: which charts there are, in which order, which sections are closed, and
/// what was chosen in each chart and for all. Kept per experiment as JSON; what it does not know it leaves
/// out.
class ChartArrangement {
public:
    /// Every metric has a chart until it is removed. Sorted or not.
    void setMetrics(const std::vector<std::string>& keys);
    const std::vector<std::string>& metrics() const { return m_metrics; }

    /// The sections with a chart whose name holds every word of `search`; all of them open when there is one.
    std::vector<ChartSection> sections(const QString& search = {}) const;
    std::vector<std::string> removedMetrics() const;

    std::string add(const std::string& kind);
    void addMetric(const std::string& key);
    void remove(const std::string& id);
    /// Puts a chart before the one that is at `index` of its section now (its size = at the end).
    void move(const std::string& id, int index);
    void setOpen(const std::string& section, bool open);
    void setPanelState(const std::string& id, const QJsonObject& panelState);
    QJsonObject panelState(const std::string& id) const;

    CurveSettings settings;
    int columns = 0;  ///< 0: as many as fit
    bool tall = false;

    QJsonObject toJson() const;
    static ChartArrangement fromJson(const QJsonObject& json);

private:
    std::vector<std::string> m_metrics;
    std::vector<std::pair<std::string, std::string>> m_added;  ///< id and kind
    std::map<std::string, std::vector<std::string>>
        m_order;                                       ///< by section: ids, as far as people moved them
    std::set<std::string> m_removed;                   ///< metrics
    std::map<std::string, bool> m_open;                ///< sections that people opened or closed
    std::map<std::string, QJsonObject> m_panelStates;  ///< by id
};

/// Metrics as a person looks at them: loss, adherence, further losses, then by name.
std::vector<std::string> chartOrder(std::vector<std::string> keys);

/// Metrics that can be an x axis by their name (samples, tokens, epoch, …).
std::vector<std::string> monotonicMetrics(const std::vector<std::string>& keys);

}  // namespace dailies::ui
