// PSNR and SSIM for the peer's script: `similarity_tool WIDTH HEIGHT A B` reads two pictures, raw bytes R, G,
// B, and prints both numbers as one JSON document.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/quality/similarity.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

using namespace dailies;

std::vector<std::uint32_t> pixelsOf(const std::string& bytes) {
    std::vector<std::uint32_t> pixels;
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
        const auto channel = [&](std::size_t at) {
            return std::uint32_t{static_cast<std::uint8_t>(bytes[i + at])};
        };
        pixels.push_back(0xff000000u | channel(0) << 16 | channel(1) << 8 | channel(2));
    }
    return pixels;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: similarity_tool WIDTH HEIGHT A B\n";
        return 2;
    }
    try {
        const int width = std::atoi(argv[1]), height = std::atoi(argv[2]);
        const auto a = pixelsOf(readFile(argv[3])), b = pixelsOf(readFile(argv[4]));
        const quality::PictureView one{a.data(), width, height, width}, other{b.data(), width, height, width};
        std::cout << Json{{"psnr", numberToJson(quality::psnr(one, other))},
                          {"ssim", numberToJson(quality::ssim(quality::lumaOf(one), quality::lumaOf(other)))}}
                  << "\n";
    } catch (const Error& error) {
        std::cerr << error.full() << "\n";
        return 1;
    }
}
