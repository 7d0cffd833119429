// Many files at once, over networks that break and from folders that hold anything.
#include "tests/remote/ssh/transfer_fixture.h"

#include <algorithm>
#include <sys/stat.h>

namespace dailies::remote::ssh {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kFiles = 1000;

class BatchTest : public TransferTest {
protected:
    /// A thousand files of different sizes in ten folders, some of them empty.
    std::map<std::string, std::string> makeFiles(const fs::path& folder, int count = kFiles) {
        std::map<std::string, std::string> files;
        for (int i = 0; i < count; ++i) {
            const auto name = "step-" + std::to_string(i % 10) + "/clip-" + std::to_string(i) + ".mp4";
            files[name] = noise(static_cast<std::size_t>(i * 37 % 20'000));
            fs::create_directories((folder / name).parent_path());
            std::ofstream(folder / name, std::ios::binary) << files[name];
        }
        return files;
    }
    static std::map<std::string, std::string> filesIn(const fs::path& folder) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                files[entry.path().lexically_relative(folder).string()] = readFile(entry.path());
        return files;
    }
    /// What a caller asks for after looking.
    std::vector<BatchFile> wanted(Session& session, const fs::path& from, const fs::path& to) {
        std::vector<BatchFile> files;
        for (const auto& [name, stat] : session.listTree(from.string(), 4))
            if (!fs::exists(to / name)) files.push_back({name, to / name, stat.size});
        return files;
    }
};

TEST_F(BatchTest, AThousandFilesComeInAFewRoundTripsAndAreEqual) {
    const auto files = makeFiles(path("there"));
    DelayRelay relay(s_server->port(), 50ms);
    const auto session = connectBy(relay);
    const auto begin = Clock::now();
    std::uint64_t last = 0, all = 0;
    const auto arrivals =
        session->downloadAll(path("there").string(), wanted(*session, path("there"), path("here")), {},
                             [&](std::uint64_t done, std::uint64_t total) {
                                 EXPECT_GE(done, last);
                                 last = done;
                                 all = total;
                             });
    EXPECT_LT(Clock::now() - begin, 50ms * kFiles) << "no file waits for an answer";
    EXPECT_EQ(arrivals.size(), std::size_t{kFiles});
    EXPECT_THAT(arrivals, Each(TransferResult::Complete));
    EXPECT_EQ(last, all);
    EXPECT_TRUE(filesIn(path("here")) == files);
}

TEST_F(BatchTest, AThousandFilesGoInAFewRoundTripsAndAreEqual) {
    const auto files = makeFiles(path("here"));
    DelayRelay relay(s_server->port(), 50ms);
    const auto session = connectBy(relay);
    const auto begin = Clock::now();
    session->uploadFolder(path("here"), path("there").string());
    EXPECT_LT(Clock::now() - begin, 50ms * kFiles);
    EXPECT_TRUE(filesIn(path("there")) == files);
    EXPECT_THAT(othersThan({"here", "there", "known_hosts"}), IsEmpty());
}

TEST_F(BatchTest, WhatCameBeforeTheConnectionBrokeNeedNotComeAgain) {
    auto files = makeFiles(path("there"));
    files["weights.bin"] = noise(40'000'000);  // more than what connections hold on the way
    writeFileAtomically(path("there") / "weights.bin", files["weights.bin"]);
    DelayRelay relay(s_server->port(), 2ms);
    const auto cut = failureOf([&] {
        const auto session = connectBy(relay);
        auto all = wanted(*session, path("there"), path("here"));
        std::ranges::sort(all, {}, &BatchFile::size);  // the large one last
        session->downloadAll(path("there").string(), all, {}, [&](std::uint64_t done, std::uint64_t total) {
            if (done > total / 2) relay.cut();
        });
    });
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->failure(), Failure::Lost);
    for (const auto& [name, content] : filesIn(path("here"))) {
        if (name.ends_with(".part")) continue;  // the large one goes on from it
        EXPECT_TRUE(files.contains(name) && files.at(name) == content) << name << " is not whole";
    }
    const auto session = connectBy(relay);
    const auto rest = wanted(*session, path("there"), path("here"));
    EXPECT_LT(rest.size(), std::size_t{kFiles} * 9 / 10);
    EXPECT_TRUE(std::ranges::any_of(rest, [](const auto& file) { return file.name == "weights.bin"; }));
    EXPECT_THAT(session->downloadAll(path("there").string(), rest), Each(TransferResult::Complete));
    EXPECT_TRUE(filesIn(path("here")) == files);
}

TEST_F(BatchTest, AnUploadThatBrokeShowsNothingAndGoesOnWithWhatHadArrived) {
    const auto files = makeFiles(path("here"));
    writeFileAtomically(path("here") / "weights.bin", noise(20'000'000));
    DelayRelay relay(s_server->port(), 2ms);
    const auto cut = failureOf([&] {
        connectBy(relay)->uploadFolder(path("here"), path("there").string(), {},
                                       [&](std::uint64_t done, std::uint64_t total) {
                                           if (done > total * 3 / 4) relay.cut();  // within the large file
                                       });
    });
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->failure(), Failure::Lost);
    EXPECT_FALSE(fs::exists(path("there"))) << "a part of a dataset is none";
    std::uint64_t before = relay.relayed();
    connectBy(relay)->uploadFolder(path("here"), path("there").string());
    EXPECT_LT(relay.relayed() - before, 15'000'000u) << "the small ones were there";
    EXPECT_TRUE(filesIn(path("there")) == filesIn(path("here")));
    before = relay.relayed();
    connectBy(relay)->uploadFolder(path("here"), path("there").string());
    EXPECT_LT(relay.relayed() - before, 1'000'000u)
        << "nothing that is there with the same bytes is sent again";
    EXPECT_THAT(othersThan({"here", "there", "known_hosts"}), IsEmpty());
}

