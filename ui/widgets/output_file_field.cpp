#include "ui/widgets/output_file_field.h"

#include "ui/widgets/choose_path.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QFileInfo>
#include <QLineEdit>

namespace dailies::ui {

WriteConfirmation confirmationNeeded(const std::filesystem::path& file) {
    std::error_code unreachable;  // writing says what is the matter
    if (std::filesystem::exists(std::filesystem::symlink_status(file, unreachable)))
        return WriteConfirmation::Replace;
    const auto folder = file.parent_path();
    return folder.empty() || std::filesystem::exists(folder, unreachable) ? WriteConfirmation::None
                                                                          : WriteConfirmation::CreateFolder;
}

WriteConfirmation prepareToWrite(const std::filesystem::path& file, WriteConfirmation agreed) {
    const auto question = confirmationNeeded(file);
    if (question != WriteConfirmation::None && question != agreed) return question;
    std::error_code unreachable;  // writing says what is the matter
    if (question == WriteConfirmation::CreateFolder)
        std::filesystem::create_directories(file.parent_path(), unreachable);
    return WriteConfirmation::None;
}

OutputFileField::OutputFileField(QWidget* parent)
    : QWidget(parent),
      m_edit(new QLineEdit),
      m_choose(makeButton(tr("Choose…"), ButtonKind::Normal, QStringLiteral("folder"))) {
    auto* row = makeRow(space::k12);
    row->addWidget(m_edit, 1);
    row->addWidget(m_choose);
    setLayout(row);
    setFocusProxy(m_edit);
    m_edit->setAccessibleName(tr("File"));
    connect(m_edit, &QLineEdit::textChanged, this, [this] {
        m_asked = WriteConfirmation::None;
        emit changed();
    });
    connect(m_choose, &QPushButton::clicked, this, &OutputFileField::choose);
}

QString OutputFileField::text() const {
    return m_edit->text().trimmed();
}

std::filesystem::path OutputFileField::file() const {
    return text().toStdString();
}

void OutputFileField::setFile(const QString& file) {
    m_edit->setText(file);
}

QString OutputFileField::question() const {
    switch (m_asked) {
        case WriteConfirmation::None:
            break;
        case WriteConfirmation::Replace:
            return tr("There is a file of that name already.");
        case WriteConfirmation::CreateFolder:
            return tr("The folder %1 does not exist.").arg(sanitized(file().parent_path().string()));
    }
    return {};
}

QString OutputFileField::verb(const QString& verb) const {
    return m_asked == WriteConfirmation::Replace        ? tr("Replace")
           : m_asked == WriteConfirmation::CreateFolder ? tr("Create and export")
                                                        : verb;
}

void OutputFileField::choose() {
    const auto chosen = [this](const QString& file) {
        setFile(file);
        if (QFileInfo::exists(file)) m_asked = WriteConfirmation::Replace;  // the system's dialog has asked
        emit changed();
    };
    chooseNewFile(*this, tr("Export to"), m_filters, chosen, text());
}

}  // namespace dailies::ui
