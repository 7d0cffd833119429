#include "trainer/data/shard_clips.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/curate.h"
#include "core/curation/curated_folder.h"
#include "tests/core/curation/made_film.h"
#include "trainer/data/shard_folder.h"
#include "trainer/data/shard_samples.h"
#include "trainer/data/tar_writer.h"
#include "trainer/data/webdataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;

using curation::Correction;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Two films, each with two shots that are kept and one that stands still.
class Sharded : public testing::Test {
protected:
    Sharded() {
        for (int film = 0; film < 2; ++film) {
            curation::MadeFilm made;
            made.shot(curation::Scene(10 * film + 1), 60, 2);
            made.shot(curation::Scene(10 * film + 2), 60, 1);
            made.shot(curation::Scene(10 * film + 3).frame(0, 0, 0), 60);
            made.write(films.path() / ("film" + std::to_string(film) + ".mp4"));
        }
        curation::CurateOptions options;
        options.films = {films.path()};
        options.out = set();
        options.config.verdict.min_side = 100;
        options.config.verdict.drop_duplicates = false;
        curation::curate(options, [](const curation::CurateProgress&) {});
        for (const auto& clip : curation::loadCuratedFolder(set()).clips) ids.push_back(clip.id);
    }

    fs::path set() const { return out.path() / "set"; }
    fs::path shards() const { return out.path() / "shards"; }
    ShardSummary pack(std::uint64_t bytes = std::uint64_t{1} << 30, unsigned threads = 2) const {
        return shardClips({set(), shards(), bytes, threads}, [](const ShardProgress&) {});
    }
    void correct(const curation::Corrections& changes) const {
        curation::saveChanges(set(), {curation::loadCuratedFolder(set()).config.verdict, changes});
    }
    std::vector<std::string> keysOf(const std::string& shard) const {
        std::vector<std::string> keys;
        for (const auto& each : readShardFolder(shards()).shards)
            for (const auto& sample : each.samples)
                if (each.name == shard) keys.push_back(sample.key);
        return keys;
    }
    /// Name → bytes of all files.
    std::map<std::string, std::string> files(const fs::path& folder) const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                all[entry.path().lexically_relative(folder).string()] = readFile(entry.path());
        return all;
    }
    WebDataset opened() const {
        config::TrainConfig::Data data;
        data.source = "webdataset";
        data.shards = {shards().string()};
        data.frames = 4;
        data.height = data.width = 32;
        return WebDataset(data, {});
    }
    std::string refusal() const {
        try {
            pack();
        } catch (const Error& error) {
            return error.full();
        }
        return "";
    }

    TemporaryFolder films, out;
    std::vector<std::string> ids;
};

TEST_F(Sharded, HoldTheClipsThatAreKeptWithTheirCaptionsAndFacts) {
    ASSERT_THAT(ids, SizeIs(6));
    auto list = readFile(set() / "clips.jsonl");
    list.insert(list.find('{') + 1, R"("caption":" a slow pan ",)");
    writeFileAtomically(set() / "clips.jsonl", list);
    writeFileAtomically(set() / "clips" / (ids[1] + ".txt"), "a fast pan\n");
    writeFileAtomically(set() / "clips" / (ids[3] + ".json"), R"({"caption": "as the trainer finds it"})");
    const auto summary = pack();
    EXPECT_EQ(summary.clips, 4U);
    EXPECT_EQ(summary.added, 4U);
    EXPECT_EQ(summary.shards, 1U);
    EXPECT_THAT(keysOf("000000.tar"), ElementsAre(ids[0], ids[1], ids[3], ids[4]));
    EXPECT_FALSE(fs::exists(shards() / ".encoded"));

    std::vector<std::string> problems;
    const auto tar = readFile(shards() / "000000.tar");
    const auto samples = groupSamples(listTar(shards() / "000000.tar"), problems);
    EXPECT_THAT(problems, IsEmpty());
    const auto content = [&](std::size_t sample, const char* ending) {
        const auto* member = samples[sample].find(ending);
        return member ? tar.substr(member->offset, member->bytes) : "";
    };
    EXPECT_EQ(content(0, "txt"), "a slow pan");
    EXPECT_EQ(content(1, "txt"), "a fast pan");
    EXPECT_EQ(content(2, "txt"), "as the trainer finds it");
    EXPECT_EQ(samples[3].find("txt"), nullptr);
    const auto facts = Json::parse(content(2, "json"));
    EXPECT_EQ(facts.at("source"), (films.path() / "film1.mp4").string());
    EXPECT_EQ(facts.at("first_frame"), 0);
    EXPECT_FALSE(facts.contains("verdict"));

    auto dataset = opened();
    EXPECT_EQ(dataset.facts().used, 4);
    EXPECT_THAT(dataset.captions(), testing::IsSupersetOf({"a fast pan", "a slow pan"}));
    EXPECT_THAT(dataset.takeProblems(), IsEmpty());
}

