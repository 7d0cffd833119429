#include "ui/charts/series_cache.h"

#include "ui/bridge/read_store.h"

namespace dailies::ui {

SeriesCache::SeriesCache(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {}

SeriesPtr SeriesCache::get(const std::string& runId, const std::string& key) const {
    const auto found = m_entries.find({runId, key});
    return found == m_entries.end() ? nullptr : found->second.series;
}

void SeriesCache::request(const std::vector<std::string>& runIds, const std::vector<std::string>& keys) {
    m_wanted.clear();  // what was wanted before and not read is not on any chart any more
    for (const auto& run : runIds) {
        for (const auto& key : keys) {
            const auto found = m_entries.find({run, key});
            if (found == m_entries.end() || found->second.stale) {
                m_wanted.emplace(run, key);
            }
        }
    }
    read();
}

void SeriesCache::invalidate(const std::vector<std::string>& runIds) {
    for (const auto& run : runIds) {
        for (auto at = m_entries.lower_bound({run, {}}); at != m_entries.end() && at->first.first == run;
             ++at) {
            at->second.stale = true;
        }
    }
}

void SeriesCache::invalidateAll() {
    for (auto& [id, entry] : m_entries) {
        entry.stale = true;
    }
}

void SeriesCache::read() {
    if (m_reading || m_wanted.empty()) {
        return;
    }
    m_reading = true;
    std::set<Id> wanted;
    wanted.swap(m_wanted);
    for (const auto& id : wanted) {
        m_entries[id].stale = false;  // points that come during the read make it stale again
    }
    readStore(
        this, m_storeFile,
        [wanted](const tracking::Store& store, std::stop_token stop) {
            std::map<Id, SeriesPtr> result;
            for (const auto& id : wanted) {
                if (stop.stop_requested()) {
                    throw Cancelled();
                }
                result.emplace(id, makeSeries(store.history(id.first, id.second)));
            }
            return result;
        },
        [this](std::map<Id, SeriesPtr> result) {
            m_reading = false;
            for (auto& [id, series] : result) {
                m_entries[id].series = std::move(series);
            }
            emit changed();
            read();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
        });
}

}  // namespace dailies::ui
