#pragma once

#include "core/config/train_config.h"
#include "trainer/data/array.h"
#include "trainer/data/vocabulary.h"
#include "trainer/models/model_input.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A caption, with its embeddings [tokens, width] where the data hold those. The empty text is a dropped
/// caption.
struct Caption {
    std::string text;
    const Array* embeddings = nullptr;
};

/// Turns captions into what the model takes of a batch. It learns nothing: weights that are trained along
/// belong to the model (see `makeModelWithTextEncoder`). Any number of threads.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// On the CPU, a row a caption.
    virtual TextInput encode(const std::vector<Caption>& captions) const = 0;

    /// Of the embeddings that the model's blocks see; 0: words.
    virtual std::int64_t width() const { return 0; }

    /// Whether it can read captions that do not stand in the data: the prompts of samples.
    virtual bool encodesPrompts() const { return true; }

    /// Writes what waits in memory for the cache; throws `Error` when the disk refuses.
    virtual void flush() const {}

    /// What a person should know of the captions that were encoded since the last call, in sentences.
    virtual std::vector<std::string> takeNotes() const { return {}; }

    /// Whether it knows a caption's words by themselves only, so that unknown ones are ignored.
    virtual bool isBagOfWords() const { return false; }
};

/// The encoder of `config.text`, or, where the data hold embeddings of `dataWidth`, one that passes them on.
/// The vocabulary must outlive it. An encoder that is dear keeps what it gives in `cacheFolder`, in memory
/// only where that is empty. Throws `InputError` when a module or weights are missing.
std::unique_ptr<TextEncoder> makeTextEncoder(const config::TrainConfig& config, const Vocabulary& vocabulary,
                                             std::int64_t dataWidth, at::Device device,
                                             const std::filesystem::path& cacheFolder = {});

/// Captions as rows of bytes + 1, [captions, longest] int64 padded with 0, cut after `most` bytes. The empty
/// caption is one 0, so that there is something to attend to.
at::Tensor captionBytes(const std::vector<Caption>& captions, std::int64_t most);

/// Where the rows of `captionBytes` have bytes; of the empty caption its one token.
at::Tensor bytesMask(const at::Tensor& bytes);

/// Bags of words, [captions, tokens]: how often each token stands in each caption.
at::Tensor bagOfWords(const Vocabulary& vocabulary, const std::vector<std::string>& captions);

}  // namespace dailies::trainer
