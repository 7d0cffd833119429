#include "ui/datasets/datasets_page.h"

#include "core/curation/clip_files.h"
#include "core/curation/curated_origin.h"
#include "tests/ui/datasets/open_datasets_page.h"
#include "tests/ui/overlaps.h"
#include "ui/datasets/caption_field.h"
#include "ui/widgets/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using curation::Correction;
using testing::HasSubstr;

using Datasets = DatasetsPageTest;

TEST_F(Datasets, ATableOfWhatIsKeptIsWrittenForOtherTrainersOnceAllIsSaved) {
    open();
    QToolButton* button = nullptr;
    for (auto* each : page.findChildren<QToolButton*>())
        if (each->accessibleName().startsWith(QStringLiteral("Export"))) button = each;
    ASSERT_NE(button, nullptr);
    auto rules = model().rules();
    rules.min_motion = 0;
    model().setRules(rules);
    EXPECT_FALSE(button->isEnabled()) << "the table would have other verdicts than the page";
    model().reset();
    ASSERT_TRUE(button->isEnabled());
    button->click();
    auto* dialog = page.findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr);
    const auto file = set().parent_path() / "clips.jsonl";
    emit dialog->fileSelected(QString::fromStdString(file.string()));
    ASSERT_TRUE(waitUntil([&] { return !notes.isEmpty(); }, 10'000))
        << failures.join(QLatin1Char(' ')).toStdString();
    std::ptrdiff_t kept = 0;
    for (std::size_t i = 0; i < model().clips().size(); ++i) kept += model().isKept(i);
    EXPECT_EQ(std::ranges::count(readFile(file), '\n'), kept);
    EXPECT_TRUE(notes.back().endsWith(QString::fromStdString("written to " + file.string())));
}

TEST_F(Datasets, ACopyOfAClustersFolderShowsPreviewsAndSaysWhatThatHasNotGot) {
    curation::saveCuratedOrigin(set(), {.cluster = "lab", .folder = "/data/set", .files = {}});
    auto list = readFile(set() / "clips.jsonl");
    for (auto at = list.find(films().string()); at != list.npos; at = list.find(films().string()))
        list.replace(at, films().string().size(), "/data/films");
    writeFileAtomically(set() / "clips.jsonl", list);
    const auto all = curation::loadCuratedFolder(set()).clips;
    for (const auto& clip : all)
        writeFileAtomically(set() / "previews" / curation::clipFileName(clip), "a preview");
    open();
    EXPECT_TRUE(shows(QStringLiteral("lab: /data/set")));
    EXPECT_FALSE(shows(QStringLiteral("not there"))) << "films are not missed where there are previews";
    const auto place = model().placeOf(1);
    EXPECT_EQ(place.file, (set() / "previews" / curation::clipFileName(all[1])).string());
    EXPECT_EQ(place.fps, all[1].fps / 2);
    EXPECT_EQ(place.frames, (all[1].frames() + 1) / 2);

    QStringList saved;
    QObject::connect(&model(), &DatasetModel::folderSaved, &page,
                     [&](const QString& folder) { saved << folder; });
    EXPECT_FALSE(shows(QStringLiteral("lab has not got it yet")));
    field(Measure::Motion).setValue(100);
    button(QStringLiteral("Save")).click();
    settle();
    EXPECT_EQ(saved, QStringList{QString::fromStdString(set().string())});
    EXPECT_TRUE(shows(QStringLiteral("lab has not got it yet")));
    keepPicture(QStringLiteral("unsent"));
    EXPECT_TRUE(button(QStringLiteral("Save")).isEnabled()) << "it sends what was saved";
    model().noteSent(set());
    EXPECT_FALSE(shows(QStringLiteral("lab has not got it yet")));
}

TEST_F(Datasets, WithoutAFolderThePageSaysHowToGetOne) {
    EXPECT_TRUE(shows(QStringLiteral("dailies-train curate")));
    EXPECT_TRUE(button(QStringLiteral("Open a curated folder…")).isVisible());
    EXPECT_FALSE(button(QStringLiteral("Save")).isVisible());
}

TEST_F(Datasets, AFolderOrItsListIsOpenedByDroppingIt) {
    drop(set());
    EXPECT_EQ(model().clips().size(), 10U);
    drop(set() / "clips.jsonl");
    EXPECT_EQ(model().folder().folder, set());
    EXPECT_TRUE(failures.isEmpty());
}

TEST_F(Datasets, CountsAndDimmingFollowAThresholdAtOnce) {
    open();
    EXPECT_TRUE(shows(QStringLiteral("8 of 10 clips"))) << "the two stills are dropped";
    EXPECT_EQ(dimmedTiles(), 2U);
    auto& row = page.panel().row(Measure::Frames);
    field(Measure::Frames).setValue(50);
    EXPECT_TRUE(shows(QStringLiteral("4 of 10 clips")));
    EXPECT_EQ(dimmedTiles(), 6U);
    EXPECT_TRUE(button(QStringLiteral("Kept 4")).isVisible());

    // by the line, as a person drags it
    auto& histogram = row.histogram();
    const auto at = [&](double x) { return QPoint(static_cast<int>(x), histogram.height() / 2); };
    QTest::mousePress(&histogram, Qt::LeftButton, {}, at(histogram.lineX(0)));
    QTest::mouseMove(&histogram, at(histogram.lineX(0) + 40));
    const double moved = field(Measure::Frames).value();
    EXPECT_GT(moved, 50);
    EXPECT_EQ(moved, model().rules().min_frames);
    QTest::mouseMove(&histogram, at(0));
    QTest::mouseRelease(&histogram, Qt::LeftButton, {}, at(0));
    EXPECT_EQ(field(Measure::Frames).value(), 0);
    EXPECT_EQ(field(Measure::Frames).text(), QStringLiteral("off"));
    EXPECT_TRUE(shows(QStringLiteral("8 of 10 clips")));
}

TEST_F(Datasets, AnUpperLimitIsNotSwitchedOffByDraggingItToNothing) {
    open();
    auto& histogram = page.panel().row(Measure::Frozen).histogram();
    const auto at = [&](double x) { return QPoint(static_cast<int>(x), histogram.height() / 2); };
    QTest::mousePress(&histogram, Qt::LeftButton, {}, at(histogram.lineX(0)));
    QTest::mouseMove(&histogram, at(0));
    EXPECT_GT(model().rules().max_frozen, 0);
    EXPECT_LT(model().rules().max_frozen, 0.05);
    QTest::mouseMove(&histogram, at(histogram.width()));
    EXPECT_EQ(model().rules().max_frozen, 0) << "at the far end it asks for nothing";
    QTest::mouseRelease(&histogram, Qt::LeftButton, {}, at(histogram.width()));
    EXPECT_EQ(field(Measure::Frozen).text(), QStringLiteral("off"));
}

TEST_F(Datasets, AThresholdThatMovesBringsTheClipsAroundItIntoView) {
    page.resize(760, 420);
    open();
    field(Measure::Motion).setValue(2);
    EXPECT_EQ(page.filter().measure, Measure::Motion);
    const auto values = model().clips().column(Measure::Motion);
    const auto& order = wall().order();
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](auto clip) { return values[clip]; }));
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        if (values[order[i]] < 2 && values[order[i + 1]] >= 2) {
            EXPECT_FALSE(wall().tileRect(static_cast<int>(i)).isEmpty());
            EXPECT_FALSE(wall().tileRect(static_cast<int>(i + 1)).isEmpty());
        }
}

