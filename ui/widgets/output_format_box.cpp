#include "ui/widgets/output_format_box.h"

#include "ui/widgets/output_file_field.h"

#include <QFileInfo>

#include <algorithm>

namespace dailies::ui {

namespace {

bool isSame(const QString& a, const QString& b) {
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

}  // namespace

OutputFormatBox::OutputFormatBox(std::vector<Format> formats, OutputFileField& file, QWidget* parent)
    : QComboBox(parent), m_formats(std::move(formats)), m_file(file) {
    QStringList filters;
    for (const Format& format : m_formats) {
        addItem(format.description);
        filters << QStringLiteral("%1 (*.%2)").arg(format.ending.toUpper(), format.ending);
    }
    m_file.setFilters(filters.join(QStringLiteral(";;")));
    connect(this, &QComboBox::currentIndexChanged, this, &OutputFormatBox::renameFile);
    connect(&m_file, &OutputFileField::changed, this,
            [this] { chooseEnding(QFileInfo(m_file.text()).suffix()); });
}

void OutputFormatBox::chooseEnding(const QString& ending) {
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        if (isSame(m_formats[i].ending, ending)) setCurrentIndex(static_cast<int>(i));
}

/// An ending that is none of these is part of the name.
void OutputFormatBox::renameFile() {
    const QString file = m_file.text(), before = QFileInfo(file).suffix();
    if (isSame(before, ending())) return;
    if (std::ranges::any_of(m_formats, [&](const Format& format) { return isSame(format.ending, before); }))
        m_file.setFile(file.chopped(before.size()) + ending());
}

}  // namespace dailies::ui
