#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> loraFields() {
    return {
        logarithmic(between(
            field("lora.rank", "Rank", "",
                  "Above 0 the run trains a LoRA adapter of this rank on top of the weights of model.init, "
                  "which stay as they are: usually 16 to 128. 0 trains all weights.",
                  CONFIG_SLOT(lora.rank)),
            0, 4096)),
        between(field("lora.alpha", "Alpha", "",
                      "What the adapter adds is multiplied by alpha / rank; 0 takes the rank, so that the "
                      "scale is 1 whatever the rank.",
                      CONFIG_SLOT(lora.alpha)),
                0, 1e6),
        field("lora.rslora", "rsLoRA scale", "",
              "The scale is alpha / sqrt(rank) (rsLoRA), which lets large ranks learn as fast as small ones.",
              CONFIG_SLOT(lora.rslora)),
        between(field("lora.dropout", "Dropout", "",
                      "Share of the values that each adapter reads which a training pass sets to 0; against "
                      "learning a small set of clips by heart.",
                      CONFIG_SLOT(lora.dropout)),
                0, 0.95),
        field(
            "lora.targets", "Layers", "",
            "Layers that get an adapter, by the names of diffusers or of the original checkpoints, whole or "
            "their end, * for any characters: attn1.to_q, blocks.*.ffn.net.2, self_attn.*. Empty: all of "
            "attention and feed-forward in every block.",
            CONFIG_SLOT(lora.targets)),
        oneOf(field("lora.base_precision", "Base precision", "",
                    "How the matrices of attention and feed-forward in the weights of model.init are kept: "
                    "run: as runtime.precision computes; int8: in 8 bits with a scale for each row, which "
                    "takes half the memory of bf16 and rounds them by 0.7 %. Passes read them in the run's "
                    "precision, a block at a time.",
                    CONFIG_SLOT(lora.base_precision)),
              {"run", "int8"}),
        between(
            field("lora.blocks_to_swap", "Blocks to swap", "blocks",
                  "So many blocks of the weights of model.init wait in the node's memory and are copied "
                  "to the GPU when a pass comes to them, one at a time: for a model that the GPU does not "
                  "hold. Every swapped block costs two copies a step.",
                  CONFIG_SLOT(lora.blocks_to_swap)),
            0, 10000),
    };
}

}  // namespace dailies::config
