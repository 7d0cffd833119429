#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

namespace dailies::tracking {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kRevision = 3;

class Findings : public StoreTest {
protected:
    Findings() {
        m_store.createRun(m_run);
        m_store.ingest(m_run.id, {clip(1, 100), clip(1, 200)}, 1);
    }

    static std::string pathAt(int step) {
        return "clips/step-" + std::to_string(step) + "/red square left.mp4";
    }

    void arrive(int step, const std::string& file = "/mirror/clip.mp4") {
        m_store.setClipLocalPath(m_run.id, pathAt(step), file);
    }
    void check(int step, std::vector<ClipFinding> findings, int revision = kRevision) {
        m_store.putFindings({{m_run.id, pathAt(step), "/mirror/clip.mp4", revision, std::move(findings)}});
    }
    std::vector<std::int64_t> waiting(int revision = kRevision) const {
        std::vector<std::int64_t> steps;
        for (const ClipRecord& clip : m_store.clipsToCheck(revision, 100)) steps.push_back(clip.step);
        return steps;
    }
    static ClipFinding finding(const std::string& what, int severity, int first = 0, int last = 0) {
        return {{}, {}, what, severity, first, last, "It is " + what + "."};
    }

    Store m_store{file()};
    tracking::Run m_run = aRun();
};

TEST_F(Findings, ClipsWaitForTheirCheckOnceTheyAreHere) {
    EXPECT_THAT(waiting(), IsEmpty());
    arrive(100);
    arrive(200);
    EXPECT_THAT(waiting(), ElementsAre(200, 100)) << "the newest first";
    check(200, {});
    EXPECT_THAT(waiting(), ElementsAre(100)) << "a clip without findings was checked too";
    EXPECT_THAT(waiting(kRevision + 1), ElementsAre(200, 100)) << "newer checks look again";
}

TEST_F(Findings, AreGivenBackTheWorstFirst) {
    arrive(100);
    arrive(200);
    check(200, {finding("cut", 1, 4, 4)});
    check(100, {finding("frozen", 2, 3, 7)});
    const auto found = m_store.findings({m_run.id});
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].check, "frozen");
    EXPECT_EQ(found[0].path, pathAt(100));
    EXPECT_EQ(found[0].firstFrame, 3);
    EXPECT_EQ(found[0].lastFrame, 7);
    EXPECT_EQ(found[0].text, "It is frozen.");
    EXPECT_EQ(found[1].check, "cut");
    EXPECT_THAT(m_store.findings({newId()}), IsEmpty());
}

TEST_F(Findings, OfALaterCheckTakeThePlaceOfThoseBefore) {
    arrive(100);
    check(100, {finding("frozen", 2), finding("cut", 1)});
    check(100, {finding("black", 2)}, kRevision + 1);
    const auto found = m_store.findings({m_run.id});
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].check, "black");
}

TEST_F(Findings, GoWhenTheClipIsMadeAgain) {
    arrive(100);
    check(100, {finding("frozen", 2)});
    m_store.ingest(m_run.id, {clip(1, 100)}, 2);
    EXPECT_THAT(m_store.findings({m_run.id}), IsEmpty()) << "its file is another one, and not here yet";
    check(100, {finding("frozen", 2)});
    arrive(100);
    EXPECT_THAT(m_store.findings({m_run.id}), IsEmpty()) << "what was checked meanwhile was the old file";
    EXPECT_THAT(waiting(), ElementsAre(100));
}

TEST_F(Findings, OfARunThatIsPurgedArePurgedWithIt) {
    arrive(100);
    check(100, {finding("frozen", 2)});
    m_store.deleteRuns({m_run.id});
    EXPECT_THAT(waiting(kRevision + 1), IsEmpty()) << "nobody watches a deleted run";
    m_store.purgeRuns({m_run.id});
    SQLite::Database db(file());
    EXPECT_EQ(db.execAndGet("SELECT COUNT(*) FROM dailies_findings").getInt(), 0);
    EXPECT_EQ(db.execAndGet("SELECT COUNT(*) FROM dailies_checked_clips").getInt(), 0);
}

}  // namespace
}  // namespace dailies::tracking
