#pragma once

#include "core/base/error.h"
#include "ui/bridge/run_async.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::ui {

/// Opens folders of videos, and videos, as `dailies clips` does: their runs come into the store, and `opened`
/// says which to show. One opening at a time: another one waits for none and ends the first. GUI thread.
class ClipOpener : public QObject {
    Q_OBJECT

public:
    ClipOpener(std::filesystem::path storeFile, QObject* parent);

    void open(const std::vector<std::filesystem::path>& paths);
    bool isOpening() const { return m_isOpening; }

    /// Asks for a folder, then opens it.
    void choose(QWidget& window);

    /// The folders and videos among what is dragged; empty where something else is, too.
    static std::vector<std::filesystem::path> pathsOf(const QMimeData& data);

signals:
    void opened(const std::vector<std::string>& runIds);
    /// What was left out, for a person.
    void notification(const QString& text);
    void failed(const dailies::Error& error);

private:
    std::filesystem::path m_storeFile;
    AsyncTask m_task;
    bool m_isOpening = false;
};

}  // namespace dailies::ui
