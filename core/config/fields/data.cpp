#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> dataFields() {
    return {
        oneOf(
            field("data.source", "Data source", "",
                  "shapes: captioned moving shapes made on the fly; figures: moving figures with their poses "
                  "and a reference picture, made on the fly; folder: every video below data.folder, cut "
                  "into clips; preferences: pairs of clips of which people preferred one, listed in the "
                  "file data.folder, on which an adapter learns to prefer likewise (DPO); webdataset: the "
                  "tars that data.shards names.",
                  CONFIG_SLOT(data.source)),
            {"shapes", "figures", "folder", "preferences", "webdataset"}),
        field("data.colours", "Colours", "",
              "shapes: colours of the clips to train on: red, green, blue, yellow; empty: all four. Captions "
              "and adherence name all of them, so that a model that never saw one can be taught it.",
              CONFIG_SLOT(data.colours)),
        field("data.folder", "Video folder", "",
              "Folder on the cluster with video files; a caption stands beside each as NAME.txt, else the "
              "file's name is it. Or a folder that dailies-train curate wrote: the clips that it keeps at "
              "that moment, with their captions. Or a JSON file that lists some as AnimateAnyone does: "
              "[{\"video_path\": …, \"kps_path\": …}, …]. With data.source preferences: the file that "
              "dailies export --what preferences wrote.",
              CONFIG_SLOT(data.folder)),
        field(
            "data.poses", "Pose folder", "",
            "animate, mimic-motion, unianimate: folder on the cluster with a video of drawn poses for each "
            "of data.folder, of the same name, shape and frames: poses/a/b.mp4 for videos/a/b.mp4. With "
            "model.guidance_types one folder below it for each type: poses/depth/a/b.mp4. In the place of a "
            "video may stand key points as OpenPose and DWPose write them, which are drawn here: "
            "poses/a/b.json, or a folder poses/a/b of one file a frame. Empty: they lie beside the "
            "folder images of each video, as Champ keeps them. Empty as well where data.folder is a JSON "
            "file, which lists them.",
            CONFIG_SLOT(data.poses)),
        field(
            "data.loss_masks", "Loss masks", "",
            "animate, mimic-motion, unianimate: folder on the cluster with a video for each of data.folder, "
            "of the same name, shape and frames, white where an error counts diffusion.mask_weight times. In "
            "a JSON file "
            "as data.folder: mask_path. hands: where the key points of data.poses are sure of a whole hand, "
            "as MimicMotion trains. Empty: all counts alike.",
            CONFIG_SLOT(data.loss_masks)),
        field("data.prior_folder", "Prior clips", "",
              "For data.source folder: a folder with clips of what the model knows already, as data.folder "
              "has them, usually made by the model itself. They are mixed into training, so that it does "
              "not forget the rest of a class over the clips of one (prior preservation). Validation "
              "leaves them out.",
              CONFIG_SLOT(data.prior_folder)),
        between(field("data.prior_share", "Prior share", "",
                      "Of the clips of training so many are from data.prior_folder: 0.5 is one for each "
                      "of data.folder.",
                      CONFIG_SLOT(data.prior_share)),
                0.01, 0.99),
        field(
            "data.shards", "Shards", "",
            "For data.source webdataset: tar files, patterns such as /data/{000000..000031}.tar, or folders "
            "of tars; s3://bucket/{000000..000031}.tar, s3://bucket/folder/ and https:// are read by "
            "parts where they lie, with the AWS keys or profile of the nodes.",
            CONFIG_SLOT(data.shards)),
        field("data.buckets", "Buckets", "",
              "Sizes of training clips, one a line, as frames x height x width @ frames a second: "
              "33x480x832@16. "
              "Each video goes where most of it is kept. Empty: one size, of data.frames, height and width.",
              CONFIG_SLOT(data.buckets)),
        between(
            field("data.frames", "Frames", "frames",
                  "Length of a training clip; a multiple of model.patch_frames.", CONFIG_SLOT(data.frames)),
            1, 1024),
        between(field("data.height", "Height", "px",
                      "Height of a training clip; a multiple of model.patch_size.", CONFIG_SLOT(data.height)),
                8, 4096),
        between(field("data.width", "Width", "px",
                      "Width of a training clip; a multiple of model.patch_size.", CONFIG_SLOT(data.width)),
                8, 4096),
        between(field("data.fps", "Frame rate", "frames/s",
                      "Rate at which sampled clips are written and play.", CONFIG_SLOT(data.fps)),
                1, 240),
        between(
            field("data.target_fps", "Target frame rate", "frames/s",
                  "For data.source webdataset: frames are taken at this rate by their times, whatever the "
                  "source's own; 0 takes every data.frame_stride-th frame. A bucket may name its own.",
                  CONFIG_SLOT(data.target_fps)),
            0, 240),
        between(
            field(
                "data.max_upscale", "Largest upscale", "×",
                "For data.source webdataset: a video that a bucket would enlarge more than this is too small "
                "for it.",
                CONFIG_SLOT(data.max_upscale)),
            1, 64),
        between(field("data.frame_stride", "Frame stride", "frames",
                      "Take every n-th frame of the source, so that motion is large "
                      "enough to learn.",
                      CONFIG_SLOT(data.frame_stride)),
                1, 64),
        between(field("data.batch_size", "Batch size", "clips", "Clips in one step, summed over all ranks.",
                      CONFIG_SLOT(data.batch_size)),
                1, 65536),
        field(
            "data.latents", "Latents in shards", "",
            "Ending of the members that hold each clip's latents, as latent.npy or latent.safetensors, with "
            "channels first (C, T, H, W). Empty: videos are decoded.",
            CONFIG_SLOT(data.latents)),
        field("data.latent_scale", "Scale of latents", "",
              "A JSON file on the cluster with latents_mean and latents_std, a number for each channel, as a "
              "VAE's config.json in diffusers has them. Empty: both are measured on some clips.",
              CONFIG_SLOT(data.latent_scale)),
        field(
            "data.text_embeddings", "Text in shards", "",
            "Ending of the members that hold each caption's embeddings [tokens, width], as text.npy. Empty: "
            "captions are encoded.",
            CONFIG_SLOT(data.text_embeddings)),
        field("data.cache", "Cache folder", "",
              "Where the index of the shards, latents and text embeddings are kept to be used again, also by "
              "other "
              "runs. Empty: the folder cache of the run.",
              CONFIG_SLOT(data.cache)),
        between(
            field("data.remote_cache_gib", "Remote cache", "GiB",
                  "How much of shards in buckets and on web servers is kept in the cache folder. What was "
                  "longest not read goes first.",
                  CONFIG_SLOT(data.remote_cache_gib)),
            1, 1'000'000),
        field("data.packing", "Packing", "",
              "Clips of all buckets share a step, as many as data.tokens_per_step holds, instead of "
              "data.batch_size of one bucket.",
              CONFIG_SLOT(data.packing)),
        between(field("data.tokens_per_step", "Tokens in a step", "tokens",
                      "With data.packing: the most tokens in one step, summed over all ranks.",
                      CONFIG_SLOT(data.tokens_per_step)),
                1, 1e9),
        between(field("data.workers", "Data workers", "threads",
                      "Threads of each rank that decode clips ahead; 0 decodes between the steps.",
                      CONFIG_SLOT(data.workers)),
                0, 256),
    };
}

}  // namespace dailies::config