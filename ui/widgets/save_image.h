#pragma once

#include <QImage>

#include <filesystem>

namespace dailies::ui {

/// Writes the picture in the format that the name's ending says, whole or not at all. Any thread. Throws
/// `Error`.
void saveImage(const QImage& picture, const std::filesystem::path& file);

}  // namespace dailies::ui