TEST_F(Datasets, ByKeysAloneAClipIsJudgedPlayedAndShownAlone) {
    open();
    wall().setFocus(Qt::TabFocusReason);
    ASSERT_EQ(wall().position(), 0);
    const auto first = *wall().selected();
    QTest::keyClick(&wall(), Qt::Key_X);
    EXPECT_EQ(model().correction(first), Correction::Drop);
    EXPECT_TRUE(shows(QStringLiteral("7 of 10 clips")));
    EXPECT_TRUE(shows(QStringLiteral("dropped: by hand")));
    QTest::keyClick(&wall(), Qt::Key_Backspace);
    EXPECT_TRUE(shows(QStringLiteral("8 of 10 clips")));
    EXPECT_FALSE(model().isChanged());
    QTest::keyClick(&wall(), Qt::Key_Right);
    EXPECT_EQ(wall().position(), 1);
    QTest::keyClick(&wall(), Qt::Key_Space);
    EXPECT_TRUE(waitUntil([&] { return wall().playedFrame() > 3; })) << "it plays in its tile";
    QTest::keyClick(&wall(), Qt::Key_Return);
    EXPECT_TRUE(wall().isLarge());
    EXPECT_TRUE(wall().isPlaying()) << "and goes on alone";
    QTest::keyClick(&wall(), Qt::Key_Right);
    EXPECT_EQ(wall().position(), 2);
    QTest::keyClick(&wall(), Qt::Key_K);
    EXPECT_EQ(model().correction(*wall().selected()), Correction::Keep);
    QTest::keyClick(&wall(), Qt::Key_Escape);
    EXPECT_FALSE(wall().isLarge());
    QTest::keyClick(&wall(), Qt::Key_End);
    EXPECT_EQ(wall().position(), 9);
    EXPECT_FALSE(wall().tileRect(9).isEmpty());
    // rules, too
    field(Measure::Motion).setFocus();
    QTest::keyClick(&field(Measure::Motion), Qt::Key_Up);
    EXPECT_GT(model().rules().min_motion, 0.15);
    QTest::keyClick(&page, Qt::Key_S, Qt::ControlModifier);
    settle();
    EXPECT_EQ(notes.size(), 1);
}

