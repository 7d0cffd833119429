#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace dailies::trainer {

/// A scorer that a user brings: a module that torch.jit.save wrote, with one of these methods or both.
///
///     forward(frames: Tensor) -> …
///     forward(frames: Tensor, caption: str) -> …
///     features(frames: Tensor) -> Tensor
///
/// `frames` is the whole clip as it is stored, uint8 [T, 3, H, W], RGB, on the scorer's device: what it wants
/// scaled, cropped or normalised it does itself. `forward` gives a number (a float, an int, or a tensor of
/// one element) or a Dict[str, Tensor] or Dict[str, float] of numbers; the caption is the clip's prompt.
/// `features` (marked @torch.jit.export) gives what the distribution of clips is compared by: [D], or [N, D]
/// for N windows of the clip.
class Scorer {
public:
    /// Throws `InputError` that says what the file is and what would be accepted.
    Scorer(const std::filesystem::path& file, at::Device device);
    ~Scorer();

    bool givesValues() const { return m_givesValues; }
    bool givesFeatures() const { return m_givesFeatures; }
    bool readsCaptions() const { return m_readsCaptions; }

    /// By key; "" for a scorer that gives one number. Throws `Error` with the module's own message, or for
    /// what is not a finite number.
    std::map<std::string, double> values(const at::Tensor& frames, const std::string& caption) const;

    /// [N, D], float32, on the CPU. Throws `Error` likewise.
    at::Tensor features(const at::Tensor& frames) const;

    /// A hash of the file.
    const std::string& identity() const { return m_identity; }
    at::Device device() const { return m_device; }

private:
    struct Module;
    std::string m_identity;
    at::Device m_device;
    std::unique_ptr<Module> m_module;
    bool m_givesValues = false, m_givesFeatures = false, m_readsCaptions = false;
};

}  // namespace dailies::trainer
