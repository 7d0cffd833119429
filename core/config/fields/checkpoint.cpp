#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> checkpointFields() {
    return {
        between(field("checkpoint.every", "Checkpoint every", "steps",
                      "Steps between checkpoints; the last step always writes one.",
                      CONFIG_SLOT(checkpoint.every)),
                1, 1e9),
        between(field("checkpoint.keep", "Checkpoints kept", "", "Newest complete checkpoints to keep.",
                      CONFIG_SLOT(checkpoint.keep)),
                1, 1e6),
        between(field("checkpoint.keep_every", "Also keep every", "steps",
                      "Checkpoints of multiples of this step are never deleted; 0: none.",
                      CONFIG_SLOT(checkpoint.keep_every)),
                0, 1e9),
        field("checkpoint.keep_best", "Keep the best by", "",
              "A metric such as val/loss or adherence: the checkpoint at which it was best is kept as well. "
              "Empty keeps none so.",
              CONFIG_SLOT(checkpoint.keep_best)),
        oneOf(field("checkpoint.best_is", "Best is", "", "Which value of checkpoint.keep_best is the best.",
                    CONFIG_SLOT(checkpoint.best_is)),
              {"lowest", "highest"}),
        between(
            field("checkpoint.shard_bytes", "Shard size", "bytes",
                  "Tensors of a checkpoint are spread over files of at most this size; a larger tensor gets "
                  "a file of its own.",
                  CONFIG_SLOT(checkpoint.shard_bytes)),
            4096, 1e13),
        field(
            "checkpoint.mirror", "Copy to bucket", "",
            "s3://bucket/folder: with every checkpoint and at its end, the run's checkpoints, clips, events "
            "and logs are copied there, to a folder named by its id. A run whose own folder is lost goes "
            "on from the copy. Empty: none.",
            CONFIG_SLOT(checkpoint.mirror)),
    };
}

}  // namespace dailies::config
