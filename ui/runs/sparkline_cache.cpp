#include "ui/runs/sparkline_cache.h"

#include "ui/bridge/read_store.h"
#include "ui/theme/run_colors.h"

#include <QPainter>
#include <QPainterPath>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dailies::ui {

namespace {

constexpr int kBytes = 8 << 20;
constexpr int kBuckets = 64;
constexpr double kMargin = 3;

std::string nameOf(const tracking::CurveKey& key) {
    return key.runId + '\n' + key.key;
}

}  // namespace

SparklineCache::SparklineCache(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)), m_pictures(kBytes) {}

const QImage* SparklineCache::get(const tracking::CurveKey& key, double devicePixels) {
    const Picture* picture = m_pictures.object(nameOf(key));
    const Spec spec{runColor(key.runId).rgb(), devicePixels};
    const bool right = picture && !picture->stale && picture->spec.color == spec.color &&
                       picture->spec.devicePixels == spec.devicePixels;
    if (!right && m_wanted.insert_or_assign(key, spec).second && !m_scheduled) {
        m_scheduled = true;
        // After the painting that asks for a screenful of them.
        QTimer::singleShot(0, this, &SparklineCache::read);
    }
    return picture ? &picture->image : nullptr;
}

void SparklineCache::invalidate(const std::vector<std::string>& runIds) {
    const std::set<std::string> ids(runIds.begin(), runIds.end());
    const auto names = m_pictures.keys();
    for (const auto& name : names) {
        if (ids.empty() || ids.contains(name.substr(0, name.find('\n')))) {
            m_pictures.object(name)->stale = true;
        }
    }
}

void SparklineCache::read() {
    m_scheduled = false;
    if (m_reading || m_wanted.empty()) {
        return;
    }
    m_reading = true;
    using Pictures = std::vector<std::pair<std::string, Picture>>;
    readStore(
        this, m_storeFile,
        [wanted = std::exchange(m_wanted, {})](const tracking::Store& store, std::stop_token) {
            std::vector<tracking::CurveKey> keys;
            for (const auto& [key, spec] : wanted) {
                keys.push_back(key);
            }
            const auto curves = store.curves(keys, std::nullopt, kBuckets);
            Pictures pictures;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                const Spec& spec = wanted.at(keys[i]);
                pictures.emplace_back(
                    nameOf(keys[i]),
                    Picture{drawSparkline(curves[i], spec.color, spec.devicePixels), spec, false});
            }
            return pictures;
        },
        [this](Pictures pictures) {
            m_reading = false;
            for (auto& [name, picture] : pictures) {
                const auto bytes = picture.image.sizeInBytes() + 256;
                m_pictures.insert(name, new Picture(std::move(picture)), bytes);
            }
            emit changed();
            read();
        },
        // A curve that cannot be read leaves its cell empty; the charts below say why.
        [this](const Error&) { m_reading = false; });
}

QImage drawSparkline(const tracking::Curve& curve, QRgb color, double devicePixels) {
    QImage image(QSize(SparklineCache::kWidth, SparklineCache::kHeight) * devicePixels,
                 QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(devicePixels);
    image.fill(Qt::transparent);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto& bucket : curve.buckets) {
        if (bucket.finite > 0) {
            low = std::min(low, bucket.minimum);
            high = std::max(high, bucket.maximum);
        }
    }
    if (low > high) {
        return image;
    }
    const double first = static_cast<double>(curve.buckets.front().firstStep);
    const double span = std::max(1.0, static_cast<double>(curve.buckets.back().lastStep) - first);
    const double range = high > low ? high - low : 1;
    const auto at = [&](double step, double value) {
        const double share = high > low ? (value - low) / range : 0.5;
        return QPointF(kMargin + (step - first) / span * (SparklineCache::kWidth - 2 * kMargin),
                       SparklineCache::kHeight - kMargin - share * (SparklineCache::kHeight - 2 * kMargin));
    };
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath line;
    QColor pale(color);
    pale.setAlphaF(0.35F);
    painter.setPen(QPen(pale, 1));
    bool drawing = false;
    for (const auto& bucket : curve.buckets) {
        if (bucket.finite == 0) {
            drawing = false;
            continue;
        }
        const double step =
            0.5 * (static_cast<double>(bucket.firstStep) + static_cast<double>(bucket.lastStep));
        if (bucket.count > 1) {
            painter.drawLine(at(step, bucket.minimum), at(step, bucket.maximum));
        }
        const QPointF point = at(step, bucket.mean);
        drawing ? line.lineTo(point) : line.moveTo(point);
        drawing = true;
    }
    painter.setPen(QPen(QColor(color), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(line);
    if (line.elementCount() == 1) {
        painter.drawPoint(line.currentPosition());
    }
    return image;
}

}  // namespace dailies::ui
