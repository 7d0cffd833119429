#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> textFields() {
    return {
        oneOf(
            field("text.encoder", "Text encoder", "",
                  "words: each word of the data's captions is a learned vector; bytes: a small transformer "
                  "over the caption's bytes, trained along; torchscript: the module text.module. Embeddings "
                  "that the data hold (data.text_embeddings) take its place.",
                  CONFIG_SLOT(text.encoder)),
            {"words", "bytes", "torchscript"}),
        field("text.module", "Text module", "",
              "For text.encoder torchscript: a module that takes [captions, tokens] of the captions' bytes "
              "+ 1 (int64, 0 is padding) and gives embeddings [captions, tokens, text.width].",
              CONFIG_SLOT(text.module)),
        between(field("text.tokens", "Longest caption", "bytes",
                      "For text.encoder bytes and torchscript: longer captions are cut.",
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
