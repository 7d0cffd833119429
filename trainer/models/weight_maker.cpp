#include "trainer/models/weight_maker.h"

#include "trainer/random.h"
#include "trainer/random_tensor.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

void WeightMaker::value(const std::string& name, at::IntArrayRef sizes,
                        const std::function<at::Tensor()>& make) {
    const auto whole =
        m_device.is_meta() ? at::empty(sizes, at::TensorOptions(at::kFloat).device(m_device)) : make();
    const auto kept = m_keep ? m_keep(name, whole) : whole;
    if (kept.defined()) m_weights.add(name, kept);
}

void WeightMaker::normal(const std::string& name, at::IntArrayRef sizes, double deviation) {
    value(name, sizes, [&] {
        return normalTensor(randomKey(m_seed, Stream::weights, hashText(name)), sizes) * deviation;
    });
}

void WeightMaker::zeros(const std::string& name, at::IntArrayRef sizes) {
    value(name, sizes, [&] { return at::zeros(sizes); });
}

void WeightMaker::ones(const std::string& name, at::IntArrayRef sizes) {
    value(name, sizes, [&] { return at::ones(sizes); });
}

void WeightMaker::linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias) {
    normal(name + ".weight", {outputs, inputs}, 1 / std::sqrt(static_cast<double>(inputs)));
    if (bias) zeros(name + ".bias", {outputs});
}

void WeightMaker::zeroLinear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias) {
    zeros(name + ".weight", {outputs, inputs});
    if (bias) zeros(name + ".bias", {outputs});
}

}  // namespace dailies::trainer
