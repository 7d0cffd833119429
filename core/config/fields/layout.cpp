#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> layoutFields() {
    return {
        between(field("layout.dp", "Data parallel", "ranks",
                      "Groups of ranks that each take other clips of a step. 0: as many as the job's ranks "
                      "make with layout.cp, layout.tp and layout.pp.",
                      CONFIG_SLOT(layout.dp)),
                0, 1e6),
        between(
            field(
                "layout.cp", "Context parallel", "ranks",
                "Ranks that share the tokens of each clip: each holds the activations of its tokens "
                "only, and they work together in attention alone. Must divide model.heads × layout.ring "
                "and the tokens of a clip. Where it divides the frames of tokens and the tokens of a frame, "
                "blocks of st-dit send nothing within frames and little along time, and only those with "
                "full attention need heads to divide. For clips that one GPU cannot hold.",
                CONFIG_SLOT(layout.cp)),
            1, 1e6),
        between(field("layout.ring", "Ring", "ranks",
                      "Of layout.cp, how many pass keys and values round a ring (ring attention); the other "
                      "factor exchanges tokens for heads (Ulysses). 1 suits ranks of one node; above 1 where "
                      "there are more ranks than heads, or the ranks lie on several nodes.",
                      CONFIG_SLOT(layout.ring)),
                1, 1e6),
        between(
            field(
                "layout.tp", "Tensor parallel", "ranks",
                "Neighbouring ranks that divide the weights of every block: each has some heads of attention "
                "and some of the MLP's width, with their gradients and moments, and between the matrices "
                "some of each clip's tokens. Must divide model.heads, model.kv_heads, the MLP's width and "
                "the tokens of a clip. They talk in every layer: no more than share a node. For models that "
                "one GPU cannot hold; layout.shard zero3 talks less.",
                CONFIG_SLOT(layout.tp)),
            1, 1e6),
        between(field("layout.pp", "Pipeline", "stages",
                      "Stages that divide the blocks of the model: each group of ranks has some blocks, and "
                      "hands what they compute on to the next, one part of optimizer.accumulate after the "
                      "other. A stage waits (layout.pp - 1) / (accumulate + layout.pp - 1) of a step, so "
                      "accumulate should be several times as large. Must divide model.depth. Stages talk "
                      "least of all: they may lie on different nodes. For models that one node cannot hold.",
                      CONFIG_SLOT(layout.pp)),
                1, 1e6),
        between(
            field("layout.pp_chunks", "Pipeline chunks", "",
                  "Into how many runs of blocks the blocks of a stage fall, with those of the other stages "
                  "between them (interleaved pipeline). Divides the time that stages wait by so many, and "
                  "sends as many times as much. 1: one run a stage (1F1B). More needs "
                  "optimizer.accumulate to be a multiple of layout.pp.",
                  CONFIG_SLOT(layout.pp_chunks)),
            1, 1e6),
        oneOf(
            field(
                "layout.shard", "Shard", "",
                "What ranks divide among themselves instead of keeping it all: none; zero1: the "
                "optimizer's moments and the averaged weights; zero2: these and the gradients; zero3: these "
                "and the weights, of which a block's are gathered while it computes, forward and backward "
                "(FSDP): half as much again is sent. The result is the same; a checkpoint resumes with any "
                "choice.",
                CONFIG_SLOT(layout.shard)),
            {"none", "zero1", "zero2", "zero3"}),
        between(field("layout.shard_ranks", "Shard over", "ranks",
                      "Over how many neighbouring ranks, of those that hold the same weights, "
                      "layout.shard divides; groups of so many hold copies of each other. The ranks of one "
                      "node keep most of the traffic in it. 0: over all.",
                      CONFIG_SLOT(layout.shard_ranks)),
                0, 1e6),
        oneOf(
            field("layout.gradient_sums", "Gradient sums", "",
                  "Type in which ranks send each other their gradients to sum them. bf16 halves what is sent "
                  "and rounds every rank's part; the parts are added up in fp32 either way.",
                  CONFIG_SLOT(layout.gradient_sums)),
            {"fp32", "bf16"}),
        oneOf(
            field(
                "layout.certificate", "Prove layout", "",
                "Whether the ranks, before the first step and whenever they go on, compute two blocks of the "
                "model under the layout and compare loss and gradients with one process's. They refuse to "
                "train where these differ. auto: in runs of 1,000 steps and more.",
                CONFIG_SLOT(layout.certificate)),
            {"auto", "always", "never"}),
    };
}

}  // namespace dailies::config
