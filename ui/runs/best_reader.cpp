#include "ui/runs/best_reader.h"

#include "ui/bridge/read_store.h"

#include <cmath>
#include <utility>

namespace dailies::ui {

BestReader::BestReader(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {}

void BestReader::request(const std::string& metric, compare::Direction direction,
                         const std::vector<std::string>& runIds) {
    if (runIds.empty()) {
        return;
    }
    auto& wish = m_wanted[metric];
    wish.direction = direction;
    wish.runIds.insert(runIds.begin(), runIds.end());
    start();
}

void BestReader::start() {
    if (m_reading || m_wanted.empty()) {
        return;
    }
    m_reading = true;
    auto wanted = m_wanted.extract(m_wanted.begin());
    readStore(
        this, m_storeFile,
        [metric = wanted.key(), wish = wanted.mapped()](const tracking::Store& store, std::stop_token) {
            std::vector<tracking::CurveKey> keys;
            for (const auto& id : wish.runIds) {
                keys.push_back({id, metric});
            }
            const auto curves = store.curves(keys, std::nullopt, 1);
            std::unordered_map<std::string, double> values;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                if (curves[i].buckets.empty()) {
                    continue;
                }
                const auto& whole = curves[i].buckets.front();
                values[keys[i].runId] =
                    wish.direction == compare::Direction::LowerIsBetter ? whole.minimum : whole.maximum;
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
