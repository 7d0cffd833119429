#include "trainer/models/weight_initializer.h"

#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

void WeightInitializer::value(const std::string& name, at::IntArrayRef sizes,
                              const std::function<at::Tensor()>& make) {
    if (m_isLeftOut && m_isLeftOut(name)) return;
    at::Tensor whole;
    if (m_device.is_meta())
        whole = at::empty(sizes, at::TensorOptions(at::kFloat).device(m_device));
    else if (m_read)
        whole = m_read(name);
    if (!whole.defined()) whole = make();
    const auto kept = m_keep ? m_keep(name, whole) : whole;
    if (kept.defined()) m_weights.add(name, kept);
}

void WeightInitializer::layers(const NamedShapes& tensors, const std::string& prefix,
                               const std::function<bool(const std::string& name)>& addNothing) {
    for (const auto& [own, shape] : tensors) {
        const auto name = prefix + own;
        std::int64_t inputs = 1;
        for (std::size_t axis = 1; axis < shape.size(); ++axis) inputs *= shape[axis];
        if (addNothing(own) || own.ends_with(".bias"))
            zeros(name, shape);
        else if (shape.size() == 1)
            ones(name, shape);
        else
            normal(name, shape, 1 / std::sqrt(static_cast<double>(inputs)));
    }
}

void WeightInitializer::leaveOut(const std::function<bool(const std::string& name)>& isLeftOut,
                                 const std::function<void()>& declare) {
    m_isLeftOut = isLeftOut;
    declare();
    m_isLeftOut = {};
}

void WeightInitializer::normal(const std::string& name, at::IntArrayRef sizes, double deviation) {
    value(name, sizes, [&] {
        return normalTensor(randomKey(m_seed, Stream::weights, hashText(name)), sizes) * deviation;
    });
}

void WeightInitializer::uniform(const std::string& name, at::IntArrayRef sizes, double bound) {
    value(name, sizes,
          [&] { return uniformTensor(randomKey(m_seed, Stream::weights, hashText(name)), sizes) * bound; });
}

void WeightInitializer::zeros(const std::string& name, at::IntArrayRef sizes) {
    value(name, sizes, [&] { return at::zeros(sizes); });
}

void WeightInitializer::ones(const std::string& name, at::IntArrayRef sizes) {
    value(name, sizes, [&] { return at::ones(sizes); });
}

void WeightInitializer::linear(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                               bool bias) {
    normal(name + ".weight", {outputs, inputs}, 1 / std::sqrt(static_cast<double>(inputs)));
    if (bias) zeros(name + ".bias", {outputs});
}

void WeightInitializer::zeroLinear(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                                   bool bias) {
    zeros(name + ".weight", {outputs, inputs});
    if (bias) zeros(name + ".bias", {outputs});
}

}  // namespace dailies::trainer
