#pragma once

#include "ui/bridge/run_async.h"
#include "ui/charts/series.h"

#include <QObject>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// The metric histories that charts have asked for, read from the store off the GUI thread and kept until
/// their run changes.
class SeriesCache : public QObject {
    Q_OBJECT

public:
    explicit SeriesCache(std::filesystem::path storeFile, QObject* parent = nullptr);

    /// What is known of it now (perhaps out of date), or null.
    SeriesPtr get(const std::string& runId, const std::string& key) const;
    /// Reads those of these runs × keys that are missing or out of date; `changed` when they are here.
    void request(const std::vector<std::string>& runIds, const std::vector<std::string>& keys);
    /// These runs have new points: their series are read again when next requested.
    void invalidate(const std::vector<std::string>& runIds);
    void invalidateAll();
    bool settled() const { return !m_reading; }

signals:
    void changed();
    void failed(const dailies::Error& error);

private:
    using Id = std::pair<std::string, std::string>;  ///< run, metric
    struct Entry {
        SeriesPtr series;
        bool stale = true;
    };
    void read();

    std::filesystem::path m_storeFile;
    std::map<Id, Entry> m_entries;
    std::set<Id> m_wanted;
    bool m_reading = false;
};

}  // namespace dailies::ui