TEST_F(Datasets, WhatIsPlayedIsTheClipAndNotItsFilmsBeginning) {
    open();
    wall().select(3);
    const auto place = model().placeOf(*wall().selected());
    EXPECT_EQ(place.first, 30 + 42 + 54);
    EXPECT_EQ(place.frames, 66);
    wall().setLarge(true);
    const auto shownColour = [&] {
        return wall()
            .viewport()
            ->grab()
            .toImage()
            .scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
            .pixelColor(0, 0);
    };
    ASSERT_TRUE(waitUntil([&] { return shownColour().value() > 40; }));
    EXPECT_TRUE(waitUntil([&] {
        static const auto frame = curation::Scene(3).frame(0, 4);
        const QImage wanted(frame.rgb.data(), frame.width, frame.height, 3 * frame.width,
                            QImage::Format_RGB888);
        const QImage shown = wall().viewport()->grab().toImage();
        // the middle of both pictures, which no letterbox reaches
        const QColor a = shown.copy(shown.width() / 2 - 8, shown.height() / 2 - 8, 16, 16)
                             .scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                             .pixelColor(0, 0);
        const QColor b = wanted.copy(wanted.width() / 2 - 3, wanted.height() / 2 - 3, 6, 6)
                             .scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                             .pixelColor(0, 0);
        return std::abs(a.red() - b.red()) < 24 && std::abs(a.green() - b.green()) < 24 &&
               std::abs(a.blue() - b.blue()) < 24;
    }));
    keepPicture(QStringLiteral("large"));
}

TEST_F(Datasets, FiltersShowKeptDroppedAndOneReason) {
    open();
    button(QStringLiteral("Dropped 2")).click();
    EXPECT_EQ(wall().order().size(), 2U);
    button(QStringLiteral("Kept 8")).click();
    EXPECT_EQ(wall().order().size(), 8U);
    wall().select(0);
    wall().setFocus();
    const auto dropped = *wall().selected();
    QTest::keyClick(&wall(), Qt::Key_X);
    EXPECT_EQ(wall().order().size(), 7U);
    ASSERT_TRUE(wall().selected());
    EXPECT_NE(*wall().selected(), dropped) << "the next one takes its place";
    page.setFilter({.show = CuratedFilter::Show::Dropped, .reason = curation::Reason::ByHand});
    ASSERT_EQ(wall().order().size(), 1U);
    EXPECT_EQ(wall().order()[0], dropped);
}

TEST_F(Datasets, SavingIsReadBackByThePageAndByCurate) {
    open();
    EXPECT_FALSE(button(QStringLiteral("Save")).isEnabled());
    field(Measure::Frames).setValue(50);
    wall().select(0);
    page.wall().setFocus();
    QTest::keyClick(&wall(), Qt::Key_K);
    ASSERT_TRUE(button(QStringLiteral("Save")).isEnabled());
    button(QStringLiteral("Save")).click();
    settle();
    ASSERT_EQ(notes.size(), 1);
    EXPECT_THAT(notes[0].toStdString(), HasSubstr("5 of 10 clips kept"));
    EXPECT_FALSE(button(QStringLiteral("Save")).isEnabled());
    EXPECT_EQ(lines()[0].at("verdict"), "keep");
    EXPECT_EQ(lines()[0].at("by_hand"), true);
    EXPECT_EQ(lines()[1].at("reasons"), Json({"short"}));
    EXPECT_EQ(parseJson(readFile(set() / "config.json"), "config").at("verdict").at("min_frames"), 50);

    DatasetsPage again;
    again.open(set());
    ASSERT_TRUE(waitUntil([&] { return again.model().isSettled(); }));
    EXPECT_EQ(again.model().rules().min_frames, 50);
    EXPECT_EQ(again.model().correction(0), Correction::Keep);
    EXPECT_EQ(again.model().judgement().kept, 5U);
    EXPECT_FALSE(again.model().isChanged());
}