TEST_F(BatchTest, AFolderThatIsThereKeepsWhatItHasAndTakesWhatChanged) {
    makeFiles(path("here"), 20);
    fs::create_directories(path("there"));
    writeFileAtomically(path("there") / "own.txt", "theirs");
    writeFileAtomically(path("there") / "step-1/clip-1.mp4", "an older one");
    DelayRelay relay(s_server->port(), 0ms);
    connectBy(relay)->uploadFolder(path("here"), path("there").string());
    auto expected = filesIn(path("here"));
    expected["own.txt"] = "theirs";
    EXPECT_TRUE(filesIn(path("there")) == expected);
}

TEST_F(BatchTest, NamesMayHoldWhateverAFileSystemTakes) {
    const std::vector<std::string> names{"it's \"odd\" $(id) `id`;&|",
                                         "-rf",
                                         "--",
                                         "two\nlines",
                                         "back\\slash\\n",
                                         "żółć 日本 🎬",
                                         " spaces ",
                                         "*?[a-z]{1,2}~#%!",
                                         "tab\t",
                                         "\x1b]0;x\x07",
                                         std::string(200, 'n')};
    for (const auto& name : names) {
        fs::create_directories(path("here") / name);
        writeFileAtomically(path("here") / name / name, name);
    }
    DelayRelay relay(s_server->port(), 0ms);
    const auto session = connectBy(relay);
    session->uploadFolder(path("here"), path("there $(x) 'y'").string());
    EXPECT_TRUE(filesIn(path("there $(x) 'y'")) == filesIn(path("here")));
    const auto arrivals = session->downloadAll(path("there $(x) 'y'").string(),
                                               wanted(*session, path("there $(x) 'y'"), path("back")));
    EXPECT_THAT(arrivals, Each(TransferResult::Complete));
    EXPECT_TRUE(filesIn(path("back")) == filesIn(path("here")));
}

