// What a person waits for before there is something to see: the pictures of a thousand clips that wait, and
// of one large clip that is opened, over a network of 20 ms; beside fetching the whole files.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/video/clip_file.h"
#include "core/video/clip_head.h"
#include "core/video/clip_part.h"
#include "remote/follow/clip_mirror.h"
#include "remote/sandbox/sandbox.h"
#include "tests/support/delay_relay.h"

#include <chrono>
#include <cstdio>
#include <functional>
#include <random>

namespace {

using namespace dailies;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kClips = 1000;
constexpr auto kRoundTrip = std::chrono::milliseconds(20);
constexpr remote::MirrorLimits kRoomy{.bytes = 1ull << 40, .minFreeBytes = 0};

class AcceptsAll : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Once; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Noise, which does not compress: its size depends on little else than its pictures'.
fs::path noise(const fs::path& file, int frames, int size) {
    std::minstd_rand random(1);
    std::vector<video::Frame> pictures;
    video::Frame picture{size, size, std::vector<std::uint8_t>(std::size_t{3} * size * size)};
    for (int n = 0; n < frames; ++n) {
        for (auto& value : picture.rgb) value = static_cast<std::uint8_t>(random());
        pictures.push_back(picture);
    }
    return video::writeClip(file, pictures, {});
}

int run() {
    const TemporaryFolder folder("mirror-bench");
    const auto place = folder.path() / "s";
    struct Cleanup {
        fs::path place;
        ~Cleanup() { remote::sandbox::down(place); }
    } cleanup{place};
    auto profile = *remote::sandbox::up({.folder = place}).profile;
    const DelayRelay relay(profile.port, kRoundTrip);
    profile.port = relay.port();
    profile.knownHostsFile = (folder.path() / "known_hosts").string();
    AcceptsAll prompter;
    remote::Cluster cluster(profile, prompter);

    tracking::Store store(folder.path() / "dailies.db");
    const fs::path mirror = folder.path() / "mirror";
    tracking::Run made;
    made.id = newId();
    made.experiment = "bench";
    made.tags[tracking::tag::kCluster] = profile.name;
    store.createRun(made);
    const fs::path runs = fs::path(cluster.workspace()) / "runs" / made.id / "clips";
    fs::create_directories(runs);
    const auto small = noise(folder.path() / "small.mp4", 12, 256);
    std::vector<events::Event> events;
    const auto announce = [&](const fs::path& file, const std::string& name) {
        fs::create_hard_link(file, runs / name);
        events::Clip clip;
        clip.step = static_cast<std::int64_t>(events.size()) + 1;
        clip.path = "clips/" + name;
        const auto seq = static_cast<std::int64_t>(events.size()) + 1;
        events.push_back({seq, 1, 1000, clip});
    };
    for (int i = 0; i < kClips; ++i) announce(small, std::to_string(i) + ".mp4");
    store.ingest(made.id, events, kClips);

    remote::ClipMirror clips(cluster, store, mirror, kRoomy);
    auto begin = Clock::now();
    bool more = clips.fetch({}).more;
    const double heads = secondsSince(begin);
    int shown = 0;
    for (int i = 0; i < kClips; ++i)
        shown += video::partOf(mirror / made.id / "clips" / (std::to_string(i) + ".mp4")).has_value();
    begin = Clock::now();
    while (more) more = clips.fetch({}).more;
    std::printf(
        "%d clips of %.0f kB, 20 ms: a picture of %d in %.2f s; all of them whole after that in %.2f s\n",
        kClips, static_cast<double>(fs::file_size(small)) / 1e3, shown, heads, secondsSince(begin));

    const auto large = noise(folder.path() / "large.mp4", 300, 512);
    announce(large, "large.mp4");
    store.ingest(made.id, {events.back()}, kClips + 1);
    const auto needed = *video::firstPictureEnd(large);
    double first = 0;
    begin = Clock::now();
    clips.fetchOne(made.id, "clips/large.mp4",
                   [&](std::uint64_t done, std::uint64_t) {
                       if (first == 0 && done >= needed) first = secondsSince(begin);
                   },
                   {});
    std::printf("a clip of %.0f MB opened, 20 ms: its first picture in %.2f s, whole in %.2f s\n",
                static_cast<double>(fs::file_size(large)) / 1e6, first, secondsSince(begin));
    return 0;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
