#include "ui/runs/best_value_reader.h"

#include "ui/bridge/read_store.h"

#include <cmath>
#include <utility>

namespace dailies::ui {

BestValueReader::BestValueReader(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {}

void BestValueReader::request(const std::string& metric, sweep::Goal goal,
                              const std::vector<std::string>& runIds) {
    if (runIds.empty()) {
        return;
    }
    auto& spec = m_wanted[metric];
    spec.goal = goal;
    spec.runIds.insert(runIds.begin(), runIds.end());
    start();
}

void BestValueReader::start() {
    if (m_reading || m_wanted.empty()) {
        return;
    }
    m_reading = true;
    auto wanted = m_wanted.extract(m_wanted.begin());
    readStore(
        this, m_storeFile,
        [metric = wanted.key(), spec = wanted.mapped()](const tracking::Store& store, std::stop_token) {
            std::vector<tracking::CurveKey> keys;
            for (const auto& id : spec.runIds) {
                keys.push_back({id, metric});
            }
            const auto curves = store.curves(keys, std::nullopt, 1);
            std::unordered_map<std::string, double> values;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                if (curves[i].buckets.empty()) {
                    continue;
                }
                const auto& whole = curves[i].buckets.front();
                values[keys[i].runId] = spec.goal == sweep::Goal::Minimize ? whole.minimum : whole.maximum;
            }
            return values;
        },
        [this, metric = wanted.key()](const std::unordered_map<std::string, double>& values) {
            m_reading = false;
            emit read(metric, values);
            start();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
        });
}

}  // namespace dailies::ui
