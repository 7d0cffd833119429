#pragma once

#include "core/config/bucket.h"
#include "core/config/train_config.h"
#include "trainer/data/example.h"
#include "trainer/data/judge.h"
#include "trainer/data/value_scale.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// How many of the clips in the input a run uses, and what became of the others.
struct DatasetStats {
    std::int64_t found = 0;                       ///< videos or samples in the input
    std::int64_t used = 0;                        ///< of those
    std::map<std::string, std::int64_t> dropped;  ///< reason → videos or samples
};

/// Where training clips come from. `example` is a pure function of its index: the order is DataOrder's
/// business. The clips of one bucket have consecutive indices. `example` and `takeProblems` may be called
/// from several threads at once.
class DataSource {
public:
    virtual ~DataSource() = default;

    /// Clips in one epoch; 0 when they are generated and every index gives a fresh one.
    virtual std::int64_t size() const = 0;
    virtual Example example(std::int64_t index) = 0;
    /// Says that this clip will soon be asked for. Returns at once; what can be brought nearer meanwhile is.
    virtual void readAhead(std::int64_t /*index*/) {}
    /// How many clips with consecutive indices are drawn as one: they stand beside each other in a batch and
    /// get the same noise.
    virtual std::int64_t clipsDrawnTogether() const { return 1; }
    /// What stands beside the clip, for those who have its latents: may spare decoding it.
    virtual Example withoutPixels(std::int64_t index) { return example(index); }

    /// Clips in each bucket, in the order of `config::bucketsOf`; they add up to `size`.
    virtual std::vector<std::int64_t> bucketSizes() const { return {size()}; }

    /// What tells the clip from all others, in this and in other runs' data: the key under which what is
    /// computed from it may be kept. Empty where it is not worth keeping.
    virtual std::string identity(std::int64_t) const { return ""; }

    /// Where the clip stands in the data, for a person: "films/a.mp4, frames 16–31". Empty where clips are
    /// generated.
    virtual std::string origin(std::int64_t) const { return ""; }

    /// The files that the clips come from, in order, named as they are wherever they lie, with how many clips
    /// each gives. Empty where clips are generated.
    virtual std::vector<std::string> parts() const { return {}; }

    virtual DatasetStats facts() const { return {size(), size(), {}}; }

    /// Channels of the latents that the data holds; 0 where it holds pixels.
    virtual std::int64_t latentChannels() const { return 0; }
    /// Width of the text embeddings that the data holds; 0 where it holds captions only.
    virtual std::int64_t textWidth() const { return 0; }

    /// The distinct captions, in a fixed order: the vocabulary and the default prompts come from them.
    virtual std::vector<std::string> captions() const = 0;

    /// Of the pixels together, or of each channel of the latents where the data holds those.
    virtual ValueScale valueScale() const = 0;

    /// Whom a prompt animates and how, for so many frames, where the data can make it up; the same for the
    /// same prompt and seed.
    virtual std::optional<CharacterGuide> guideOf(const std::string& /*prompt*/, std::int64_t /*seed*/,
                                                  std::int64_t /*frames*/) const {
        return {};
    }

    /// Null where clips cannot be read back.
    virtual const Judge* judge() const { return nullptr; }

    /// What a person should know about the input since the last call: files that were left out, and why.
    virtual std::vector<std::string> takeProblems() { return {}; }
};

/// Where a run keeps what its data take long to find out: `data.cache`, else `cache` in its folder.
std::filesystem::path cacheFolder(const config::TrainConfig& config, const std::filesystem::path& runFolder);

/// How a source is opened.
struct DataSourceOptions {
    std::filesystem::path cacheFolder =
        {};                            ///< what can be made again is kept here, or nowhere when it is empty
    std::int64_t rank = 0, ranks = 1;  ///< processes that open the same data at once share the work of it
    /// What the model sees of a bucket, where its data are latents; throws where it makes none of that size.
    std::function<config::Bucket(const config::Bucket&)> latentSize = {};
};

/// The source that `config.data.source` names. Throws `InputError` when it holds no clip, with the reasons.
std::unique_ptr<DataSource> makeDataSource(const config::TrainConfig& config,
                                           const DataSourceOptions& place = {});

/// The clips of `config.data.prior_folder`; null where it names none.
std::unique_ptr<DataSource> makePriorSource(const config::TrainConfig& config,
                                            const DataSourceOptions& place = {});

}  // namespace dailies::trainer