TEST_F(Datasets, ResetTakesBackWhatWasNotSaved) {
    open();
    field(Measure::Motion).setValue(200);
    page.panel().duplicates().setChecked(false);
    wall().select(9);
    wall().setFocus();
    QTest::keyClick(&wall(), Qt::Key_K);
    EXPECT_TRUE(shows(QStringLiteral("1 of 10 clips")));
    button(QStringLiteral("Reset")).click();
    EXPECT_TRUE(shows(QStringLiteral("8 of 10 clips")));
    EXPECT_EQ(field(Measure::Motion).value(), 0.15);
    EXPECT_FALSE(button(QStringLiteral("Reset")).isEnabled());
}

TEST_F(Datasets, WhatWasNotSavedIsThereAgainAfterALookAtAnotherFolder) {
    open();
    field(Measure::Frames).setValue(50);
    model().correct(0, Correction::Keep);
    fs::copy(set(), m_folder.path() / "other", fs::copy_options::recursive);
    page.open(m_folder.path() / "other");
    settle();
    EXPECT_TRUE(shows(QStringLiteral("8 of 10 clips")));
    EXPECT_FALSE(model().isChanged());
    open();
    EXPECT_TRUE(shows(QStringLiteral("5 of 10 clips")));
    EXPECT_EQ(model().correction(0), Correction::Keep);
    EXPECT_TRUE(button(QStringLiteral("Save")).isEnabled());
    EXPECT_EQ(lines()[1].at("verdict"), "keep") << "and nowhere else";
}

TEST_F(Datasets, WhatIsBrokenIsNamedAndNothingIsLost) {
    auto text = split(readFile(set() / "clips.jsonl"), '\n');
    text[4] = "{\"id\": \"cut of";
    for (auto& line : text)
        if (const auto at = line.find("/1.mp4"); at != std::string::npos) line.replace(at, 6, "/gone.mp4");
    writeFileAtomically(set() / "clips.jsonl", join(text, "\n"));
    open();
    EXPECT_EQ(model().clips().size(), 9U);
    EXPECT_TRUE(shows(QStringLiteral("line 5")));
    EXPECT_TRUE(shows(QStringLiteral("gone.mp4")));
    wall().select(8);
    wall().setFocus();
    QTest::keyClick(&wall(), Qt::Key_X);
    button(QStringLiteral("Save")).click();
    settle();
    EXPECT_THAT(readFile(set() / "clips.jsonl"), HasSubstr(text[4]));

    // the folder vanishes while rules are moved
    field(Measure::Frames).setValue(50);
    fs::rename(set(), m_folder.path() / "away");
    button(QStringLiteral("Save")).click();
    settle();
    ASSERT_EQ(failures.size(), 1);
    EXPECT_THAT(failures[0].toStdString(), HasSubstr(set().string()));
    EXPECT_EQ(model().rules().min_frames, 50);
    EXPECT_EQ(model().clips().size(), 9U);
    fs::rename(m_folder.path() / "away", set());
    button(QStringLiteral("Save")).click();
    settle();
    EXPECT_FALSE(model().isChanged()) << "saved once it is back";
}

TEST_F(Datasets, CaptionsAreReadWrittenSavedAndTakenBack) {
    open();
    wall().setFocus(Qt::TabFocusReason);
    const auto clip = *wall().selected();
    auto& field = page.captionField();
    EXPECT_THAT(field.placeholderText().toStdString(), HasSubstr("dailies-train caption"));
    EXPECT_FALSE(button(QStringLiteral("No caption 0")).isVisible()) << "no clip has any";
    QTest::keyClick(&wall(), Qt::Key_C);
    ASSERT_TRUE(field.hasFocus());
    QTest::keyClicks(&field, QStringLiteral("A camera xk moves"));
    EXPECT_EQ(model().correction(clip), Correction::None) << "letters are text there";
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_EQ(model().caption(clip), "");
    EXPECT_TRUE(wall().hasFocus());
    QTest::keyClick(&wall(), Qt::Key_C);
    QTest::keyClicks(&field, QStringLiteral("A camera moves over a harbour"));
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_EQ(model().caption(clip), "A camera moves over a harbour");
    EXPECT_TRUE(wall().hasFocus());
    EXPECT_TRUE(model().isChanged());
    EXPECT_TRUE(button(QStringLiteral("No caption 7")).isVisible()) << "of the eight that are kept";
    keepPicture(QStringLiteral("caption"));

    // another clip has its own; this one's comes back
    QTest::keyClick(&wall(), Qt::Key_Right);
    EXPECT_EQ(field.toPlainText(), QString());
    QTest::keyClick(&wall(), Qt::Key_Left);
    EXPECT_EQ(field.toPlainText(), QStringLiteral("A camera moves over a harbour"));

    button(QStringLiteral("Save")).click();
    settle();
    EXPECT_FALSE(model().isChanged());
    EXPECT_EQ(curation::loadCuratedFolder(set()).clips[clip].caption, "A camera moves over a harbour");
    QTest::keyClick(&wall(), Qt::Key_C);
    field.setPlainText(QStringLiteral("Another"));
    wall().setFocus();
    EXPECT_EQ(model().caption(clip), "Another") << "leaving it keeps it";
    button(QStringLiteral("Reset")).click();
    EXPECT_EQ(model().caption(clip), "A camera moves over a harbour");
    EXPECT_EQ(field.toPlainText(), QStringLiteral("A camera moves over a harbour"));
    open();
    EXPECT_EQ(model().caption(clip), "A camera moves over a harbour");
}

