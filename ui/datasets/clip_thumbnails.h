#pragma once

#include "ui/datasets/dataset_model.h"
#include "ui/playback/frame_service.h"

#include <QCache>
#include <QImage>
#include <QObject>
#include <QSize>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace dailies::ui {

/// The middle frame of each clip, decoded when its tile comes into view and kept under a limit of its own.
/// GUI thread only.
class ClipThumbnails : public QObject {
    Q_OBJECT

public:
    struct Thumbnail {
        QImage image;
        QString error;  ///< why there is none, for a person
    };

    ClipThumbnails(const DatasetModel& model, QObject* parent = nullptr);
    ~ClipThumbnails() override;

    /// What is in view now, the most wanted first; what was asked for before and has not begun is given up.
    void want(const std::vector<std::uint32_t>& clips, QSize box);
    void pause();   ///< nothing is in view
    void forget();  ///< other clips are there
    /// Null while it is being decoded. Valid until the event loop runs again.
    const Thumbnail* find(std::uint32_t clip) const { return m_thumbnails.object(clip); }
    bool isSettled() const { return m_wanted.empty(); }

signals:
    void arrived();

private:
    struct Wanted {
        std::uint32_t clip = 0;
        std::string file;
        int frame = 0;
    };
    void take(const std::vector<DecodedFrame>& frames);
    void ask();

    const DatasetModel& m_model;
    std::shared_ptr<FrameService> m_service = FrameService::shared();
    QCache<std::uint32_t, Thumbnail> m_thumbnails;
    std::vector<Wanted> m_wanted;  ///< not here yet
    QSize m_box;
};

}  // namespace dailies::ui
