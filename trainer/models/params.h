#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::trainer {

/// The weights of a model: named tensors in a fixed order. A model is a function of its Params, so averaged
/// weights, trained weights and weights read from a file are used alike. Copies share their tensors; `clone`
/// does not.
class Params {
public:
    /// Throws `Error` when the name is taken.
    void add(const std::string& name, at::Tensor value);

    /// Throws `Error` when there is no such weight.
    const at::Tensor& operator[](const std::string& name) const;
    bool contains(const std::string& name) const { return m_index.contains(name); }

    const std::vector<std::string>& names() const { return m_names; }
    const std::vector<at::Tensor>& tensors() const { return m_tensors; }
    std::int64_t elementCount() const;

    /// Deep copy without gradients.
    Params clone() const;

private:
    std::vector<std::string> m_names;
    std::vector<at::Tensor> m_tensors;
    std::unordered_map<std::string, std::size_t> m_index;
};

}  // namespace dailies::trainer
