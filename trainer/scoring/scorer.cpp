#include "trainer/scoring/scorer.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "trainer/runtime/torchscript_module.h"

#include <cmath>
#include <vector>

namespace dailies::trainer {

struct Scorer::Module {
    mutable torch::jit::Module module;
};

namespace {

using c10::TypeKind;

constexpr const char* kContract =
    "A scorer has forward(frames: Tensor) or forward(frames: Tensor, caption: str), which gives a number or "
    "a Dict[str, Tensor] of numbers, or features(frames: Tensor) -> Tensor, or both; frames are uint8 "
    "[T, 3, H, W].";

/// The parameters that a caller must give: without self, and without those that have defaults.
std::vector<c10::Argument> parametersOf(const torch::jit::Method& method) {
    std::vector<c10::Argument> parameters;
    const auto& all = method.function().getSchema().arguments();
    for (std::size_t i = 1; i < all.size(); ++i)
        if (!all[i].default_value()) parameters.push_back(all[i]);
    return parameters;
}

std::string signatureOf(const torch::jit::Method& method) {
    std::vector<std::string> words;
    for (const auto& parameter : parametersOf(method))
        words.push_back(parameter.name() + ": " + parameter.type()->annotation_str());
    std::string given;
    for (const auto& result : method.function().getSchema().returns())
        given += " -> " + result.type()->annotation_str();
    return method.name() + "(" + join(words, ", ") + ")" + given;
}

TypeKind resultOf(const torch::jit::Method& method) {
    const auto& results = method.function().getSchema().returns();
    return results.size() == 1 ? results[0].type()->kind() : TypeKind::NoneType;
}

bool isNumber(TypeKind kind) {
    return kind == TypeKind::TensorType || kind == TypeKind::FloatType || kind == TypeKind::IntType ||
           kind == TypeKind::NumberType;
}

bool givesNumbers(const torch::jit::Method& method) {
    const auto kind = resultOf(method);
    if (kind != TypeKind::DictType) return isNumber(kind);
    const auto dict = method.function().getSchema().returns()[0].type()->expect<c10::DictType>();
    return dict->getKeyType()->kind() == TypeKind::StringType && isNumber(dict->getValueType()->kind());
}

bool takesFrames(const std::vector<c10::Argument>& parameters) {
    return !parameters.empty() && parameters[0].type()->kind() == TypeKind::TensorType;
}

bool takesCaption(const std::vector<c10::Argument>& parameters) {
    return parameters.size() == 2 && parameters[1].type()->kind() == TypeKind::StringType;
}

[[noreturn]] void refuseMethod(const std::string& name, const torch::jit::Method& method) {
    throw InputError(name + " has " + signatureOf(method) + ", which is none of a scorer.", kContract);
}

double finite(double value, const std::string& key) {
    if (std::isfinite(value)) return value;
    throw Error("The scorer gave " + numberToJson(value).get<std::string>() +
                (key.empty() ? "" : " for " + key) + ".");
}

double numberOf(const c10::IValue& value, const std::string& key) {
    if (value.isDouble() || value.isInt()) return finite(value.toScalar().toDouble(), key);
    if (!value.isTensor())
        throw Error("The scorer gave " + value.tagKind() + (key.empty() ? "" : " for " + key) +
                    ", expected a number.");
    const auto& tensor = value.toTensor();
    if (tensor.numel() != 1)
        throw Error("The scorer gave a tensor of shape " + c10::str(tensor.sizes()) +
                    (key.empty() ? "" : " for " + key) + ", expected one number.");
    return finite(tensor.to(at::kCPU, at::kDouble).item<double>(), key);
}

}  // namespace

Scorer::Scorer(const std::filesystem::path& file, at::Device device)
    : m_device(device), m_module(std::make_unique<Module>()) {
    m_module->module = loadModule("scorer", file, device);
    const std::string name = "scorer " + file.string();
    if (const auto forward = m_module->module.find_method("forward")) {
        const auto parameters = parametersOf(*forward);
        m_readsCaptions = takesCaption(parameters);
        if (!takesFrames(parameters) || (parameters.size() > 1 && !m_readsCaptions) ||
            !givesNumbers(*forward))
            refuseMethod(name, *forward);
        m_givesValues = true;
    }
    if (const auto features = m_module->module.find_method("features")) {
        const auto parameters = parametersOf(*features);
        if (!takesFrames(parameters) || parameters.size() != 1 || resultOf(*features) != TypeKind::TensorType)
            refuseMethod(name, *features);
        m_givesFeatures = true;
    }
    if (!m_givesValues && !m_givesFeatures)
        throw InputError(name + " has neither forward nor features.", kContract);
    m_identity = moduleIdentity(file);
}

Scorer::~Scorer() = default;

std::map<std::string, double> Scorer::values(const at::Tensor& frames, const std::string& caption) const {
    const at::NoGradGuard noGradients;
    c10::IValue given;
    try {
        std::vector<c10::IValue> words{frames.to(m_device)};
        if (m_readsCaptions) words.emplace_back(caption);
        given = m_module->module.forward(std::move(words));
    } catch (const std::exception& failure) {
        throw Error("The scorer failed: " + moduleMessage(failure));
    }
    if (!given.isGenericDict()) return {{"", numberOf(given, "")}};
    std::map<std::string, double> values;
    for (const auto& entry : given.toGenericDict()) {
        const auto key = entry.key().toStringRef();
        values[key] = numberOf(entry.value(), key);
    }
    if (values.empty()) throw Error("The scorer gave an empty dictionary.");
    return values;
}

at::Tensor Scorer::features(const at::Tensor& frames) const {
    const at::NoGradGuard noGradients;
    at::Tensor given;
    try {
        given = m_module->module.get_method("features")({frames.to(m_device)}).toTensor();
    } catch (const std::exception& failure) {
        throw Error("The scorer's features failed: " + moduleMessage(failure));
    }
    if (given.dim() == 1) given = given.unsqueeze(0);
    if (given.dim() != 2 || given.numel() == 0)
        throw Error("The scorer's features have the shape " + c10::str(given.sizes()) +
                    ", expected [D] or [N, D].");
    given = given.to(at::kCPU, at::kFloat).contiguous();
    if (!given.isfinite().all().item<bool>()) throw Error("The scorer's features are not finite.");
    return given;
}

}  // namespace dailies::trainer