TEST_F(BatchTest, LinksAreFilesAndDevicesPipesAndFoldersAreNone) {
    fs::create_directories(path("there") / "folder");
    writeFileAtomically(path("there") / "real", "content");
    fs::create_symlink("real", path("there") / "link");
    fs::create_hard_link(path("there") / "real", path("there") / "twin");
    fs::create_symlink("/dev/zero", path("there") / "endless");
    fs::create_symlink("nowhere", path("there") / "broken");
    fs::create_symlink("..", path("there") / "folder/up");
    ASSERT_EQ(::mkfifo((path("there") / "pipe").c_str(), 0600), 0);
    DelayRelay relay(s_server->port(), 0ms);
    const auto session = connectBy(relay);
    std::vector<std::string> listed;
    for (const auto& entry : session->listTree(path("there").string(), 3)) listed.push_back(entry.name);
    EXPECT_THAT(listed, ElementsAre("link", "real", "twin"));
    std::vector<BatchFile> files;
    for (const char* name : {"real", "link", "twin", "endless", "broken", "pipe", "folder", "absent"})
        files.push_back({name, path("here") / name, 7});
    const auto arrivals = session->downloadAll(path("there").string(), files);
    for (std::size_t i = 0; i < files.size(); ++i)
        EXPECT_EQ(arrivals[i] == TransferResult::Complete, i < 3) << files[i].name;
    EXPECT_EQ(filesIn(path("here")).size(), 3u);
}

TEST_F(BatchTest, AFileThatIsNotWhatItWasIsNotTakenForWhole) {
    fs::create_directories(path("there"));
    writeFileAtomically(path("there") / "grown", "more than was seen");
    DelayRelay relay(s_server->port(), 0ms);
    EXPECT_THAT(connectBy(relay)->downloadAll(path("there").string(), {{"grown", path("here") / "grown", 4}}),
                ElementsAre(TransferResult::Changed));
    EXPECT_FALSE(fs::exists(path("here") / "grown"));
}

TEST_F(BatchTest, ANetworkThatSwallowsEverythingIsNoticed) {
    constexpr std::chrono::seconds kTimeout{3};
    makeFiles(path("there"));
    for (const bool down : {true, false}) {
        DelayRelay relay(s_server->port(), 2ms);
        const auto session = connectBy(relay, kTimeout);
        const auto files = wanted(*session, path("there"), path("here"));
        Clock::time_point swallowed;
        const auto progress = [&](std::uint64_t done, std::uint64_t) {
            if (done < 1'000'000 || swallowed != Clock::time_point()) return;
            swallowed = Clock::now();
            relay.swallow();
        };
        const auto failure = failureOf([&] {
            if (down)
                session->downloadAll(path("there").string(), files, {}, progress);
            else
                session->uploadFolder(path("there"), path("copy").string(), {}, progress);
        });
        EXPECT_LT(Clock::now() - swallowed, 10s);  // a busy machine adds seconds
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->failure(), Failure::Lost) << failure->full();
    }
}

TEST_F(BatchTest, ItCanBeCancelled) {
    makeFiles(path("there"));
    DelayRelay relay(s_server->port(), 2ms);
    const auto session = connectBy(relay);
    std::stop_source stop;
    EXPECT_THROW(session->downloadAll(path("there").string(), wanted(*session, path("there"), path("here")),
                                      stop.get_token(),
                                      [&](std::uint64_t done, std::uint64_t) {
                                          if (done > 100'000) stop.request_stop();
                                      }),
                 Cancelled);
    for (const auto& [name, content] : filesIn(path("here"))) EXPECT_FALSE(name.ends_with(".part"));
}

TEST_F(BatchTest, ADiskThatTakesNoMoreIsSaidInItsWords) {
    makeFiles(path("here"), 3);
    DelayRelay relay(s_server->port(), 0ms);
    const auto failure =
        failureOf([&] { connectBy(relay)->uploadFolder(path("here"), "/proc/no-such-folder/dataset"); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->failure(), Failure::Remote);
    EXPECT_THROW(connectBy(relay)->uploadFolder(path("nowhere"), path("there").string()), InputError);
    fs::create_directories(path("empty"));
    EXPECT_THROW(connectBy(relay)->uploadFolder(path("empty"), path("there").string()), InputError);
}

}  // namespace
}  // namespace dailies::remote::ssh
