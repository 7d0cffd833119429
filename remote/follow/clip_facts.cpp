#include "remote/follow/clip_facts.h"

#include "core/base/error.h"

namespace dailies::remote {

void recordFacts(tracking::Store& store, tracking::ClipRecord clip, const video::ClipInfo& info) {
    clip.frames = info.frames;
    clip.height = info.height;
    clip.width = info.width;
    clip.fps = info.fps;
    store.setClipFacts(clip);
}

void playFrom(tracking::Store& store, const tracking::ClipRecord& clip, const std::filesystem::path& file) {
    try {
        recordFacts(store, clip, video::ClipReader(file).info());
    } catch (const Error&) {  // its place on the wall says what is wrong with it
    }
    store.setClipLocalPath(clip.runId, clip.path, file.string());
}

}  // namespace dailies::remote
