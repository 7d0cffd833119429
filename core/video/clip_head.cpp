#include "core/video/clip_head.h"

#include "core/video/packet_index.h"

namespace dailies::video {

std::optional<std::uint64_t> firstPictureEnd(const std::filesystem::path& file) {
    try {
        const VideoLocation location{file};
        const InputPtr input = openInput(location);
        const int stream = selectVideoStream(*input, location);
        const AVIndexEntry* first = avformat_index_get_entry(input->streams[stream], 0);
        if (!first || first->pos < 0 || first->size <= 0) return std::nullopt;
        return static_cast<std::uint64_t>(first->pos) + static_cast<std::uint64_t>(first->size);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace dailies::video
