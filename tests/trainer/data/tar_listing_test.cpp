#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/data/shards.h"
#include "trainer/data/shard_samples.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TarListing listed(const std::string& tar) {
    return listTar([&](std::uint64_t offset, char* into,
                       std::size_t count) { return offset < tar.size() ? tar.copy(into, count, offset) : 0; },
                   tar.size());
}

std::vector<std::string> namesOf(const TarListing& listing) {
    std::vector<std::string> names;
    for (const auto& member : listing.members) names.push_back(member.name);
    return names;
}

TEST(TarListing, FindsEveryMembersBytes) {
    const auto tar = tarOf({{"a.txt", "first"}, {"empty.txt", ""}, {"b.bin", std::string(1000, 'b')}});
    const auto listing = listed(tar);
    EXPECT_THAT(listing.problems, IsEmpty());
    ASSERT_EQ(listing.members.size(), 3U);
    EXPECT_EQ(tar.substr(listing.members[0].offset, listing.members[0].bytes), "first");
    EXPECT_EQ(listing.members[1].bytes, 0U);
    EXPECT_EQ(tar.substr(listing.members[2].offset, listing.members[2].bytes), std::string(1000, 'b'));
}

TEST(TarListing, ReadsLongNamesOfBothKindsAndLeavesOutWhatIsNoFile) {
    const std::string name(300, 'n');
    auto block = [](std::string text) {
        text.resize((text.size() + 511) / 512 * 512);
        return text;
    };
    std::string record = " path=" + name + ".x\n";
    record = std::to_string(record.size() + 3) + record;
    const auto tar = tarHeader("folder/", 0, '5') + tarHeader("link", 0, '2') +
                     tarHeader("././@LongLink", name.size() + 3, 'L') + block(name + ".g" + '\0') +
                     tarHeader("short", 2) + block("gg") + tarHeader("PaxHeader", record.size(), 'x') +
                     block(record) + tarHeader("short", 2) + block("xx") + std::string(1024, '\0');
    const auto listing = listed(tar);
    EXPECT_THAT(listing.problems, IsEmpty());
    EXPECT_THAT(namesOf(listing), ElementsAre(name + ".g", name + ".x"));
    EXPECT_EQ(tar.substr(listing.members[1].offset, 2), "xx");
}

TEST(TarListing, OfACutTarKeepsWhatIsWholeAndSaysWhere) {
    const auto tar = tarOf({{"a.txt", std::string(600, 'a')}, {"b.txt", std::string(600, 'b')}});
    const auto inside = listed(tar.substr(0, 512 + 1024 + 512 + 100));
    EXPECT_THAT(namesOf(inside), ElementsAre("a.txt"));
    EXPECT_THAT(inside.problems, ElementsAre(HasSubstr("truncated inside b.txt")));
    const auto between = listed(tar.substr(0, 512 + 1024));
    EXPECT_THAT(between.problems, ElementsAre(HasSubstr("has no end mark")));
    EXPECT_THAT(listed(tar.substr(0, 512 + 1024 + 40)).problems,
                ElementsAre(HasSubstr("is truncated at byte 1536")));
}

TEST(TarListing, TellsADamagedTarFromAnotherKindOfFile) {
    auto tar = tarOf({{"a.txt", "a"}, {"b.txt", "b"}});
    tar[1024 + 5] = 'X';
    const auto damaged = listed(tar);
    EXPECT_THAT(namesOf(damaged), ElementsAre("a.txt"));
    EXPECT_THAT(damaged.problems, ElementsAre(HasSubstr("is damaged at byte 1024")));
    EXPECT_THAT(listed(std::string(2048, 'z')).problems, ElementsAre(HasSubstr("is not a tar file")));
    EXPECT_THAT(listed("").problems, ElementsAre("is empty"));
    EXPECT_THROW(listTar("/no/such/file.tar"), Error);
}

/// Small, the same on every machine.
class Mutations {
public:
    std::uint64_t next() {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        return m_state ^= m_state << 17;
    }
    std::string changed(std::string bytes) {
        const auto changes = 1 + next() % 8;
        for (std::uint64_t i = 0; i < changes && !bytes.empty(); ++i) {
            const auto at = next() % bytes.size();
            switch (next() % 4) {
                case 0:
                    bytes[at] = static_cast<char>(next());
                    break;
                case 1:
                    bytes.resize(at);
                    break;
                case 2:
                    bytes.insert(at, 1 + next() % 600, static_cast<char>(next()));
                    break;
                default:
                    bytes[at] = static_cast<char>("\0\xff/.0789 ="[next() % 10]);
                    break;
            }
        }
        return bytes;
    }
    /// The sums of the headers put right again, so that changes reach what lies behind that check.
    std::string withSums(std::string tar) {
        for (std::size_t at = 0; at + 512 <= tar.size(); at += 512) {
            if (tar.compare(at + 257, 5, "ustar") != 0) continue;
            std::fill_n(tar.begin() + static_cast<std::ptrdiff_t>(at) + 148, 8, ' ');
            unsigned sum = 0;
            for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[at + i]);
            std::snprintf(tar.data() + at + 148, 8, "%06o", sum);
        }
        return tar;
    }

