#pragma once

#include "trainer/tensors/named_shapes.h"
#include "trainer/tensors/params.h"

#include <functional>
#include <string>

namespace dailies::trainer {

/// Collects the weights that a model declares, one by one: drawn from a seed, or only sized, for models too
/// large for this machine. A drawn weight is a function of (seed, its name), so that declaring one more moves
/// no other.
class WeightInitializer {
public:
    /// What to keep of a weight that was just drawn, undefined for nothing; the rest is gone before the next
    /// is.
    using Keep = std::function<at::Tensor(const std::string& name, const at::Tensor& whole)>;

    /// `keep`: null for whole weights.
    static WeightInitializer fromSeed(std::int64_t seed, Keep keep = {}) {
        return WeightInitializer(seed, at::kCPU, std::move(keep));
    }
    /// Weights that `read` gives by their names, whole, instead of drawing them; undefined ones are drawn.
    using Read = std::function<at::Tensor(const std::string& name)>;
    static WeightInitializer fromReader(Read read, Keep keep, std::int64_t seed = 0) {
        WeightInitializer make(seed, at::kCPU, std::move(keep));
        make.m_read = std::move(read);
        return make;
    }
    static WeightInitializer onMeta(Keep keep = {}) {
        return WeightInitializer(0, at::kMeta, std::move(keep));
    }

    void normal(const std::string& name, at::IntArrayRef sizes, double deviation);
    /// Uniform from -bound to bound.
    void uniform(const std::string& name, at::IntArrayRef sizes, double bound);
    void zeros(const std::string& name, at::IntArrayRef sizes);
    void ones(const std::string& name, at::IntArrayRef sizes);
    /// `make` gives the weight, and is called only when weights are drawn.
    void value(const std::string& name, at::IntArrayRef sizes, const std::function<at::Tensor()>& make);

    /// `name`.weight [outputs, inputs] with deviation 1/√inputs and, with `bias`, a zero `name`.bias.
    void linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias);
    /// The same, all zero: a layer that begins by adding nothing.
    void zeroLinear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias);

    /// Tensors of convolutions, matrices and norms, `prefix` before their names: all of them but the gains of
    /// norms, which are one, drawn with deviation 1/√inputs, biases and those that `addNothing` zero.
    void layers(const NamedShapes& tensors, const std::string& prefix,
                const std::function<bool(const std::string& name)>& addNothing);

    /// What `declare` declares, but for the weights for which `isLeftOut`.
    void leaveOut(const std::function<bool(const std::string& name)>& isLeftOut,
                  const std::function<void()>& declare);

    Params take() { return std::move(m_weights); }

private:
    WeightInitializer(std::int64_t seed, at::Device device, Keep keep)
        : m_seed(seed), m_device(device), m_keep(std::move(keep)) {}

    std::int64_t m_seed;
    at::Device m_device;
    Keep m_keep;
    Read m_read;
    std::function<bool(const std::string&)> m_isLeftOut;
    Params m_weights;
};

}  // namespace dailies::trainer
