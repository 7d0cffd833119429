#pragma once

#include "core/base/error.h"
#include "ui/bridge/run_async.h"

#include <QObject>

#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace dailies::ui {

/// Follows the runs in folders of this machine as long as the window is open, as `dailies watch` does:
/// whatever wrote them, live. The store tells its other readers of what comes in. GUI thread.
class FolderWatch : public QObject {
    Q_OBJECT

public:
    FolderWatch(std::filesystem::path storeFile, QObject* parent);
    ~FolderWatch() override;

    /// Follows those of the folders that runs lie in; `withoutRuns` names the others, and files.
    void open(const std::vector<std::filesystem::path>& paths);
    bool isOpening() const { return m_isOpening; }

    /// Asks for a folder, then opens it.
    void choose(QWidget& window);

signals:
    /// All runs of a folder, once they are in the store.
    void found(const std::vector<std::string>& runIds);
    void withoutRuns(const std::vector<std::filesystem::path>& paths);
    void failed(const dailies::Error& error);

private:
    void watch(const std::filesystem::path& folder);
    void follow(const std::filesystem::path& folder, const std::stop_token& stop);

    std::filesystem::path m_storeFile;
    AsyncTask m_task;
    bool m_isOpening = false;
    struct Watched {
        std::vector<std::string> runIds;  ///< once they are in the store
        std::jthread thread;
    };
    std::map<std::filesystem::path, Watched> m_watched;  ///< by folder
};

}  // namespace dailies::ui
