#include "core/video/caption_beside.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <cctype>
#include <fstream>

namespace dailies::video {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestCaption = 64 << 10;

std::string firstBytes(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes(kLongestCaption, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
}

std::string captionInJson(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return {};
    for (const char* key : {"prompt", "caption", "text"})
        if (const auto at = json.find(key); at != json.end() && at->is_string())
            return at->get<std::string>();
    return {};
}

}  // namespace

std::optional<std::string> captionBeside(const fs::path& video) {
    std::error_code failure;
    for (const char* ending : {".txt", ".caption", ".json"}) {
        const auto file = fs::path(video).replace_extension(ending);
        if (!fs::is_regular_file(file, failure)) continue;
        auto text = firstBytes(file);
        if (std::string_view(ending) == ".json") text = captionInJson(text);
        text = captionLine(text);
        if (!text.empty()) return text;
    }
    return std::nullopt;
}

std::string captionLine(std::string_view text) {
    std::string line;
    for (const char c : text.substr(0, kLongestCaption)) {
        const bool isSpace = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!isSpace)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return trim(std::move(line));
}

}  // namespace dailies::video
