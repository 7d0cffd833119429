#pragma once

#include "tests/core/video/numbered_frames.h"

#include <QImage>

namespace dailies::ui {

/// The number burned into a picture (`video::numberedFrame`).
inline int shownNumber(const QImage& image) {
    video::Frame frame{image.width(), image.height(), {}};
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QRgb pixel = image.pixel(x, y);
            frame.rgb.insert(frame.rgb.end(), {static_cast<std::uint8_t>(qRed(pixel)),
                                               static_cast<std::uint8_t>(qGreen(pixel)),
                                               static_cast<std::uint8_t>(qBlue(pixel))});
        }
    return video::shownNumber(frame);
}

}  // namespace dailies::ui
