#include "core/curation/clip_frames.h"

#include "core/curation/clip_files.h"
#include "core/curation/clip_list.h"
#include "core/curation/crop.h"

#include <algorithm>

namespace dailies::curation {

std::vector<video::Frame> ClipFrames::read(const ClipRecord& clip, int count, int maxSide) {
    const auto own = m_folder / kClipFolder / clipFileName(clip);
    std::error_code unknown;
    const bool hasOwn = std::filesystem::exists(own, unknown);
    if (const auto name = hasOwn ? own.string() : clip.source; !m_reader || m_name != name) {
        m_reader.reset();
        m_opened = m_films.open(name);
        m_reader.emplace(m_opened->file());
        m_name = name;
    }
    const auto& info = m_reader->info();
    const int first = hasOwn ? 0 : clip.firstFrame;
    const int frames = hasOwn ? info.frames : clip.frames();
    const auto crop = hasOwn ? Box{0, 0, info.width, info.height} : clip.crop;
    const auto small = smallCrop(info, crop, maxSide);
    std::vector<video::Frame> read;
    const int wanted = std::min(count, frames);
    for (int i = 0; i < wanted; ++i) {
        const int number = first + static_cast<int>((2LL * i + 1) * frames / (2LL * wanted));
        const auto frame = m_reader->frame(number, small.width, small.height);
        read.push_back(cropped(frame, small.box));
    }
    return read;
}

}  // namespace dailies::curation
