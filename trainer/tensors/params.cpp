#include "trainer/tensors/params.h"

#include "core/base/error.h"

namespace dailies::trainer {

void Params::add(const std::string& name, at::Tensor value) {
    if (!m_index.emplace(name, m_tensors.size()).second)
        throw Error("The model has two weights named " + name + ".");
    m_names.push_back(name);
    m_tensors.push_back(std::move(value));
}

const at::Tensor& Params::operator[](const std::string& name) const {
    const auto found = m_index.find(name);
    if (found == m_index.end()) throw Error("The model has no weight named " + name + ".");
    const auto& tensor = m_tensors[found->second];
    if (m_unshardHooks && tensor.storage().nbytes() == 0)
        throw Error("The weight " + name + " is read outside of its block, where it is in pieces.");
    return tensor;
}

std::int64_t Params::elementCount() const {
    std::int64_t count = 0;
    for (const auto& tensor : m_tensors) count += tensor.numel();
    return count;
}

Params Params::clone() const {
    Params copy;
    for (std::size_t i = 0; i < m_names.size(); ++i) copy.add(m_names[i], m_tensors[i].detach().clone());
    return copy;
}

}  // namespace dailies::trainer
