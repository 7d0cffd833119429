#include "trainer/torchscript.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/data/array_cache.h"

#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/script.h>

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

/// Where TorchScript's interpreter, after its stack, says what was wrong.
std::string lastLine(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
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

TorchScript::TorchScript(const std::string& key, const std::filesystem::path& file, at::Device device)
    : m_name(key + " " + file.string()), m_device(device), m_module(std::make_unique<Module>()) {
    if (!std::filesystem::is_regular_file(file))
        throw InputError(key + ": there is no file " + file.string() + ".",
                         "Name a module that torch.jit.save wrote.");
    m_identity = contentKey({"torchscript", readFile(file)});
    torch::jit::setTensorExprFuserEnabled(false);
    try {
        auto& module = m_module->module;
        module = torch::jit::load(file.string(), device);
        module.eval();
        for (const auto& weight : module.parameters())
            if (weight.is_floating_point()) {
                m_module->precision = weight.scalar_type();
                break;
            }
    } catch (const std::exception& error) {
        throw InputError(m_name + " is no TorchScript module: " + firstLine(error.what()));
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
        throw Error(m_name + " failed: " + lastLine(error.what()));
    }
}

}  // namespace dailies::trainer
