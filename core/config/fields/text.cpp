#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> textFields() {
    return {
        oneOf(
            field("text.encoder", "Text encoder", "",
                  "words: each word of the data's captions is a learned vector; bytes: a small transformer "
                  "over the caption's bytes, trained along; t5: the published encoder text.weights, frozen; "
                  "torchscript: the module text.module. Embeddings that the data hold (data.text_embeddings) "
                  "take its place.",
                  CONFIG_SLOT(text.encoder)),
            {"words", "bytes", "t5", "torchscript"}),
        field("text.module", "Text module", "",
              "For text.encoder torchscript: a module that takes [captions, tokens] of the captions' bytes "
              "+ 1 (int64, 0 is padding) and gives embeddings [captions, tokens, text.width].",
              CONFIG_SLOT(text.module)),
        field(
            "text.weights", "Text weights", "",
            "For text.encoder t5: UMT5 of Wan or T5 v1.1 of LTX as it is published: a folder of diffusers or "
            "transformers, models_t5_umt5-xxl-enc-bf16.pth, or ComfyUI's safetensors file.",
            CONFIG_SLOT(text.weights)),
        field(
            "text.tokenizer", "Text tokenizer", "",
            "For text.encoder t5: its spiece.model, or the folder that holds it. Empty: what lies beside or "
            "in text.weights.",
            CONFIG_SLOT(text.tokenizer)),
        oneOf(field("text.device", "Text device", "",
                    "For text.encoder t5 and torchscript: gpu encodes on the run's device, cpu keeps the "
                    "encoder out of the GPU's memory. Each caption is encoded once.",
                    CONFIG_SLOT(text.device)),
              {"gpu", "cpu"}),
        between(
            field("text.tokens", "Longest caption", "tokens",
                  "Longer captions are cut. For text.encoder bytes and torchscript: bytes; for t5: pieces "
                  "of its tokenizer and the end of text, unless model.text_places says how many.",
                  CONFIG_SLOT(text.tokens)),
            1, 4096),
        between(field("text.width", "Text width", "channels", "Width of the embeddings.",
                      CONFIG_SLOT(text.width)),
                8, 16384),
        between(field("text.depth", "Text depth", "blocks",
                      "For text.encoder bytes: blocks of the transformer.", CONFIG_SLOT(text.depth)),
                1, 48),
        between(field("text.heads", "Text heads", "heads",
                      "For text.encoder bytes: attention heads; a divisor of text.width.",
                      CONFIG_SLOT(text.heads)),
                1, 64),
    };
}

}  // namespace dailies::config
