#include "ui/viewport/compose.h"

#include "core/quality/luma.h"

#include <QLineF>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>

namespace dailies::ui {

namespace {

constexpr QRgb kOpaque = 0xff000000u;
/// Where a native-endian word 0xffRRGGBB has its channels.
constexpr bool kLittle = std::endian::native == std::endian::little;
constexpr std::size_t kRedByte = kLittle ? 2 : 1, kGreenByte = kLittle ? 1 : 2, kBlueByte = kLittle ? 0 : 3;

const QRgb* rowOf(const QImage& image, const QRect& part, int y) {
    return reinterpret_cast<const QRgb*>(image.constScanLine(part.top() + y)) + part.left();
}

const std::uint8_t* bytesOf(const QRgb* row) {
    return reinterpret_cast<const std::uint8_t*>(row);
}

/// Makes each channel of the result by `combine(a, b)`, which calculates in 16 bits: eight channels at a time
/// where the compiler has the simplest vector instructions.
template <typename Combine>
QImage eachChannel(const QImage& a, const QImage& b, const QRect& part, Combine combine) {
    QImage out(part.size(), QImage::Format_RGB32);
    const int channels = 4 * part.width();
    for (int y = 0; y < part.height(); ++y) {
        const std::uint8_t* __restrict from = bytesOf(rowOf(a, part, y)), * __restrict to =
                                                                              bytesOf(rowOf(b, part, y));
        std::uint8_t* __restrict made = out.scanLine(y);
        for (int i = 0; i < channels; ++i) made[i] = combine(from[i], to[i]);
        auto* pixels = reinterpret_cast<QRgb*>(made);
        for (int x = 0; x < part.width(); ++x) pixels[x] |= kOpaque;
    }
    return out;
}

std::uint8_t shown(std::int16_t level) {
    return static_cast<std::uint8_t>(std::min(std::max(level, std::int16_t{0}), std::int16_t{255}));
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
    const auto times = static_cast<std::int16_t>(amplification);  // 255 × 32 fits
    switch (kind) {
        case DifferenceKind::Signed:
            return eachChannel(a, b, part, [times](std::uint8_t from, std::uint8_t to) {
                const auto apart = static_cast<std::int16_t>(to - from);
                return shown(static_cast<std::int16_t>(128 + static_cast<std::int16_t>(apart * times)));
            });
        case DifferenceKind::Luma: {
            const quality::LumaWeights weights = quality::lumaWeights(a.width(), a.height());
            QImage out(part.size(), QImage::Format_RGB32);
            for (int y = 0; y < part.height(); ++y) {
                const QRgb *from = rowOf(a, part, y), *to = rowOf(b, part, y);
                auto* made = reinterpret_cast<QRgb*>(out.scanLine(y));
                for (int x = 0; x < part.width(); ++x) {
                    const int apart = std::abs(weights.of(to[x]) - weights.of(from[x])) * amplification;
                    made[x] = kOpaque | static_cast<QRgb>(std::min(apart, 255)) * 0x010101u;
                }
            }
            return out;
        }
        case DifferenceKind::Absolute:
            break;
    }
    return eachChannel(a, b, part, [times](std::uint8_t from, std::uint8_t to) {
        const auto apart = static_cast<std::int16_t>(std::max(from, to) - std::min(from, to));
        return shown(static_cast<std::int16_t>(apart * times));
    });
}

QImage overlay(const QImage& a, const QImage& b, const QRect& part, double opacity) {
    const auto over = static_cast<std::uint16_t>(std::lround(256 * opacity));
    const auto under = static_cast<std::uint16_t>(256 - over);
    return eachChannel(a, b, part, [over, under](std::uint8_t from, std::uint8_t to) {
        const auto sum = static_cast<std::uint16_t>(from * under + to * over + 128);
        return static_cast<std::uint8_t>(sum >> 8);
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
    const auto pixels = static_cast<std::size_t>(part.width());
    // A row of weights a layer, so that each row of pixels is one plain loop over bytes.
    std::vector<std::vector<std::uint16_t>> weights;
    for (const Layer& layer : layers) {
        auto& row = weights.emplace_back(4 * pixels);
        for (std::size_t i = 0; i < row.size(); i += 4) {
            row[i + kRedByte] = static_cast<std::uint16_t>(layer.weights[0]);
            row[i + kGreenByte] = static_cast<std::uint16_t>(layer.weights[1]);
            row[i + kBlueByte] = static_cast<std::uint16_t>(layer.weights[2]);
        }
    }
    std::vector<std::uint16_t> sums(4 * pixels);  // the weights of a channel add up to 256
    for (int y = 0; y < part.height(); ++y) {
        std::fill(sums.begin(), sums.end(), std::uint16_t{128});
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const std::uint8_t* row = bytesOf(rowOf(*layers[l].image, part, y));
            const std::uint16_t* weight = weights[l].data();
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] = static_cast<std::uint16_t>(sums[i] + weight[i] * row[i]);
        }
        std::uint8_t* to = out.scanLine(y);
        for (std::size_t i = 0; i < sums.size(); ++i) to[i] = static_cast<std::uint8_t>(sums[i] >> 8);
        auto* made = reinterpret_cast<QRgb*>(to);
        for (std::size_t x = 0; x < pixels; ++x) made[x] |= kOpaque;
    }
    return out;
}

QPolygonF wipePolygon(const QRectF& frame, double place, int degrees) {
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

double wipePositionAt(const QRectF& frame, const QPointF& point, int degrees) {
    const QPointF normal = normalOf(degrees);
    const double reach = std::max(reachOf(frame, normal), 1.0);
    return std::clamp(QPointF::dotProduct(point - frame.center(), normal) / reach / 2 + 0.5, 0.0, 1.0);
}

}  // namespace dailies::ui
