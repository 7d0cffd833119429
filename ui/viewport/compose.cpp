#include "ui/viewport/compose.h"

#include "core/quality/luma.h"

#include <QLineF>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace dailies::ui {

namespace {

constexpr QRgb kOpaque = 0xff000000u;

const QRgb* rowOf(const QImage& image, const QRect& part, int y) {
    return reinterpret_cast<const QRgb*>(image.constScanLine(part.top() + y)) + part.left();
}

/// Makes each pixel of the result by `combine(a, b)`: a loop that the compiler turns into vector code.
template <typename Combine>
QImage combined(const QImage& a, const QImage& b, const QRect& part, Combine combine) {
    QImage out(part.size(), QImage::Format_RGB32);
    for (int y = 0; y < part.height(); ++y) {
        const QRgb *rowA = rowOf(a, part, y), *rowB = rowOf(b, part, y);
        auto* to = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (int x = 0; x < part.width(); ++x) to[x] = combine(rowA[x], rowB[x]);
    }
    return out;
}

template <typename Channel>
QRgb eachChannel(QRgb a, QRgb b, Channel channel) {
    const auto at = [&](int shift) {
        return static_cast<QRgb>(std::clamp(
            channel(static_cast<int>(a >> shift & 0xff), static_cast<int>(b >> shift & 0xff)), 0, 255));
    };
    return kOpaque | at(16) << 16 | at(8) << 8 | at(0);
}

QPointF normalOf(int degrees) {
    const double radians = degrees * std::numbers::pi / 180;
    return {std::cos(radians), std::sin(radians)};
}

/// How far from its middle the frame reaches along the normal.
double reachOf(const QRectF& frame, const QPointF& normal) {
    return (std::abs(normal.x()) * frame.width() + std::abs(normal.y()) * frame.height()) / 2;
}

double distance(const QRectF& frame, const QPointF& point, double place, const QPointF& normal) {
    return QPointF::dotProduct(point - frame.center(), normal) - (2 * place - 1) * reachOf(frame, normal);
}

}  // namespace

QImage difference(const QImage& a, const QImage& b, const QRect& part, DifferenceKind kind,
                  int amplification) {
    switch (kind) {
        case DifferenceKind::Signed:
            return combined(a, b, part, [amplification](QRgb from, QRgb to) {
                return eachChannel(from, to,
                                   [amplification](int x, int y) { return 128 + (y - x) * amplification; });
            });
        case DifferenceKind::Luma: {
            const quality::LumaWeights weights = quality::lumaWeights(a.width(), a.height());
            return combined(a, b, part, [amplification, weights](QRgb from, QRgb to) {
                const int apart = std::abs(weights.of(to) - weights.of(from)) * amplification;
                return kOpaque | static_cast<QRgb>(std::min(apart, 255)) * 0x010101u;
            });
        }
        case DifferenceKind::Absolute:
            break;
    }
    return combined(a, b, part, [amplification](QRgb from, QRgb to) {
        return eachChannel(from, to,
                           [amplification](int x, int y) { return std::abs(y - x) * amplification; });
    });
}

QImage overlay(const QImage& a, const QImage& b, const QRect& part, double opacity) {
    const int share = static_cast<int>(std::lround(256 * opacity));
    return combined(a, b, part, [share](QRgb under, QRgb over) {
        return eachChannel(under, over,
                           [share](int x, int y) { return (x * (256 - share) + y * share + 128) >> 8; });
    });
}

