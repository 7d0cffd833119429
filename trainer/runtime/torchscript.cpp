#include "trainer/runtime/torchscript.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/data/array_cache.h"
#include "trainer/runtime/torchscript_module.h"

#include <torch/csrc/jit/passes/tensorexpr_fuser.h>

namespace dailies::trainer {

struct TorchScript::Module {
    mutable torch::jit::Module module;
    at::ScalarType precision = at::kFloat;
};

namespace {

std::string firstLine(const char* text) {
    const std::string all = text;
    return all.substr(0, all.find('\n'));
}

/// Encoders give their latents alone or first, decoders likewise.
at::Tensor firstTensor(const c10::IValue& value) {
    if (value.isTensor()) return value.toTensor();
    if (value.isTuple() && !value.toTupleRef().elements().empty())
        return firstTensor(value.toTupleRef().elements()[0]);
    if (value.isTensorList() && !value.toTensorVector().empty()) return value.toTensorVector().front();
    throw Error("it gives no tensor, but " + value.tagKind());
}

}  // namespace

torch::jit::Module loadModule(const std::string& key, const std::filesystem::path& file, at::Device device) {
    if (!std::filesystem::is_regular_file(file))
        throw InputError(key + ": there is no file " + file.string() + ".",
                         "Name a module that torch.jit.save wrote.");
    torch::jit::setTensorExprFuserEnabled(false);
    try {
        auto module = torch::jit::load(file.string(), device);
        module.eval();
        return module;
    } catch (const std::exception& error) {
        throw InputError(key + " " + file.string() + " is no TorchScript module: " + firstLine(error.what()));
    }
}

std::string moduleIdentity(const std::filesystem::path& file) {
    return weightsKey({"torchscript", readFile(file)});
}

/// TorchScript's interpreter says what was wrong after its stack.
std::string moduleMessage(const std::exception& failure) {
    std::string text = failure.what();
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

TorchScript::TorchScript(const std::string& key, const std::filesystem::path& file, at::Device device)
    : m_name(key + " " + file.string()), m_device(device), m_module(std::make_unique<Module>()) {
    m_module->module = loadModule(key, file, device);
    m_identity = moduleIdentity(file);
    for (const auto& weight : m_module->module.parameters())
        if (weight.is_floating_point()) {
            m_module->precision = weight.scalar_type();
            break;
        }
}

TorchScript::~TorchScript() = default;

at::Tensor TorchScript::operator()(const at::Tensor& input) const {
    const at::NoGradGuard noGradients;
    try {
        const auto moved =
            input.is_floating_point() ? input.to(m_device, m_module->precision) : input.to(m_device);
        return firstTensor(m_module->module.forward({moved})).to(at::kFloat);
    } catch (const std::exception& error) {
        throw Error(m_name + " failed: " + moduleMessage(error));
    }
}

}  // namespace dailies::trainer
