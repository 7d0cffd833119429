#pragma once

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/curation/curate.h"
#include "tests/core/curation/made_film.h"
#include "tests/ui/wait_until.h"
#include "ui/datasets/clip_wall.h"
#include "ui/datasets/datasets_page.h"
#include "ui/datasets/limit_field.h"
#include "ui/datasets/measure_row.h"
#include "ui/datasets/threshold_panel.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

namespace dailies::ui {

namespace fs = std::filesystem;
using curation::Measure;

/// Two films of five shots that move by different speeds, one of which stands still. Decoded once for all
/// tests.
class DatasetsPageTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_master = new TemporaryFolder;
        for (int f = 0; f < 2; ++f) {
            curation::MadeFilm film;
            for (int shot = 0; shot < 4; ++shot)
                film.shot(curation::Scene(10 * f + shot), 30 + 12 * shot, 1 + shot);
            film.shot(curation::Scene(10 * f + 5).frame(0, 0, 0), 60);
            film.write(films() / (std::to_string(f) + ".mp4"));
        }
        curation::CurateOptions options;
        options.films = {films()};
        options.out = s_master->path() / "set";
        options.config.verdict.min_side = 100;
        options.config.verdict.min_seconds = 0;
        options.config.verdict.min_frames = 0;
        curation::curate(options, [](const curation::CurateProgress&) {});
    }
    static void TearDownTestSuite() { delete s_master; }

    DatasetsPageTest() {
        Theme::instance().apply(ThemeMode::Dark);
        fs::copy(s_master->path() / "set", set(), fs::copy_options::recursive);
        QObject::connect(&page, &DatasetsPage::notification, &page,
                         [this](const QString& text) { notes << text; });
        QObject::connect(&page, &DatasetsPage::failed, &page,
                         [this](const Error& error) { failures << QString::fromStdString(error.full()); });
        page.resize(1096, 720);
        page.show();
        page.activateWindow();
    }

    static fs::path films() { return s_master->path() / "films"; }
    fs::path set() const { return m_folder.path() / "set"; }

    void open() {
        page.open(set());
        settle();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }, 20'000));
    }
    DatasetModel& model() { return page.model(); }
    ClipWall& wall() { return page.wall(); }
    LimitField& field(Measure measure, std::size_t threshold = 0) {
        return page.panel().row(measure).field(threshold);
    }
    QPushButton& button(const QString& text) {
        for (auto* one : page.findChildren<QPushButton*>())
            if (one->text() == text) return *one;
        throw std::runtime_error("no button " + text.toStdString());
    }
    bool shows(const QString& part) {
        for (const auto* label : page.findChildren<QLabel*>())
            if (label->isVisible() && (label->text().contains(part) || label->toolTip().contains(part)))
                return true;
        return false;
    }
    std::vector<Json> lines() const {
        std::vector<Json> found;
        for (const auto& line : split(readFile(set() / "clips.jsonl"), '\n'))
            if (line.starts_with('{')) found.push_back(parseJson(line, "line"));
        return found;
    }
    void drop(const fs::path& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(path.string()))});
        QDragEnterEvent enter({20, 20}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&page, &enter);
        ASSERT_TRUE(enter.isAccepted());
        QDropEvent event({20, 20}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&page, &event);
        settle();
    }
    std::size_t dimmedTiles() {
        const QImage picture = wall().viewport()->grab().toImage();
        std::size_t dimmed = 0;
        for (int i = 0; i < static_cast<int>(wall().order().size()); ++i) {
            const QRect tile = wall().tileRect(i);
            if (tile.isEmpty()) continue;
            // caption: nothing is written below a clip that is kept
            const QImage caption = picture.copy(tile.left(), tile.bottom() - kTileCaption + 4,
                                                tile.width() / 2, kTileCaption - 6);
            bool written = false;
            for (int y = 0; y < caption.height() && !written; ++y)
                for (int x = 0; x < caption.width() && !written; ++x)
                    written = caption.pixelColor(x, y).value() > colors().window.value() + 60;
            dimmed += written;
        }
        return dimmed;
    }
    void keepPicture(const QString& name) {
        if (const QString kept = qEnvironmentVariable("DAILIES_PICTURES"); !kept.isEmpty())
            page.grab().save(QStringLiteral("%1/datasets-%2.png").arg(kept, name));
    }

    static inline TemporaryFolder* s_master = nullptr;
    TemporaryFolder m_folder;
    QStringList notes, failures;
    DatasetsPage page;
};

}  // namespace dailies::ui
