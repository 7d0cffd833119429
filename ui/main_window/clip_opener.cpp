#include "ui/main_window/clip_opener.h"

#include "core/base/counts.h"
#include "core/exchange/add_clips.h"
#include "core/tracking/clip_path.h"
#include "core/tracking/store_interrupt.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/widgets.h"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace dailies::ui {

ClipOpener::ClipOpener(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {}

void ClipOpener::open(const std::vector<std::filesystem::path>& paths) {
    m_task.cancel();
    m_isOpening = true;
    m_task = runAsync(
        this,
        [file = m_storeFile, paths](std::stop_token stop) {
            tracking::Store store(file);
            tracking::interruptOnStop(store, stop);
            return exchange::addClips(store, paths, {}, {}, std::move(stop));
        },
        [this](const exchange::AddedClips& added) {
            m_isOpening = false;
            QStringList leftOut;
            for (const auto& item : added.skipped)
                leftOut << tr("%1 %2: %3").arg(item.count).arg(sanitized(item.what), sanitized(item.why));
            if (!leftOut.isEmpty()) emit notification(leftOut.join(QLatin1Char('\n')));
            emit opened(added.runIds);
        },
        [this](const Error& error) {
            m_isOpening = false;
            emit failed(error);
        });
}

void ClipOpener::choose(QWidget& window) {
    chooseFolder(window, tr("Folder of clips"),
                 [this](const QString& folder) { open({folder.toStdString()}); });
}

std::vector<std::filesystem::path> ClipOpener::pathsOf(const QMimeData& data) {
    std::vector<std::filesystem::path> paths;
    for (const QUrl& url : data.urls()) {
        const QFileInfo file(url.toLocalFile());
        const bool isVideo = tracking::isClipPath(file.fileName().toStdString());
        if (!url.isLocalFile() || !(file.isDir() || isVideo)) return {};
        paths.emplace_back(file.filePath().toStdString());
    }
    return paths;
}

}  // namespace dailies::ui
