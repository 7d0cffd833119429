#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> dataFields() {
    return {
        oneOf(field("data.source", "Data source", "",
                    "shapes: captioned moving shapes made on the fly; folder: every video below data.folder, "
                    "cut into clips.",
                    SLOT(data.source)),
              {"shapes", "folder"}),
        field("data.folder", "Video folder", "",
              "Folder on the cluster with video files; a caption stands beside each as NAME.txt, else the "
              "file's name is it.",
              SLOT(data.folder)),
        between(field("data.frames", "Frames", "frames",
                      "Length of a training clip; a multiple of model.patch_frames.", SLOT(data.frames)),
                1, 1024),
        between(field("data.height", "Height", "px",
                      "Height of a training clip; a multiple of model.patch_size.", SLOT(data.height)),
                8, 4096),
        between(field("data.width", "Width", "px",
                      "Width of a training clip; a multiple of model.patch_size.", SLOT(data.width)),
                8, 4096),
        between(field("data.fps", "Frame rate", "frames/s",
                      "Rate at which sampled clips are written and play.", SLOT(data.fps)),
                1, 240),
        between(field("data.frame_stride", "Frame stride", "frames",
                      "For data.source folder: take every n-th frame of the source, so that motion is large "
                      "enough to learn.",
                      SLOT(data.frame_stride)),
                1, 64),
        between(field("data.batch_size", "Batch size", "clips", "Clips in one step, summed over all ranks.",
                      SLOT(data.batch_size)),
                1, 65536),
    };
}

}  // namespace dailies::config
