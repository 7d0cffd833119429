// Files over networks that break.
#include "tests/remote/ssh/transfer_fixture.h"

namespace dailies::remote::ssh {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSize = 40'000'000;

TEST_F(TransferTest, ADownloadThatWasCutOffGoesOnWhereItEnded) {
    writeFileAtomically(path("there"), noise(kSize));
    DelayRelay relay(s_server->port(), 2ms);
    const auto cut = failureOf([&] {
        connectBy(relay)->download(path("there"), path("here"), {}, [&](std::uint64_t done, std::uint64_t) {
            if (done > kSize / 2) relay.cut();
        });
    });
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->failure(), Failure::Lost);
    EXPECT_FALSE(fs::exists(path("here")));
    std::optional<std::uint64_t> first;
    connectBy(relay)->download(path("there"), path("here"), {}, [&](std::uint64_t done, std::uint64_t) {
        if (!first) first = done;
    });
    EXPECT_GT(*first, kSize / 2);
    EXPECT_TRUE(readFile(path("here")) == noise(kSize));
    EXPECT_THAT(othersThan({"there", "here"}), testing::IsEmpty());
}

TEST_F(TransferTest, AnUploadThatWasCutOffGoesOnWhereItEnded) {
    writeFileAtomically(path("here"), noise(kSize));
    DelayRelay relay(s_server->port(), 2ms);
    const auto cut = failureOf([&] {
        connectBy(relay)->upload(path("here"), path("there"), 0644, {},
                                 [&](std::uint64_t done, std::uint64_t) {
                                     if (done > kSize / 2) relay.cut();
                                 });
    });
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->failure(), Failure::Lost);
    EXPECT_FALSE(fs::exists(path("there")));
    std::optional<std::uint64_t> first;
    std::uint64_t last = 0;
    connectBy(relay)->upload(path("here"), path("there"), 0640, {},
                             [&](std::uint64_t done, std::uint64_t total) {
                                 if (!first) first = done;
                                 EXPECT_EQ(total, kSize);
                                 last = done;
                             });
    EXPECT_GT(*first, kSize / 4);
    EXPECT_EQ(last, kSize);
    EXPECT_TRUE(readFile(path("there")) == noise(kSize));
    EXPECT_THAT(othersThan({"there", "here"}), testing::IsEmpty());
}

TEST_F(TransferTest, APartThatWasSpoiltMeanwhileIsFoundByItsHash) {
    writeFileAtomically(path("there"), noise(kSize));
    DelayRelay relay(s_server->port(), 0ms);
    const auto session = connectBy(relay);
    std::stop_source stop;
    EXPECT_THROW(session->download(path("there"), path("here"), stop.get_token(),
                                   [&](std::uint64_t done, std::uint64_t) {
                                       if (done > kSize / 2) stop.request_stop();
                                   }),
                 Cancelled);
    const auto part = path(othersThan({"there"}).at(0));
    {
        std::fstream file(part, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(1000);
        file << "spoilt";
    }
    EXPECT_TRUE(failureOf([&] { session->download(path("there"), path("here")); }));
    EXPECT_FALSE(fs::exists(path("here")));
    session->download(path("there"), path("here"));
    EXPECT_TRUE(readFile(path("here")) == noise(kSize));
}

TEST_F(TransferTest, ANetworkThatSwallowsEverythingIsNoticedBothWays) {
    constexpr std::chrono::seconds kTimeout{3};
    writeFileAtomically(path("file"), noise(kSize));
    for (const bool down : {true, false}) {
        DelayRelay relay(s_server->port(), 2ms);
        const auto session = connectBy(relay, kTimeout);
        Clock::time_point swallowed;
        const auto progress = [&](std::uint64_t done, std::uint64_t) {
            if (done < kSize / 4 || swallowed != Clock::time_point()) return;
            swallowed = Clock::now();
            relay.swallow();
        };
        const auto failure = failureOf([&] {
            if (down)
                session->download(path("file"), path("copy"), {}, progress);
            else
                session->upload(path("file"), path("copy"), 0644, {}, progress);
        });
        EXPECT_LT(Clock::now() - swallowed, 10s);  // a busy machine adds seconds
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->failure(), Failure::Lost) << failure->full();
    }
}

TEST_F(TransferTest, TwoUploadsOfDifferentFilesToOneNameDoNotMix) {
    writeFileAtomically(path("a"), noise(kSize));
    writeFileAtomically(path("b"), noise(kSize / 2));
    DelayRelay relay(s_server->port(), 0ms);
    std::thread other([&] {
        ScriptedPrompter mine;
        mine.trust = Prompter::Trust::Once;
        Session({.host = "127.0.0.1",
                 .port = relay.port(),
                 .identityFile = s_key,
                 .knownHostsFile = path("kh"),
                 .readUserConfig = false},
                mine)
            .upload(path("a"), path("there"));
    });
    connectBy(relay)->upload(path("b"), path("there"));
    other.join();
    const auto arrived = readFile(path("there"));
    EXPECT_TRUE(arrived == noise(kSize) || arrived == noise(kSize / 2));
    EXPECT_THAT(othersThan({"a", "b", "there", "kh"}), testing::IsEmpty());
}

}  // namespace
}  // namespace dailies::remote::ssh
