#include "ui/review/outputs/clip_export_dialog.h"

#include "core/base/error.h"
#include "ui/bridge/run_async.h"
#include "ui/review/contact_sheet.h"
#include "ui/review/outputs/clip_page.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QGridLayout>
#include <QLocale>
#include <QPushButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kAsTheClips = 0;
constexpr int kLarge = 512;  ///< twice the medium one

std::vector<OutputFormatBox::Format> formats() {
    return {{QStringLiteral("png"), ClipExportDialog::tr("PNG: a contact sheet")},
            {QStringLiteral("pdf"), ClipExportDialog::tr("PDF: a contact sheet to print")},
            {QStringLiteral("html"), ClipExportDialog::tr("HTML: a page with the clips in it")},
            {QStringLiteral("mp4"), ClipExportDialog::tr("MP4: a reel, the clips side by side")}};
}

/// Sheets have several frames of each clip beside each other; a reel is watched.
int usualWidth(const QString& ending) {
    return ending == QLatin1String("mp4")    ? kAsTheClips
           : ending == QLatin1String("html") ? kPageClipWidth
                                             : ContactSheetOptions().frameWidth;
}

}  // namespace

ClipExportDialog::ClipExportDialog(const WallScene& scene, std::vector<WallPart> parts, const QString& ending,
                                   QWidget* parent)
    : FormDialog(tr("Export clips"), tr("Export"), QStringLiteral("save"), parent),
      m_parts(std::move(parts)),
      m_file(new OutputFileField),
      m_format(new OutputFormatBox(formats(), *m_file)),
      m_part(new QComboBox),
      m_size(new QComboBox),
      m_labels(new QCheckBox(tr("Title, names and steps"))) {
    fillForm(scene);
    m_file->setFile(QDir::home().filePath(QStringLiteral("clips.") + ending));
    suggestSize();
    connect(m_format, &QComboBox::currentIndexChanged, this, &ClipExportDialog::suggestSize);
    connect(m_size, &QComboBox::activated, this, [this] { m_sizeChosen = true; });
    connect(m_file, &OutputFileField::changed, this, [this] {
        showProblem({});
        refresh();
    });
    connect(&acceptButton(), &QPushButton::clicked, this, &ClipExportDialog::start);
    if (m_parts.empty()) showProblem(tr("No clip of the wall has arrived yet."));
    refresh();
}

void ClipExportDialog::fillForm(const WallScene& scene) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    grid->setColumnStretch(1, 1);
    const QLocale locale;
    for (const WallPart& part : m_parts)
        m_part->addItem(
            tr("%1 (%2)").arg(part.name, locale.toString(static_cast<qulonglong>(clipsIn(scene, part)))));
    addField(*grid, tr("Clips"), m_part, tr("In view is what the wall shows without scrolling"));
    addField(*grid, tr("Format"), m_format,
             tr("A contact sheet has some frames of each clip; pages and reels play them all at once"));
    m_size->addItem(tr("Small: %1 pixels wide").arg(ContactSheetOptions().frameWidth),
                    ContactSheetOptions().frameWidth);
    m_size->addItem(tr("Medium: %1 pixels wide").arg(kPageClipWidth), kPageClipWidth);
    m_size->addItem(tr("Large: %1 pixels wide").arg(kLarge), kLarge);
    m_size->addItem(tr("As the clips are"), kAsTheClips);
    addField(*grid, tr("Picture size"), m_size,
             tr("How wide each clip's picture is. A reel is at most 3840 × 2160 in all"));
    addField(*grid, tr("File"), m_file, tr("It appears whole or not at all"));
    m_labels->setChecked(true);
    m_labels->setToolTip(
        tr("Say which run, prompt and step each clip is of, and what was noted; leave it out "
           "where a caption does"));
    grid->addWidget(m_labels, grid->rowCount(), 1);
    form().addLayout(grid);
}

void ClipExportDialog::suggestSize() {
    if (!m_sizeChosen) m_size->setCurrentIndex(m_size->findData(usualWidth(m_format->ending())));
}

void ClipExportDialog::refresh() {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_part, m_format, m_size, m_labels, m_file})
        widget->setEnabled(!m_asking);
    acceptButton().setText(m_file->verb(tr("Export")));
    acceptButton().setEnabled(!m_asking && !m_parts.empty() && !m_file->text().isEmpty());
}

void ClipExportDialog::start() {
    m_asking = true;
    showProblem({});
    runAsync(
        this,
        [file = m_file->file(), agreed = m_file->asked()](std::stop_token) {
            return prepareToWrite(file, agreed);
        },
        [this](WriteConfirmation question) {
            m_asking = false;
            if (question == WriteConfirmation::None) {
                emit chosen({m_parts[static_cast<std::size_t>(m_part->currentIndex())],
                             {.pictureWidth = m_size->currentData().toInt(), .labels = m_labels->isChecked()},
                             m_file->text()});
                return accept();
            }
            m_file->ask(question);
            showProblem(m_file->question());
            refresh();
        },
        [this](const Error& error) {
            m_asking = false;
            showProblem(sanitized(error.full()));
            refresh();
        });
    refresh();
}

}  // namespace dailies::ui
