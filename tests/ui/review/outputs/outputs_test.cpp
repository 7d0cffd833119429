#include "core/base/error.h"
#include "core/base/files.h"
#include "core/tracking/artifact_root.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/wait_until.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/review/contact_sheet.h"
#include "ui/review/outputs/clip_exporter.h"
#include "ui/review/outputs/clip_page.h"
#include "ui/review/outputs/mlflow_sheets.h"
#include "ui/review/outputs/side_by_side.h"

#include <QByteArray>
#include <QImage>
#include <QRegularExpression>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class Outputs : public testing::Test {
protected:
    SheetContent content(std::optional<std::int64_t> step = std::nullopt) const {
        return sheetContent(tracking::Store(store.file, tracking::Store::Mode::ReadOnly), store.runIds, step);
    }
    ClipGrid grid() const {
        const auto shown = content();
        return clipGrid(shown.scene, shown.title);
    }
    fs::path file(const std::string& name) const { return folder.path() / name; }

    TemporaryFolder folder;
    NumberedStore store = makeNumberedStore(folder.path() / "store");
};

/// The videos of a page, decoded from it.
std::vector<std::string> videosIn(const std::string& page) {
    std::vector<std::string> videos;
    const std::string begin = "src=\"data:video/mp4;base64,";
    for (auto at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
        at += begin.size();
        const auto text = page.substr(at, page.find('"', at) - at);
        videos.push_back(QByteArray::fromBase64(QByteArray::fromStdString(text)).toStdString());
    }
    return videos;
}

