#include "tests/trainer/data/shards.h"

#include "core/base/files.h"
#include "trainer/data/array.h"

#include <cstdio>
#include <cstring>

namespace dailies::trainer {

std::string tarHeader(const std::string& name, std::uint64_t bytes, char type) {
    std::string block(512, '\0');
    name.copy(block.data(), 100);
    std::memcpy(block.data() + 100, "0000644", 7);
    std::snprintf(block.data() + 124, 12, "%011llo", static_cast<unsigned long long>(bytes));
    std::memcpy(block.data() + 136, "00000000000", 11);
    std::memset(block.data() + 148, ' ', 8);
    block[156] = type;
    std::memcpy(block.data() + 257,
                "ustar\0"
                "00",
                8);
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    std::snprintf(block.data() + 148, 8, "%06o", sum);
    return block;
}

std::string tarOf(const Members& members) {
    std::string tar;
    for (const auto& [name, bytes] : members) {
        tar += tarHeader(name, bytes.size()) + bytes;
        tar.resize((tar.size() + 511) / 512 * 512);
    }
    return tar + std::string(1024, '\0');
}

std::string videoBytes(int frames, int width, int height, double fps) {
    const TemporaryFolder folder;
    std::vector<video::Frame> pictures;
    for (int t = 0; t < frames; ++t)
        pictures.push_back({width, height,
                            std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3),
                                                      static_cast<std::uint8_t>(20 + 4 * t))});
    return readFile(video::writeClip(folder.path() / "clip.mp4", pictures, {.fps = fps}));
}

double frameNumber(std::uint8_t pixel) {
    return (pixel - 20) / 4.0;
}

std::string npyOf(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    const auto list = shapeText(shape);
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + list.substr(1, list.size() - 2) + ",), }";
    header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
    header.back() = '\n';
    const auto length = header.size();
    const std::string magic = {'\x93',
                               'N',
                               'U',
                               'M',
                               'P',
                               'Y',
                               1,
                               0,
                               static_cast<char>(length & 255),
                               static_cast<char>(length >> 8)};
    return magic + header +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

}  // namespace dailies::trainer
