#pragma once

#include <torch/script.h>

#include <exception>
#include <filesystem>
#include <string>

/// Modules that Python wrote, as LibTorch has them. Its header takes twice as long to compile as all others:
/// for sources only.
namespace dailies::trainer {

/// Frozen, on the device, without the tensor-expression fuser. Throws `InputError` naming the key and the
/// file when it cannot be read.
torch::jit::Module loadModule(const std::string& key, const std::filesystem::path& file, at::Device device);

/// A hash of the module's file: other weights, another identity.
std::string moduleIdentity(const std::filesystem::path& file);

/// What a module's failure says, without TorchScript's stack before it.
std::string moduleMessage(const std::exception& failure);

}  // namespace dailies::trainer
