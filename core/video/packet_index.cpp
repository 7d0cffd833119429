#include "core/video/packet_index.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <system_error>

namespace dailies::video {

namespace {

std::string cannotRead(const VideoLocation& location) {
    return "Cannot read the video " + location.text() + ": ";
}

/// Whether the header alone says all that decoding needs. Otherwise libav reads on and decodes until it
/// knows, which is most of the time that opening a clip takes. MP4 and MOV hold the decoder's parameters in
/// front and give every packet its times; of what else libav would find out, the decoder learns the pixel
/// format from the first picture, and the packets' times say the rate.
bool isSelfContained(const AVFormatContext& input) {
    if (!std::strstr(input.iformat->name, "mp4")) return false;
    int videos = 0;
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVCodecParameters& parameters = *input.streams[i]->codecpar;
        if (parameters.codec_type != AVMEDIA_TYPE_VIDEO) continue;
        const bool known = parameters.codec_id == AV_CODEC_ID_H264 || parameters.codec_id == AV_CODEC_ID_HEVC;
        if (!known || parameters.width <= 0 || parameters.height <= 0 || parameters.extradata_size <= 0)
            return false;
        ++videos;
    }
    return videos == 1;
}

/// What libav opens. "file:" keeps it from taking a name such as "a:b.mp4" for a protocol; "subfile" is its
/// own way to read a part of a file as if it were one.
std::string urlOf(const VideoLocation& location, std::uint64_t end) {
    const std::string whole = "file:" + location.file.string();
    if (location.offset == 0 && !location.bytes) return whole;
    return "subfile,,start," + std::to_string(location.offset) + ",end," + std::to_string(end) +
           ",,:" + whole;
}

bool isPictureName(const std::string& name) {
    static const std::set<std::string> kEndings = {".png", ".jpg", ".jpeg", ".webp", ".bmp"};
    return kEndings.contains(lowered(std::filesystem::path(name).extension().string()));
}

/// The ending of the pictures in a folder, as the first by name has it.
std::string pictureEnding(const VideoLocation& folder) {
    namespace fs = std::filesystem;
    std::error_code problem;
    std::string first;
    for (fs::directory_iterator at(folder.file, problem), end; !problem && at != end; at.increment(problem)) {
        const auto name = at->path().filename().string();
        if (isPictureName(name) && (first.empty() || name < first)) first = name;
    }
    if (problem) throw Error(cannotRead(folder) + problem.message() + ".");
    if (first.empty())
        throw Error(cannotRead(folder) + "the folder holds no pictures.",
                    "Name a video, or a folder of PNG or JPEG pictures, one a frame.");
    return fs::path(first).extension().string();
}

/// All pictures of a folder as one stream, by libav's reader of such. Its pattern takes some characters of a
/// name for its own.
InputPtr openPictures(const VideoLocation& folder) {
    std::string pattern;
    for (const char c : (folder.file / "").string()) {
        if (std::strchr("*?[]{}\\", c)) pattern += '\\';
        pattern += c;
    }
    pattern += "*" + pictureEnding(folder);
    AVDictionary* options = nullptr;
    av_dict_set(&options, "pattern_type", "glob", 0);
    AVFormatContext* opened = nullptr;
    const int result =
        avformat_open_input(&opened, pattern.c_str(), av_find_input_format("image2"), &options);
    av_dict_free(&options);
    if (result < 0)
        throw Error(cannotRead(folder) + "its pictures are invalid (" + libavReason(result) + ").");
    InputPtr input(opened);
    if (const int found = avformat_find_stream_info(input.get(), nullptr); found < 0)
        throw Error(cannotRead(folder) + "its pictures are invalid (" + libavReason(found) + ").");
    return input;
}

}  // namespace

