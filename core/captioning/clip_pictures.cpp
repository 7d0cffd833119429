#include "core/captioning/clip_pictures.h"

#include "core/curation/clip_files.h"
#include "core/curation/clip_list.h"
#include "core/curation/crop.h"
#include "core/video/jpeg.h"

#include <algorithm>

namespace dailies::captioning {

std::vector<std::string> ClipPictures::jpegs(const curation::ClipRecord& clip, int count, int maxSide) {
    const auto own = m_folder / curation::kClipFolder / curation::clipFileName(clip);
    std::error_code unknown;
    const bool hasOwn = std::filesystem::exists(own, unknown);
    const auto file = hasOwn ? own : std::filesystem::path(clip.source);
    if (!m_reader || m_file != file) {
        m_reader.emplace(file);
        m_file = file;
    }
    const auto& info = m_reader->info();
    const int first = hasOwn ? 0 : clip.firstFrame;
    const int frames = hasOwn ? info.frames : clip.frames();
    const auto crop = hasOwn ? curation::Box{0, 0, info.width, info.height} : clip.crop;
    const auto small = curation::smallCrop(info, crop, maxSide);
    std::vector<std::string> jpegs;
    const int pictures = std::min(count, frames);
    for (int i = 0; i < pictures; ++i) {
        const int number = first + static_cast<int>((2LL * i + 1) * frames / (2LL * pictures));
        const auto frame = m_reader->frame(number, small.width, small.height);
        jpegs.push_back(video::encodeJpeg(curation::cropped(frame, small.box)));
    }
    return jpegs;
}

}  // namespace dailies::captioning