TEST_F(Sharded, AnotherCaptionIsPackedIntoAFurtherTarWithTheSameVideo) {
    pack();
    const auto first = readFile(shards() / "000000.tar");
    const auto caption = [&](const std::string& id, const std::string& text) {
        curation::saveChanges(
            set(), {.rules = curation::loadCuratedFolder(set()).config.verdict, .captions = {{id, text}}});
    };
    const auto videoOf = [&](const std::string& shard, const std::string& id) {
        std::vector<std::string> problems;
        const auto tar = readFile(shards() / shard);
        for (const auto& sample : groupSamples(listTar(shards() / shard), problems))
            if (sample.key == id) return tar.substr(sample.find("mp4")->offset, sample.find("mp4")->bytes);
        return std::string("none");
    };
    caption(ids[1], "a boat");
    fs::remove(films.path() / "film0.mp4");  // the video is in the shard
    auto summary = pack();
    EXPECT_EQ(summary.added, 1U);
    EXPECT_EQ(summary.replaced, 1U);
    EXPECT_EQ(summary.excluded, 0U);
    EXPECT_THAT(summary.text(), HasSubstr("1 sample is excluded, because the clip has another caption now"));
    EXPECT_EQ(readFile(shards() / "000000.tar"), first) << "somebody may be training on it";
    EXPECT_THAT(keysOf("000001.tar"), ElementsAre(ids[1]));
    EXPECT_EQ(videoOf("000001.tar", ids[1]), videoOf("000000.tar", ids[1]));
    EXPECT_THAT(excludedSamples(shards()), ElementsAre("000000.tar/" + ids[1]));
    auto dataset = opened();
    EXPECT_EQ(dataset.facts().used, 4);
    EXPECT_THAT(dataset.captions(), testing::Contains("a boat"));

    // nothing to do; then the caption of before: the sample of before counts again
    EXPECT_EQ(pack().added, 0U);
    caption(ids[1], "");
    summary = pack();
    EXPECT_EQ(summary.added, 0U);
    EXPECT_EQ(summary.replaced, 1U);
    EXPECT_THAT(excludedSamples(shards()), ElementsAre("000001.tar/" + ids[1]));

    // dropped is dropped in all of its samples
    correct({{ids[1], Correction::Drop}});
    summary = pack();
    EXPECT_EQ(summary.excluded, 2U);
    EXPECT_EQ(summary.replaced, 0U);
    EXPECT_EQ(opened().facts().used, 3);
}

TEST_F(Sharded, AreNoLargerThanAsked) {
    const auto one = pack(1);
    EXPECT_EQ(one.shards, 4U) << "a clip by itself may be larger";
    EXPECT_THAT(keysOf("000002.tar"), ElementsAre(ids[3]));
    const auto index = Json::parse(readFile(shards() / "index.json"));
    EXPECT_EQ(index.at("shardlist").size(), 4U);
    EXPECT_EQ(index.at("shardlist")[3], (Json{{"url", "000003.tar"}, {"nsamples", 1}}));
    const auto offsets = readFile(shards() / "000003.tar.idx");
    EXPECT_EQ(offsets.size(), 16U);
    EXPECT_EQ(fs::file_size(shards() / "000003.tar"),
              readShardFolder(shards()).shards[3].offsets.back() + 1024)
        << "the end of the last sample";
}

TEST_F(Sharded, TakeANewVerdictWithoutRewritingATar) {
    pack();
    const auto tar = readFile(shards() / "000000.tar");
    correct({{ids[1], Correction::Drop}, {ids[5], Correction::Keep}});
    const auto summary = pack();
    EXPECT_EQ(summary.clips, 4U);
    EXPECT_EQ(summary.added, 1U);
    EXPECT_EQ(summary.excluded, 1U);
    EXPECT_THAT(summary.text(), HasSubstr("1 sample is excluded"));
    EXPECT_EQ(readFile(shards() / "000000.tar"), tar);
    EXPECT_THAT(keysOf("000001.tar"), ElementsAre(ids[5]));
    EXPECT_THAT(excludedSamples(shards()), ElementsAre("000000.tar/" + ids[1]));
    const auto dataset = opened();
    EXPECT_EQ(dataset.facts().used, 4);
    EXPECT_EQ(dataset.facts().dropped,
              (std::map<std::string, std::int64_t>{{"excluded by the shards' split.yaml", 1}}));
    correct({{ids[1], Correction::None}, {ids[5], Correction::None}});
    EXPECT_EQ(pack().added, 0U);
    EXPECT_THAT(excludedSamples(shards()), ElementsAre("000001.tar/" + ids[5]));
}

