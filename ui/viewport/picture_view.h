#pragma once

#include "core/quality/picture_view.h"

#include <QImage>

namespace dailies::ui {

/// An image of QImage::Format_RGB32 as core/quality looks at pictures. It must outlive the view.
inline quality::PictureView toPictureView(const QImage& image) {
    return {reinterpret_cast<const std::uint32_t*>(image.constBits()), image.width(), image.height(),
            image.bytesPerLine() / 4};
}

}  // namespace dailies::ui
