#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>

namespace dailies::trainer {

/// A module that Python wrote with torch.jit.save: tokenizers and text encoders as others publish them. Its
/// weights are frozen. Runs without the tensor-expression fuser, so that the same input gives the same bits
/// on the first call and on later ones. Any number of threads.
class TorchScript {
public:
    /// Throws `InputError` naming the configuration's key and the file when it cannot be read.
    TorchScript(const std::string& key, const std::filesystem::path& file, at::Device device);
    ~TorchScript();

    /// The first tensor that the module gives, in float32. The input is moved to the module's device, and
    /// numbers with a fraction to its precision. Throws `Error` with the module's own message.
    at::Tensor operator()(const at::Tensor& input) const;

    /// A hash of the file: other weights, another identity.
    const std::string& identity() const { return m_identity; }

private:
    struct Module;
    std::string m_name;
    std::string m_identity;
    at::Device m_device;
    std::unique_ptr<Module> m_module;
};

}  // namespace dailies::trainer
