// Prints what the trainer finds in tars, for a Python peer to compare: a line of JSON a sample.
//   webdataset_tool list SHARD.tar …       {"key": …, "members": {ending: [offset, bytes]}}; also of URLs
//   webdataset_tool objects s3://…         the URLs that begin so
//   webdataset_tool upload FILE s3://…     nothing: writes the object, in parts of 6 MiB where the file is larger
//   webdataset_tool remove s3://…          nothing: removes the object
//   webdataset_tool clip SHARD.tar KEY.mp4 FRAMES FPS      raw RGB of the first clip, in the video's size
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/objects/object_reader.h"
#include "core/objects/object_writer.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/data/shard_samples.h"

#include <algorithm>
#include <iostream>

namespace dailies::trainer {

namespace {

TarListing listingOf(const std::string& shard) {
    if (!objects::isObjectUrl(shard)) return listTar(shard);
    objects::ObjectReader reader(objects::s3Access());
    const auto facts = reader.facts(shard);
    return listTar(
        [&](std::uint64_t offset, char* into, std::size_t count) {
            const auto bytes =
                reader.read(shard, offset, std::min<std::uint64_t>(count, facts.bytes - offset), facts.stamp);
            std::ranges::copy(bytes, into);
            return bytes.size();
        },
        facts.bytes);
}

void list(const std::string& shard) {
    auto listing = listingOf(shard);
    for (const auto& sample : groupSamples(listing, listing.problems)) {
        Json members = Json::object();
        for (const auto& member : sample.members) members[member.name] = {member.offset, member.bytes};
        std::cout << Json{{"key", sample.key}, {"members", std::move(members)}}.dump() << '\n';
    }
    for (const auto& problem : listing.problems) std::cerr << shard << ' ' << problem << '\n';
}

void clip(const std::string& shard, const std::string& name, int frames, double fps) {
    for (const auto& member : listTar(shard).members) {
        if (member.name != name) continue;
        video::ClipReader reader(video::VideoLocation{shard, member.offset, member.bytes, name});
        const auto clip =
            cutClip(reader, framesByTime(reader, 0, fps, frames), reader.info().height, reader.info().width);
        std::cout.write(reinterpret_cast<const char*>(clip.rgb.data()),
                        static_cast<std::streamsize>(clip.rgb.size()));
    }
}

}  // namespace

}  // namespace dailies::trainer

int main(int count, char** words) {
    const std::vector<std::string> all(words + 1, words + count);
    try {
        if (all.size() >= 2 && all[0] == "list") {
            for (auto shard = all.begin() + 1; shard != all.end(); ++shard) dailies::trainer::list(*shard);
        } else if (all.size() == 2 && all[0] == "objects") {
            for (const auto& object :
                 dailies::objects::ObjectReader(dailies::objects::s3Access()).list(all[1]))
                std::cout << object.url << '\n';
        } else if (all.size() == 3 && all[0] == "upload") {
            constexpr std::uint64_t kPartBytes = 6 << 20;
            dailies::objects::ObjectWriter(dailies::objects::s3Access(), {}, std::chrono::minutes(1),
                                           kPartBytes)
                .upload(all[1], all[2]);
        } else if (all.size() == 2 && all[0] == "remove") {
            dailies::objects::ObjectWriter(dailies::objects::s3Access()).remove(all[1]);
        } else if (all.size() == 5 && all[0] == "clip") {
            dailies::trainer::clip(all[1], all[2], std::stoi(all[3]), std::stod(all[4]));
        } else {
            return 2;
        }
        return 0;
    } catch (const dailies::Error& error) {
        std::cerr << error.full() << '\n';
        return 1;
    }
}