TEST_F(Datasets, ClipsAreFoundByFilmAndCaptionAndByHavingNone) {
    const auto all = curation::loadCuratedFolder(set()).clips;
    curation::saveChanges(set(),
                          {.rules = curation::loadCurationConfig(set()).verdict,
                           .captions = {{all[1].id, "A red boat in a Harbour"}, {all[2].id, "A red car"}}});
    auto captions = curation::loadCaptions(set());
    captions[all[3].id] = {"I cannot help.", curation::CaptionStatus::Refused, "k", 1};
    curation::saveCaptions(set(), captions);
    open();
    auto& find = *page.findChild<QLineEdit*>();
    wall().setFocus();
    QTest::keyClick(&wall(), Qt::Key_F, Qt::ControlModifier);
    ASSERT_TRUE(find.hasFocus());
    QTest::keyClicks(&find, QStringLiteral("harbour RED"));
    EXPECT_THAT(wall().order(), testing::ElementsAre(1));
    find.setText(QStringLiteral("0.mp4"));
    EXPECT_EQ(wall().order().size(), 5U);
    find.clear();
    button(QStringLiteral("No caption 6")).click();
    EXPECT_EQ(wall().order().size(), 6U);
    EXPECT_THAT(wall().order(), testing::Not(testing::Contains(1)));
    wall().reveal(0);
    const auto place = std::ranges::find(wall().order(), 3U) - wall().order().begin();
    QTest::mouseClick(wall().viewport(), Qt::LeftButton, {},
                      wall().tileRect(static_cast<int>(place)).center());
    EXPECT_THAT(page.captionField().placeholderText().toStdString(),
                testing::AllOf(HasSubstr("refused"), HasSubstr("I cannot help.")));
}

TEST_F(Datasets, AFolderThatIsNoneIsSaidWhereTheFirstOneWouldBe) {
    page.open(films());
    ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }));
    EXPECT_TRUE(shows(QStringLiteral("There is no clips.jsonl")));
    open();
    page.open(m_folder.path() / "nowhere");
    ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }));
    EXPECT_EQ(failures.size(), 1);
    EXPECT_EQ(model().clips().size(), 10U) << "what is open stays";
}

TEST_F(Datasets, IsWholeInBothThemesAndOnSmallScreens) {
    keepPicture(QStringLiteral("empty"));
    open();
    wall().select(2);
    for (const auto mode : {ThemeMode::Dark, ThemeMode::Light})
        for (const QSize size : {QSize(1096, 720), QSize(776, 600)}) {
            Theme::instance().apply(mode);
            page.resize(size);  // of a window of 1280×720 and 960×600, less its sidebar
            waitUntil([] { return false; }, 80);
            settle();
            for (const auto& overlap : overlapsIn(page)) ADD_FAILURE() << size.width() << ": " << overlap;
            EXPECT_FALSE(wall().tileRect(2).isEmpty());
            keepPicture(
                QStringLiteral("%1-%2").arg(mode == ThemeMode::Dark ? "dark" : "light").arg(size.width()));
        }
    for (const auto* one : page.findChildren<QAbstractButton*>())
        EXPECT_FALSE(one->text().isEmpty() && one->accessibleName().isEmpty());
    for (const auto* one : page.findChildren<QDoubleSpinBox*>())
        EXPECT_FALSE(one->accessibleName().isEmpty());
    Theme::instance().apply(ThemeMode::Dark);
}

}  // namespace
}  // namespace dailies::ui