InputPtr openInput(const VideoLocation& location) {
    silenceLibav();
    std::error_code missing;
    if (std::filesystem::is_directory(location.file, missing)) return openPictures(location);
    const std::uint64_t fileBytes = std::filesystem::file_size(location.file, missing);
    if (missing) throw Error(cannotRead(location) + missing.message() + ".");
    const auto first = std::min(location.offset, fileBytes);
    const auto bytes = std::min(location.bytes.value_or(fileBytes), fileBytes - first);
    if (bytes == 0)
        throw Error(cannotRead(location) + "the file is empty.",
                    "If it is still being written, try again later.");

    AVFormatContext* opened = nullptr;
    const std::string url = urlOf(location, first + bytes);
    int result = AVERROR_INVALIDDATA;
    // What is called MP4 mostly is: trying the other three hundred formats takes a third of opening it.
    if ((location.name.empty() ? location.file : std::filesystem::path(location.name)).extension() == ".mp4")
        result = avformat_open_input(&opened, url.c_str(), av_find_input_format("mp4"), nullptr);
    if (result < 0) result = avformat_open_input(&opened, url.c_str(), nullptr, nullptr);
    if (result < 0) {
        if (result == AVERROR(EACCES)) throw Error(cannotRead(location) + "permission denied.");
        throw Error(cannotRead(location) + "it is not a video that FFmpeg knows, or it is truncated (" +
                        std::to_string(bytes) + " bytes, " + libavReason(result) + ").",
                    "If it is still being written or copied, try again later.");
    }
    InputPtr input(opened);
    if (isSelfContained(*input)) {
        // Nor need its packets be taken apart to learn what the container says of each.
        input->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
        return input;
    }
    result = avformat_find_stream_info(input.get(), nullptr);
    if (result < 0)
        throw Error(cannotRead(location) + "its streams are invalid (" + libavReason(result) + ").");
    return input;
}

int selectVideoStream(AVFormatContext& input, const VideoLocation& location) {
    if (input.nb_streams == 0)
        throw Error(cannotRead(location) + "it is truncated before its stream headers.",
                    "If it is still being written or copied, try again later.");
    const int selected = av_find_best_stream(&input, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    // The cover art of a song counts as video for libav.
    if (selected < 0 || (input.streams[selected]->disposition & AV_DISPOSITION_ATTACHED_PIC))
        throw Error(cannotRead(location) + "it has no video stream.");
    for (unsigned i = 0; i < input.nb_streams; ++i)
        if (static_cast<int>(i) != selected) input.streams[i]->discard = AVDISCARD_ALL;
    return selected;
}

PacketIndex::PacketIndex(AVFormatContext& input, int stream) {
    std::vector<int> shown;
    const PacketPtr packet(av_packet_alloc());
    for (; av_read_frame(&input, packet.get()) >= 0; av_packet_unref(packet.get())) {
        // A packet that the file's end cuts through is marked corrupt: half a picture is no frame.
        if (packet->stream_index != stream || (packet->flags & AV_PKT_FLAG_CORRUPT)) continue;
        const int number = static_cast<int>(m_packets.size());
        Packet entry{.pts = packet->pts, .dts = packet->dts, .key = (packet->flags & AV_PKT_FLAG_KEY) != 0};
        m_hasTimes &= entry.pts != AV_NOPTS_VALUE;
        m_packets.push_back(entry);
        m_byPlace.emplace(std::pair(packet->pos, packet->dts), number);
        if (!(packet->flags & AV_PKT_FLAG_DISCARD)) shown.push_back(number);
    }
    if (m_hasTimes)
        std::stable_sort(shown.begin(), shown.end(),
                         [&](int a, int b) { return m_packets[a].pts < m_packets[b].pts; });
    setOrder(std::move(shown));
}

void PacketIndex::setOrder(std::vector<int> packetsAsShown) {
    m_packetOfFrame = std::move(packetsAsShown);
    for (Packet& packet : m_packets) packet.shownAs = kNotShown;
    for (int n = 0; n < frames(); ++n) m_packets[m_packetOfFrame[n]].shownAs = n;
}

int PacketIndex::decodeStartFor(int frame) const {
    const int wanted = packetOfFrame(frame);
    for (int start = wanted; start > 0; --start)
        if (m_packets[start].key && m_packets[start].shownAs <= frame) return start;
    return 0;
}

int PacketIndex::keyBefore(int packet) const {
    do {
        --packet;
    } while (packet > 0 && !m_packets[packet].key);
    return std::max(packet, 0);
}

std::optional<int> PacketIndex::find(const AVPacket& packet) const {
    const auto found = m_byPlace.find({packet.pos, packet.dts});
    if (found == m_byPlace.end()) return std::nullopt;
    return found->second;
}

double PacketIndex::averageRate(AVRational timeBase) const {
    if (frames() < 2 || !m_hasTimes) return 0;
    const double span = static_cast<double>(m_packets[m_packetOfFrame.back()].pts) -
                        static_cast<double>(m_packets[m_packetOfFrame.front()].pts);
    return span > 0 ? (frames() - 1) / (span * av_q2d(timeBase)) : 0;
}

}  // namespace dailies::video