TEST_F(Sharded, EndedAtAnyMomentTheSameCommandMakesTheSameBytes) {
    pack(1, 1);
    const auto whole = files(shards());
    for (std::size_t clips = 1; clips <= 4; ++clips) {
        fs::remove_all(shards());
        std::stop_source stop;
        const auto stopped = [&] {
            shardClips(
                {set(), shards(), 1, 2},
                [&](const ShardProgress& progress) {
                    if (progress.written == clips) stop.request_stop();
                },
                stop.get_token());
        };
        if (clips < 4)
            EXPECT_THROW(stopped(), Cancelled);
        else
            EXPECT_NO_THROW(stopped());
        writeFileAtomically(shards() / "000003.tar.part", "left by a kill");
        pack(1, 2);
        EXPECT_EQ(files(shards()).contains("000003.tar.part"), clips == 4);
        fs::remove(shards() / "000003.tar.part");
        EXPECT_EQ(files(shards()), whole) << clips;
    }
}

TEST_F(Sharded, AreMadeOfClipFilesWhereTheFilmIsGone) {
    const auto curated = curation::loadCuratedFolder(set());
    curation::FilmFiles files;
    curation::writeClipFiles(files, (films.path() / "film0.mp4").string(),
                             {curated.clips[0], curated.clips[1]}, set() / "clips", [] {});
    fs::rename(films.path() / "film0.mp4", films.path() / "away.mp4");
    EXPECT_EQ(pack().added, 4U);
    EXPECT_TRUE(fs::exists(set() / "clips" / (ids[0] + ".mp4"))) << "they are not this run's to remove";
    fs::remove_all(shards());
    fs::remove_all(set() / "clips");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("film0.mp4"), HasSubstr("Put it back")));
    EXPECT_THAT(readShardFolder(shards()).shards, IsEmpty()) << "before anything is written";
}

TEST_F(Sharded, RefuseWhatIsNoCurationAndIdsThatAreNoNames) {
    auto list = readFile(set() / "clips.jsonl");
    list.replace(list.find(ids[0]), ids[0].size(), "../../evil");
    writeFileAtomically(set() / "clips.jsonl", list);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("the id \"../../evil\""), HasSubstr("Curate the films again")));
    EXPECT_FALSE(fs::exists(out.path() / "evil.mp4"));
    fs::remove(set() / "clips.jsonl");
    EXPECT_THAT(refusal(), HasSubstr("There is no clips.jsonl"));
}

TEST_F(Sharded, AreNamedWhereATarOrSplitIsDamaged) {
    pack();
    fs::resize_file(shards() / "000000.tar", 700);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("000000.tar"), HasSubstr("Remove it")));
    fs::remove(shards() / "000000.tar");
    writeFileAtomically(shards() / ".nv-meta/split.yaml", "exclude:\n- 000000.tar\n");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("split.yaml is not in JSON"), HasSubstr("remove it")));
    fs::remove(shards() / ".nv-meta/split.yaml");
    EXPECT_EQ(pack().added, 4U);
    EXPECT_EQ(opened().facts().used, 4);
}

TEST(TarWriter, LeavesNothingUntilItIsFinished) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "a.tar";
    {
        TarWriter tar(file);
        tar.add("a.txt", "abc");
        EXPECT_EQ(tar.bytes(), 1024U);
        EXPECT_THROW(tar.add(std::string(101, 'n'), "x"), Error);
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
    TarWriter tar(file);
    tar.add(std::string(100, 'n'), std::string(512, 'x'));
    tar.finish();
    const auto listing = listTar(file);
    EXPECT_THAT(listing.problems, IsEmpty());
    EXPECT_EQ(listing.members, (std::vector<TarMember>{{std::string(100, 'n'), 512, 512}}));
    EXPECT_THROW(TarWriter(folder.path() / "missing/a.tar"), Error);
}

}  // namespace
}  // namespace dailies::trainer
