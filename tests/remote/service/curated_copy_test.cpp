#include "remote/service/curated_copy.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/curation/curate.h"
#include "core/curation/curated_folder.h"
#include "tests/core/curation/made_film.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

/// A curated folder of the cluster, with previews of all clips and files of those that are kept.
class CuratedCopyTest : public SandboxTest {
protected:
    CuratedCopyTest() {
        curation::MadeFilm film;
        film.shot(curation::Scene(1), 60, 2);
        film.shot(curation::Scene(2), 60, 1);
        film.write(m_files.path() / "films" / "film.mp4");
        curation::CurateOptions options;
        options.films = {m_files.path() / "films"};
        options.out = folder();
        options.config.verdict.min_side = 100;
        options.writeClips = options.writePreviews = true;
        curation::curate(options, [](const curation::CurateProgress&) {});
        fs::rename(m_files.path() / "films", m_files.path() / "elsewhere");  // this machine has no films
    }

    fs::path folder() const { return m_files.path() / "set"; }
    fs::path copyOf(Cluster& cluster) {
        return copyCuratedFolder(cluster, folder().string(), m_files.path() / "copies");
    }
    static void dropAll(const fs::path& copy) {
        auto rules = curation::loadCuratedFolder(copy).config.verdict;
        rules.min_motion = 100;
        curation::saveChanges(copy, {rules});
    }
    std::string verdicts() const {
        std::string all;
        for (const auto& line : split(readFile(folder() / "clips.jsonl"), '\n'))
            if (!line.empty()) all += parseJson(line, "line").at("verdict").get<std::string>() + " ";
        return all;
    }
};

TEST_F(CuratedCopyTest, HasWhatThresholdsNeedAndSendsVerdictsBack) {
    Cluster cluster = connect();
    const auto copy = copyOf(cluster);
    EXPECT_THAT(copy.string(), HasSubstr("/copies/" + s_profile.name + "/"));
    const auto curated = curation::loadCuratedFolder(copy);
    EXPECT_THAT(curated.clips, SizeIs(2));
    EXPECT_THAT(curated.previews, SizeIs(2));
    EXPECT_THAT(curated.missingFilms, IsEmpty());
    EXPECT_THAT(curated.files, IsEmpty()) << "clips stay where they are";
    ASSERT_TRUE(curated.origin);
    EXPECT_EQ(curated.origin->folder, folder().string());
    EXPECT_EQ(verdicts(), "keep keep ");

    const auto before = readFile(folder() / "clips.jsonl");
    curation::saveChanges(copy, {curated.config.verdict});
    EXPECT_EQ(readFile(copy / "clips.jsonl"), before) << "kept clips still have their files, there";
    EXPECT_TRUE(curation::loadCuratedOrigin(copy)->unsent);

    dropAll(copy);
    EXPECT_EQ(verdicts(), "keep keep ") << "until it is sent";
    sendVerdicts(cluster, copy);
    EXPECT_EQ(verdicts(), "drop drop ");
    EXPECT_FALSE(curation::loadCuratedOrigin(copy)->unsent);
    EXPECT_EQ(curation::loadCurationConfig(folder()).verdict.min_motion, 100);
    sendVerdicts(cluster, copy);  // again changes nothing
    EXPECT_EQ(verdicts(), "drop drop ");
}

TEST_F(CuratedCopyTest, WhatWasNotSentIsSentBeforeItIsCopiedAgain) {
    Cluster cluster = connect();
    dropAll(copyOf(cluster));
    const auto copy = copyOf(cluster);
    EXPECT_EQ(verdicts(), "drop drop ");
    EXPECT_EQ(curation::loadCurationConfig(copy).verdict.min_motion, 100);
}

TEST_F(CuratedCopyTest, AFolderThatHasChangedSinceIsNotOverwritten) {
    Cluster cluster = connect();
    const auto copy = copyOf(cluster);
    dropAll(copy);
    auto list = readFile(folder() / "clips.jsonl");
    writeFileAtomically(folder() / "clips.jsonl", list + "\n");
    try {
        sendVerdicts(cluster, copy);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("has changed since it was copied"));
        EXPECT_THAT(error.remedy(), HasSubstr(copy.string()));
    }
    EXPECT_EQ(readFile(folder() / "clips.jsonl"), list + "\n");
    EXPECT_THROW(copyOf(cluster), InputError) << "nor is the copy";
    EXPECT_EQ(curation::loadCurationConfig(copy).verdict.min_motion, 100);
}

TEST(CuratedCopies, LieBelowTheirFolderWhateverPathIsTyped) {
    for (const auto* typed : {"/data/set", "/data/set/", "/data/../data//set", "/../../data/set"})
        EXPECT_EQ(curatedCopyFolder("/store/datasets", "lab", typed), "/store/datasets/lab/data/set")
            << typed;
}

TEST_F(CuratedCopyTest, AFolderThatIsNoneIsRefused) {
    Cluster cluster = connect();
    EXPECT_THROW(copyCuratedFolder(cluster, (m_files.path() / "elsewhere").string(), m_files.path()),
                 InputError);
    EXPECT_THROW(sendVerdicts(cluster, folder()), InputError) << "it is no copy";
}

}  // namespace
}  // namespace dailies::remote
