#pragma once

#include "core/config/train_config.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A clip as people see it: frames × height × width × RGB, 8 bits each.
struct RgbClip {
    int frames = 0;
    int height = 0;
    int width = 0;
    std::vector<std::uint8_t> rgb;

    std::size_t frameBytes() const {
        return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) * 3;
    }
    const std::uint8_t* frame(int n) const { return rgb.data() + frameBytes() * static_cast<std::size_t>(n); }
    std::uint8_t* frame(int n) { return rgb.data() + frameBytes() * static_cast<std::size_t>(n); }
};

struct Example {
    RgbClip clip;
    std::string caption;
};

/// Mean and deviation of the pixels, on the scale -1 … 1. The model works on (pixel - mean) / deviation,
/// because rectified flow balances data against noise of deviation 1.
struct PixelScale {
    double mean = 0;
    double deviation = 1;
};

/// Reads a generated clip back and says what of its caption is right.
class Judge {
public:
    virtual ~Judge() = default;

    /// Aspect ("colour", "shape", …) → whether the clip shows what the caption says; nullopt when the caption
    /// does not name every aspect.
    virtual std::optional<std::map<std::string, bool>> judge(const RgbClip& clip,
                                                             const std::string& caption) const = 0;
};

/// Where training clips come from. `example` is a pure function of its index: the order is DataOrder's
/// business. One thread.
class DataSource {
public:
    virtual ~DataSource() = default;

    /// Clips in one epoch; 0 when they are generated and every index gives a fresh one.
    virtual std::int64_t size() const = 0;
    virtual Example example(std::int64_t index) = 0;

    /// The distinct captions, in a fixed order: the vocabulary and the default prompts come from them.
    virtual std::vector<std::string> captions() const = 0;

    virtual PixelScale pixelScale() const = 0;

    /// Null where clips cannot be read back.
    virtual const Judge* judge() const { return nullptr; }

    /// What a person should know about the input since the last call: files that were left out, and why.
    virtual std::vector<std::string> takeProblems() { return {}; }
};

/// The source that `config.data.source` names. Throws `InputError` when it holds no clip, with the reasons.
std::unique_ptr<DataSource> makeDataSource(const config::TrainConfig& config);

}  // namespace dailies::trainer
