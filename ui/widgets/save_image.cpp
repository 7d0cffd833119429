#include "ui/widgets/save_image.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImageWriter>

namespace dailies::ui {

void saveImage(const QImage& picture, const std::filesystem::path& file) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const auto ending = QFileInfo(QString::fromStdString(file.string())).suffix().toLatin1().toLower();
    if (QImageWriter writer(&buffer, ending); !writer.write(picture))
        throw Error("Cannot write the picture " + sanitizedText(file.string()) + ": " +
                        writer.errorString().toStdString() + ".",
                    "Give it a name that ends in .png.");
    writeFileAtomically(file, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace dailies::ui