private:
    std::uint64_t m_state = 0x9e3779b97f4a7c15;
};

TEST(TarListing, OfTenThousandDamagedTarsNeverReachesOutsideOfThem) {
    std::string record = "30 path=a/very/long/name.mp4\n";
    record = std::to_string(record.size()) + record.substr(2);
    std::string pax = record;
    pax.resize(512);
    const auto good =
        tarHeader("Pax", record.size(), 'x') + pax + tarHeader("././@LongLink", 5, 'L') +
        std::string("long\0", 5) + std::string(507, '\0') +
        tarOf({{"k.mp4", std::string(700, 'm')}, {"k.txt", "hello"}, {"__meta__/x.json", "{}"}});
    Mutations mutations;
    for (int i = 0; i < 12'000; ++i) {
        auto tar = mutations.changed(good);
        if (i % 2) tar = mutations.withSums(std::move(tar));
        auto listing = listed(tar);
        for (const auto& member : listing.members) {
            ASSERT_LE(member.offset, tar.size());
            ASSERT_LE(member.bytes, tar.size() - member.offset);
        }
        groupSamples(listing, listing.problems);
    }
}

TEST(ShardSamples, AreGroupedByKeyAndEndingAsWebdatasetDoes) {
    EXPECT_EQ(keyAndExtension("a/b.c/000.seg.PNG"),
              (std::pair<std::string, std::string>("a/b.c/000", "seg.png")));
    EXPECT_EQ(keyAndExtension("README"), std::nullopt);
    EXPECT_EQ(keyAndExtension("a.b/README"), std::nullopt);
    EXPECT_EQ(keyAndExtension(".hidden"), std::nullopt);
    EXPECT_EQ(keyAndExtension("x/.y.z"), (std::pair<std::string, std::string>("x/", "y.z")));
    EXPECT_EQ(keyAndExtension("x.y/.z"), std::nullopt);

    auto listing = listed(tarOf({{"a.mp4", "1"},
                                 {"a.txt", "2"},
                                 {"README", ""},
                                 {"__meta__/a.txt", "3"},
                                 {"b.mp4", "4"},
                                 {"b.MP4", "5"},
                                 {"a.mp4", "6"}}));
    const auto samples = groupSamples(listing, listing.problems);
    ASSERT_EQ(samples.size(), 3U) << "a key that comes back later is another sample";
    EXPECT_EQ(samples[0].key, "a");
    EXPECT_EQ(samples[0].members.size(), 2U);
    EXPECT_TRUE(samples[0].find("txt"));
    EXPECT_FALSE(samples[0].find("json"));
    EXPECT_EQ(samples[1].members.size(), 1U);
    EXPECT_THAT(listing.problems, ElementsAre(HasSubstr("b.MP4 twice")));
}

TEST(ShardFiles, ComeFromPatternsListsAndFolders) {
    const ListObjects list = [](const std::string& url) {
        return std::vector<std::string>{url + "a.tar", url + "b.TAR", url + "c.txt", url + "deep/d.tar"};
    };
    EXPECT_THAT(shardNames({"s3://clips/set/", "https://store/{0..1}.tar?signed"}, list),
                ElementsAre("s3://clips/set/a.tar", "s3://clips/set/b.TAR", "https://store/0.tar?signed",
                            "https://store/1.tar?signed"));
    EXPECT_THAT(shardNames({"/d/{008..011}.tar", "/e/{a,b}{1..2}.tar", "/f.tar"}, list),
                ElementsAre("/d/008.tar", "/d/009.tar", "/d/010.tar", "/d/011.tar", "/e/a1.tar", "/e/a2.tar",
                            "/e/b1.tar", "/e/b2.tar", "/f.tar"));
    const TemporaryFolder folder;
    for (const auto* name : {"b.tar", "a.tar", "notes.txt"}) writeFileAtomically(folder.path() / name, "");
    EXPECT_THAT(shardNames({folder.path().string()}, list),
                ElementsAre((folder.path() / "a.tar").string(), (folder.path() / "b.tar").string()));
    const TemporaryFolder empty;
    for (const auto& wrong : std::vector<std::vector<std::string>>{{"/d/{0..x}.tar"},
                                                                   {"/d/{5}.tar"},
                                                                   {"/d/{1..2.tar"},
                                                                   {"/d/{0..99999999999}.tar"},
                                                                   {""},
                                                                   {"/a.tar", "/b/../a.tar"},
                                                                   {empty.path().string()}})
        EXPECT_THROW(shardNames(wrong, list), InputError) << testing::PrintToString(wrong);
}

}  // namespace
}  // namespace dailies::trainer