TEST_F(Outputs, APageHoldsEveryClipWholeAndAsksNobodyForAnything) {
    auto shown = grid();
    shown.clips[0].remark = QStringLiteral("Hands <melt> & flicker");
    writeClipPage(shown, file("page.html"));
    const auto page = readFile(file("page.html"));
    const auto videos = videosIn(page);
    ASSERT_EQ(videos.size(), 4u);
    for (int i = 0; i < 4; ++i) {  // row by row: prompt 0 of both runs, then prompt 1
        const auto& original = shown.clips[static_cast<std::size_t>(i)].file;
        EXPECT_EQ(videos[static_cast<std::size_t>(i)], readFile(original)) << original;
    }
    writeFileAtomically(file("back.mp4"), videos[3]);
    video::ClipReader reader(file("back.mp4"));
    EXPECT_EQ(video::shownNumber(reader.frame(2)), NumberedStore::numberOf(1, 1, 2, 2));
    EXPECT_THAT(page, HasSubstr("<blockquote>Hands &lt;melt&gt; &amp; flicker</blockquote>"));
    EXPECT_THAT(page, HasSubstr("step 300"));
    for (const char* outside : {"http://", "https://", "{{", "file:"})
        EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST_F(Outputs, APageSaysWhereAClipCannotBeReadAndEncodesWhatBrowsersCannotPlay) {
    auto shown = grid();
    writeFileAtomically(file("broken.mp4"), "no video");
    shown.clips[1].file = file("broken.mp4").string();
    const auto raw = video::writeClip(file("raw.y4m"), video::numberedFrames(4, 64, 48), {.fps = 4});
    shown.clips[2].file = raw.string();
    shown.clips[3].file.clear();
    shown.clips[3].missing = QStringLiteral("Still on the cluster");
    writeClipPage(shown, file("page.html"));
    const auto page = readFile(file("page.html"));
    const auto videos = videosIn(page);
    ASSERT_EQ(videos.size(), 2u);
    EXPECT_THAT(page, HasSubstr("class=\"nothing\""));
    EXPECT_THAT(page, HasSubstr("Still on the cluster"));
    writeFileAtomically(file("back.mp4"), videos[1]);
    video::ClipReader reader(file("back.mp4"));
    ASSERT_EQ(reader.info().frames, 4);
    EXPECT_EQ(video::shownNumber(reader.frame(3)), 3);
}

TEST_F(Outputs, RemarksSayWhatPeopleThinkOfAClip) {
    const auto shown = content();
    const auto& tile = shown.scene.tiles[0];
    judging::ClipReview review;
    review.opinions["ann"].stars = 4;
    review.opinions["ann"].tags = {"hands"};
    auto& note = review.notes.emplace_back();
    note.firstFrame = 2;
    note.text = "They melt";
    note.author = "ann";
    const auto said = clipGrid(shown.scene, shown.title, {{{tile.runId, tile.path}, review}});
    EXPECT_EQ(said.clips[0].remark, QStringLiteral("★ 4 · hands\nframe 3: They melt (ann)"));
    EXPECT_TRUE(said.clips[1].remark.isEmpty());
}

/// The part of a rendered picture where a tile's clip is shown.
video::Frame tileOf(const video::Frame& picture, int column, int row, int width, int height) {
    const int left = 16 + column * (width + 12), top = 16 + 40 + row * (height + 38 + 12);
    video::Frame part{width, height, {}};
    for (int y = 0; y < height; ++y) {
        const auto* from =
            &picture.rgb[std::size_t{3} * (static_cast<std::size_t>(top + y) * picture.width + left)];
        part.rgb.insert(part.rgb.end(), from, from + std::ptrdiff_t{3} * width);
    }
    return part;
}

TEST_F(Outputs, AVideoShowsAllClipsFrameLockedAndTellsItsProgress) {
    std::vector<int> done;
    writeSideBySide(grid(), file("all.mp4"), [&](int at, int total) {
        EXPECT_EQ(total, NumberedStore::kFrames);
        done.push_back(at);
    });
    EXPECT_THAT(done, testing::ElementsAre(1, 2, 3, 4));
    video::ClipReader reader(file("all.mp4"));
    ASSERT_EQ(reader.info().frames, NumberedStore::kFrames);
    const auto shown = grid();
    const double aspect = shown.aspect;
    const int width = 160, height = static_cast<int>(std::lround(width / aspect)) / 2 * 2;
    for (int frame = 0; frame < NumberedStore::kFrames; ++frame) {
        const auto picture = reader.frame(frame);
        for (int run = 0; run < 2; ++run)
            for (int prompt = 0; prompt < 2; ++prompt)
                EXPECT_EQ(video::shownNumber(tileOf(picture, run, prompt, width, height)),
                          NumberedStore::numberOf(run, prompt, 2, frame))
                    << run << ' ' << prompt << ' ' << frame;
    }
}

TEST_F(Outputs, AVideoOfClipsOfDifferentRatesAndLengthsHoldsTheShorterOnesLastFrame) {
    auto shown = grid();
    video::writeClip(file("fast.mp4"), video::numberedFrames(24, 64, 64), {.fps = 12});
    video::writeClip(file("slow.mp4"), video::numberedFrames(3, 64, 64), {.fps = 3});
    shown.clips[0].file = file("fast.mp4").string();
    shown.clips[1].file = file("slow.mp4").string();
    shown.clips[2].file.clear();
    shown.clips[3].file = file("missing.mp4").string();
    writeSideBySide(shown, file("all.mp4"));
    video::ClipReader reader(file("all.mp4"));
    EXPECT_NEAR(reader.info().fps, 12, 0.01);
    ASSERT_EQ(reader.info().frames, 24);
    const int height = static_cast<int>(std::lround(160 / shown.aspect)) / 2 * 2;
    for (const auto& [frame, slow] : {std::pair{0, 0}, {3, 0}, {4, 1}, {11, 2}, {23, 2}}) {
        const auto picture = reader.frame(frame);
        EXPECT_EQ(video::shownNumber(tileOf(picture, 0, 0, 160, height)), frame);
        EXPECT_EQ(video::shownNumber(tileOf(picture, 1, 0, 160, height)), slow) << frame;
    }
}

TEST_F(Outputs, StoppedWorkLeavesNoFile) {
    std::stop_source stop;
    EXPECT_THROW(writeSideBySide(
                     grid(), file("all.mp4"), [&](int at, int) { at == 2 ? stop.request_stop() : false; },
                     stop.get_token()),
                 Cancelled);
    EXPECT_FALSE(fs::exists(file("all.mp4")));
    std::stop_source stopPage;
    EXPECT_THROW(writeClipPage(
                     grid(), file("page.html"),
                     [&](int at, int) { at == 2 ? stopPage.request_stop() : false; }, stopPage.get_token()),
                 Cancelled);
    EXPECT_FALSE(fs::exists(file("page.html")));
}

TEST_F(Outputs, AFolderThatCannotBeWrittenIsNamed) {
    for (const auto& write :
         {std::function([&] { writeClipPage(grid(), "/proc/nowhere/page.html"); }),
          std::function([&] { writeSideBySide(grid(), "/proc/nowhere/all.mp4"); }), std::function([&] {
              const auto shown = content();
              writeContactSheetPdf(shown.scene, shown.title, "/proc/nowhere/sheet.pdf");
          })}) {
        try {
            write();
            FAIL() << "it was written";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("/proc/nowhere"));
        }
    }
}

