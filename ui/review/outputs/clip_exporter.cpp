#include "ui/review/outputs/clip_exporter.h"

#include "ui/review/contact_sheet.h"
#include "ui/review/outputs/clip_export_dialog.h"
#include "ui/review/outputs/clip_page.h"
#include "ui/review/outputs/side_by_side.h"
#include "ui/wall/wall_part.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/save_image.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QFileInfo>
#include <QPointer>
#include <QProgressBar>
#include <QToolButton>

namespace dailies::ui {

ClipExporter::ClipExporter(std::filesystem::path storeFile, QWidget* parent)
    : QFrame(parent),
      m_storeFile(std::move(storeFile)),
      m_text(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_bar(new QProgressBar),
      m_close(makeIconButton(QStringLiteral("close"), tr("Stop"))) {
    setProperty("bar", true);
    auto* row = makeRow(space::k12, {space::k16, space::k4, space::k8, space::k4});
    row->addWidget(m_text, 1);
    row->addWidget(m_bar);
    row->addWidget(m_close);
    setLayout(row);
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(200, 6);
    m_bar->setAccessibleName(tr("Progress of saving"));
    m_close->setFocusPolicy(Qt::TabFocus);
    connect(m_close, &QToolButton::clicked, this, &ClipExporter::stop);
    hide();
}

QString ClipExporter::text() const {
    return m_text->accessibleName();
}

void ClipExporter::ask(const WallView& wall, const QString& title, const judging::Reviews& reviews,
                       const QString& ending) {
    auto* dialog = new ClipExportDialog(wall.scene(), wallParts(wall), ending, this);
    // what was on the wall when it was asked: the wall goes on with the training
    connect(dialog, &ClipExportDialog::chosen, this,
            [this, scene = wall.scene(), title, reviews](const ClipExport& what) {
                save(partOf(scene, what.part), title, what.file, reviews, what.options);
            });
    dialog->open();
}

void ClipExporter::save(const WallScene& scene, const QString& title, const QString& file,
                        const judging::Reviews& reviews, const OutputOptions& options) {
    const QFileInfo info(file);
    const QString ending = info.suffix().toLower();
    const std::filesystem::path path = file.toStdString();
    const auto grid = clipGrid(scene, title, reviews);
    const ContactSheetOptions sheet{.frameWidth = options.pictureWidth, .labels = options.labels};
    Work work;
    if (ending == QStringLiteral("html") || ending == QStringLiteral("htm"))
        work = [grid, path, options](const auto& progress, const auto& stop) {
            writeClipPage(grid, path, progress, stop, options);
        };
    else if (ending == QStringLiteral("mp4"))
        work = [grid, path, options](const auto& progress, const auto& stop) {
            writeSideBySide(grid, path, progress, stop, options);
        };
    else if (ending == QStringLiteral("pdf"))
        work = [scene, title, path, sheet](const auto&, const auto& stop) {
            writeContactSheetPdf(scene, title, path, sheet, stop);
        };
    else if (ending == QStringLiteral("png"))
        work = [scene, title, path, sheet](const auto&, const auto& stop) {
            saveImage(contactSheet(scene, title, sheet, stop), path);
        };
    else
        return finish(tr("Couldn't export %1: use .png, .pdf, .html, or .mp4.").arg(info.fileName()));
    run(
        tr("Saving %1").arg(info.fileName()), [this, file] { emit saved(file); }, std::move(work));
}

void ClipExporter::addSheetsToMlflow(const ReviewData& review) {
    auto sheets = runSheets(review);
    const auto count = sheets.size();
    if (sheets.empty()) return finish(tr("No clips for a contact sheet yet."));
    run(
        tr("Adding contact sheets to MLflow"),
        [this, count] {
            emit notification(
                count == 1 ? tr("Added 1 contact sheet to what MLflow shows of these runs")
                           : tr("Added %1 contact sheets to what MLflow shows of these runs").arg(count));
        },
        [sheets = std::move(sheets), store = m_storeFile](const auto& progress, const auto& stop) {
            addToMlflow(sheets, store, progress, stop);
        });
}

void ClipExporter::run(const QString& what, std::function<void()> tell, Work work) {
    stop();
    m_what = what;
    m_busy = true;
    m_text->setFullText(what);
    m_bar->setRange(0, 0);
    m_bar->show();
    m_close->setToolTip(tr("Stop"));
    m_close->setAccessibleName(tr("Stop saving"));
    show();
    m_task = runAsync(
        this,
        [work = std::move(work), strip = QPointer<ClipExporter>(this)](const std::stop_token& stop) {
            work(
                [strip](int at, int total) {
                    detail::postToGui([strip, at, total] {
                        if (strip) strip->showProgress(at, total);
                    });
                },
                stop);
        },
        [this, tell = std::move(tell)] {
            m_busy = false;
            hide();
            tell();
        },
        [this](const Error& error) { finish(QString::fromStdString(error.full())); });
}

void ClipExporter::showProgress(int done, int total) {
    if (!m_busy) return;
    m_bar->setRange(0, total);
    m_bar->setValue(done);
    m_text->setFullText(tr("%1 · %2 of %3").arg(m_what).arg(done).arg(total));
}

void ClipExporter::finish(const QString& text) {
    m_busy = false;
    m_text->setFullText(text);
    m_bar->hide();
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close this message"));
    show();
}

void ClipExporter::stop() {
    m_task.cancel();
    m_busy = false;
    hide();
}

}  // namespace dailies::ui