QImage onionSkin(const QImage& picture, const std::vector<QImage>& before, const std::vector<QImage>& after,
                 const QRect& part) {
    struct Layer {
        const QImage* image;
        std::array<int, 3> weights;  ///< of red, green and blue, in 256ths
    };
    std::vector<Layer> layers;
    const auto ghosts = [&](const std::vector<QImage>& images, std::array<double, 3> tint) {
        double sum = 0;
        for (std::size_t i = 0; i < images.size(); ++i) sum += std::exp2(-static_cast<double>(i));
        for (std::size_t i = 0; i < images.size(); ++i) {
            const double share = 0.25 * std::exp2(-static_cast<double>(i)) / sum;
            layers.push_back({&images[i], {}});
            for (std::size_t channel = 0; channel < 3; ++channel)
                layers.back().weights[channel] = static_cast<int>(std::lround(256 * share * tint[channel]));
        }
    };
    ghosts(before, {1.6, 0.6, 0.4});
    ghosts(after, {0.4, 0.6, 1.6});
    std::array<int, 3> own{256, 256, 256};
    for (const Layer& layer : layers)
        for (std::size_t channel = 0; channel < 3; ++channel) own[channel] -= layer.weights[channel];
    layers.push_back({&picture, own});

    QImage out(part.size(), QImage::Format_RGB32);
    std::vector<int> sums(static_cast<std::size_t>(part.width()) * 3);
    for (int y = 0; y < part.height(); ++y) {
        std::fill(sums.begin(), sums.end(), 128);
        for (const Layer& layer : layers) {
            const QRgb* row = rowOf(*layer.image, part, y);
            for (std::size_t x = 0; x < static_cast<std::size_t>(part.width()); ++x) {
                sums[3 * x] += layer.weights[0] * qRed(row[x]);
                sums[3 * x + 1] += layer.weights[1] * qGreen(row[x]);
                sums[3 * x + 2] += layer.weights[2] * qBlue(row[x]);
            }
        }
        auto* to = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (std::size_t x = 0; x < static_cast<std::size_t>(part.width()); ++x)
            to[x] = qRgb(sums[3 * x] >> 8, sums[3 * x + 1] >> 8, sums[3 * x + 2] >> 8);
    }
    return out;
}

QPolygonF wipedPart(const QRectF& frame, double place, int degrees) {
    const QPointF normal = normalOf(degrees);
    const std::array corners{frame.topLeft(), frame.topRight(), frame.bottomRight(), frame.bottomLeft()};
    QPolygonF part;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const QPointF from = corners[i], to = corners[(i + 1) % corners.size()];
        const double in = distance(frame, from, place, normal), out = distance(frame, to, place, normal);
        if (in <= 0) part << from;
        if ((in < 0 && out > 0) || (in > 0 && out < 0)) part << from + (to - from) * (in / (in - out));
    }
    return part;
}

QLineF wipeLine(const QRectF& frame, double place, int degrees) {
    const QPointF normal = normalOf(degrees), along(-normal.y(), normal.x());
    const QPointF middle = frame.center() + normal * ((2 * place - 1) * reachOf(frame, normal));
    const QRectF within = frame.adjusted(-1e-6, -1e-6, 1e-6, 1e-6);
    QPolygonF ends;
    const QLineF line(middle, middle + along);
    for (const QLineF& edge :
         {QLineF(frame.topLeft(), frame.topRight()), QLineF(frame.topRight(), frame.bottomRight()),
          QLineF(frame.bottomRight(), frame.bottomLeft()), QLineF(frame.bottomLeft(), frame.topLeft())}) {
        QPointF crossing;
        if (line.intersects(edge, &crossing) != QLineF::NoIntersection && within.contains(crossing))
            ends << crossing;
    }
    if (ends.isEmpty()) return {middle, middle};
    const auto farther =
        std::max_element(ends.begin(), ends.end(), [&](const QPointF& one, const QPointF& other) {
            return QLineF(ends.first(), one).length() < QLineF(ends.first(), other).length();
        });
    return {ends.first(), *farther};
}

double wipePlaceAt(const QRectF& frame, const QPointF& point, int degrees) {
    const QPointF normal = normalOf(degrees);
    const double reach = std::max(reachOf(frame, normal), 1.0);
    return std::clamp(QPointF::dotProduct(point - frame.center(), normal) / reach / 2 + 0.5, 0.0, 1.0);
}

}  // namespace dailies::ui