TEST_F(Outputs, ASheetAsPdfIsOnePageWithItsWordsAndAllFrames) {
    const auto shown = content();
    writeContactSheetPdf(shown.scene, QStringLiteral("Two runs"), file("sheet.pdf"));
    const auto bytes = readFile(file("sheet.pdf"));
    EXPECT_TRUE(bytes.starts_with("%PDF-"));
    const QRegularExpression picture(QStringLiteral("/Subtype\\s*/Image"));
    const auto text = QString::fromLatin1(bytes.data(), static_cast<qsizetype>(bytes.size()));
    EXPECT_GE(text.count(picture), 4 * NumberedStore::kFrames) << "each frame is a picture";
    EXPECT_EQ(text.count(QRegularExpression(QStringLiteral("/Type\\s*/Page\\b"))), 1);
    EXPECT_TRUE(text.contains(QStringLiteral("/Font"))) << "words are text";
}

TEST_F(Outputs, SheetsForMlflowStandWhereItLooksAndAreReplaced) {
    ReviewRequest request;
    request.storeFile = store.file;
    request.runIds = store.runIds;
    const auto sheets = runSheets(loadReview(request, {}));
    ASSERT_EQ(sheets.size(), 6u) << "two runs, three steps";
    EXPECT_EQ(addToMlflow(sheets, store.file), 6);
    EXPECT_EQ(addToMlflow(sheets, store.file), 0) << "nothing about them has changed";
    const auto first = tracking::artifactRoot(store.file) / store.runIds[0] / "images";
    fs::remove(*fs::directory_iterator(first));
    EXPECT_EQ(addToMlflow(sheets, store.file), 1) << "half of one is missing";
    const fs::path images = tracking::artifactRoot(store.file) / store.runIds[1] / "images";
    const QRegularExpression name(QStringLiteral(
        "^clips\\+step\\+(\\d+)\\+timestamp\\+\\d+\\+[0-9a-f]{32}(\\+compressed\\.webp|\\.png)$"));
    std::multiset<int> steps;
    for (const auto& entry : fs::directory_iterator(images)) {
        const auto match = name.match(QString::fromStdString(entry.path().filename().string()));
        ASSERT_TRUE(match.hasMatch()) << entry.path();
        steps.insert(match.captured(1).toInt());
        const auto bytes = readFile(entry.path());
        if (entry.path().extension() == ".webp") {
            EXPECT_EQ(bytes.substr(0, 4), "RIFF");
            EXPECT_EQ(bytes.substr(8, 4), "WEBP");
            video::ClipReader reader(entry.path());
            EXPECT_LE(reader.info().width, 512);
        } else {
            EXPECT_FALSE(QImage(QString::fromStdString(entry.path().string())).isNull());
        }
    }
    EXPECT_EQ(steps, (std::multiset<int>{100, 100, 200, 200, 300, 300}));
    const tracking::Store db(store.file, tracking::Store::Mode::ReadOnly);
    EXPECT_EQ(db.run(store.runIds[0])->tags.at("mlflow.loggedImages"), "True");
}

class Saver : public Outputs {
protected:
    Saver() {
        QObject::connect(&clipExporter, &ClipExporter::saved, &clipExporter,
                         [this](const QString& file) { told = file; });
    }

    ClipExporter clipExporter{store.file};
    QString told;
};

TEST_F(Saver, WritesWhatTheNamesEndingSaysAndTellsWhere) {
    const auto shown = content();
    for (const char* name : {"sheet.png", "sheet.pdf", "page.html", "all.MP4"}) {
        const auto path = file(name);
        clipExporter.save(shown.scene, shown.title, QString::fromStdString(path.string()));
        ASSERT_TRUE(waitUntil([&] { return !clipExporter.busy(); }));
        EXPECT_EQ(told, QString::fromStdString(path.string())) << "the window offers to open it";
        EXPECT_TRUE(clipExporter.isHidden()) << "the strip has nothing to add";
        EXPECT_GT(fs::file_size(path), 1000u) << name;
    }
    clipExporter.save(shown.scene, shown.title, QString::fromStdString(file("clips.gif").string()));
    EXPECT_THAT(clipExporter.text().toStdString(), HasSubstr("Couldn't export clips.gif"));
    clipExporter.save(shown.scene, shown.title, QStringLiteral("/proc/nowhere/all.mp4"));
    ASSERT_TRUE(waitUntil([&] { return !clipExporter.busy(); }));
    EXPECT_THAT(clipExporter.text().toStdString(), HasSubstr("Cannot write"));
}

TEST_F(Saver, StopsAndLeavesNothing) {
    const auto shown = content();
    clipExporter.save(shown.scene, shown.title, QString::fromStdString(file("all.mp4").string()));
    clipExporter.stop();
    EXPECT_FALSE(clipExporter.busy());
    EXPECT_TRUE(clipExporter.isHidden());
}

}  // namespace
}  // namespace dailies::ui
