#pragma once

#include <QComboBox>

#include <vector>

namespace dailies::ui {

class OutputFileField;

/// Which kind of file a dialog writes. The file's ending says it, too: whichever of the two is changed, the
/// other follows. The system's dialog offers the same kinds.
class OutputFormatBox : public QComboBox {
    Q_OBJECT

public:
    struct Format {
        QString ending;       ///< without the dot
        QString description;  ///< "PNG: a picture"
    };

    OutputFormatBox(std::vector<Format> formats, OutputFileField& file, QWidget* parent = nullptr);

    const QString& ending() const { return m_formats[static_cast<std::size_t>(currentIndex())].ending; }
    void chooseEnding(const QString& ending);

private:
    void renameFile();

    std::vector<Format> m_formats;
    OutputFileField& m_file;
};

}  // namespace dailies::ui
