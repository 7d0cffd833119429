#pragma once

#include "core/compare/goals.h"
#include "ui/bridge/run_async.h"

#include <QObject>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

/// Reads the best value of a metric over a run's whole history: its least or its greatest, which the store
/// has without going through the points.
class BestValueReader : public QObject {
    Q_OBJECT

public:
    explicit BestValueReader(std::filesystem::path storeFile, QObject* parent = nullptr);

    /// Values not read yet, or out of date; `read` with them.
    void request(const std::string& metric, sweep::Goal goal, const std::vector<std::string>& runIds);
    bool isSettled() const { return !m_reading && m_wanted.empty(); }

signals:
    void read(const std::string& metric, const std::unordered_map<std::string, double>& values);
    void failed(const dailies::Error& error);

private:
    struct Spec {
        sweep::Goal goal = sweep::Goal::Minimize;
        std::set<std::string> runIds;
    };
    void start();

    std::filesystem::path m_storeFile;
    std::map<std::string, Spec> m_wanted;
    bool m_reading = false;
};

}  // namespace dailies::ui
