#pragma once

#include "core/tracking/curve.h"
#include "ui/bridge/run_async.h"

#include <QCache>
#include <QImage>
#include <QObject>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// Small pictures of curves for the table's cells: read and drawn on a worker when a cell is first painted,
/// kept (8 MiB, the least recently seen go first) until their run changes; then the old one stays in place
/// until the next is here.
class SparklineCache : public QObject {
    Q_OBJECT

public:
    explicit SparklineCache(std::filesystem::path storeFile, QObject* parent = nullptr);

    /// The picture, or null while there is none; asks for it then.
    const QImage* get(const tracking::CurveKey& key, double devicePixels);
    void invalidate(const std::vector<std::string>& runIds);  ///< empty: all
    bool isSettled() const { return !m_reading && m_wanted.empty(); }

    static constexpr int kWidth = 96, kHeight = 24;  ///< pixels of a picture before device scaling

signals:
    void changed();  ///< pictures arrived

private:
    struct Spec {
        QRgb color = 0;
        double devicePixels = 1;
    };
    struct Picture {
        QImage image;
        Spec spec;  ///< as which it was drawn
        bool stale = false;
    };
    void read();

    std::filesystem::path m_storeFile;
    QCache<std::string, Picture> m_pictures;
    std::map<tracking::CurveKey, Spec> m_wanted;
    bool m_reading = false;
    bool m_scheduled = false;
};

/// A curve on a transparent picture: the mean in full colour over its extremes in a paler one, so that no
/// spike is lost. Any thread.
QImage drawSparkline(const tracking::Curve& curve, QRgb color, double devicePixels);

}  // namespace dailies::ui
