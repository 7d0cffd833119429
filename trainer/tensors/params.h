#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::trainer {

class PipelineRunner;

namespace layers {
class Lora;
class TensorParallelComm;
}  // namespace layers

/// Who holds weights in pieces, and the whole of a block's only while it is needed: see
/// `layers::withUnsharded`.
class UnshardHooks {
public:
    virtual ~UnshardHooks() = default;

    /// Before a pass reads the weights of a block: those whose names begin with `block` and a dot. Throws
    /// `Error` for a block that has none.
    virtual void enter(const std::string& block) = 0;
    /// When the pass has read them. `output` is what the block computed: with its gradient backward comes to
    /// the block again.
    virtual void leave(const std::string& block, const at::Tensor& output) = 0;
};

/// The weights of a model: named tensors in a fixed order. A model is a function of its Params, so averaged
/// weights, trained weights and weights read from a file are used alike. Copies share their tensors; `clone`
/// does not.
class Params {
public:
    /// Throws `Error` when the name is taken.
    void add(const std::string& name, at::Tensor value);

    /// Throws `Error` when there is no such weight, or it is one of a block that nobody has entered.
    const at::Tensor& operator[](const std::string& name) const;
    bool contains(const std::string& name) const { return m_index.contains(name); }

    const std::vector<std::string>& names() const { return m_names; }
    const std::vector<at::Tensor>& tensors() const { return m_tensors; }
    std::int64_t elementCount() const;

    /// Deep copy without gradients.
    Params clone() const;

    /// Whom passes must tell which blocks they compute; null where all weights are whole at all times.
    UnshardHooks* unshardHooks() const { return m_unshardHooks; }
    /// `unshardHooks` must outlive this and its copies.
    void setUnshardHooks(UnshardHooks* unshardHooks) { m_unshardHooks = unshardHooks; }

    /// With whom these weights are divided, slice by slice, as the model's rules say; null where they are
    /// whole.
    const layers::TensorParallelComm* tensorParallel() const { return m_tensorParallel; }
    /// `comm` must outlive this, its copies and every backward pass through them.
    void setTensorParallel(const layers::TensorParallelComm* comm) { m_tensorParallel = comm; }

    /// With whom the model's blocks are divided: these are the weights of some; null where they are of all.
    const PipelineRunner* stages() const { return m_stages; }
    /// `stages` must outlive this and its copies.
    void setPipeline(const PipelineRunner* stages) { m_stages = stages; }

    /// What linear layers add to their products, of weights among these (layers/lora.h); null: nothing.
    const layers::Lora* lora() const { return m_lora; }
    /// `lora` must outlive this, its copies and every backward pass through them.
    void setLora(const layers::Lora* lora) { m_lora = lora; }

private:
    UnshardHooks* m_unshardHooks = nullptr;
    const layers::TensorParallelComm* m_tensorParallel = nullptr;
    const layers::Lora* m_lora = nullptr;
    const PipelineRunner* m_stages = nullptr;
    std::vector<std::string> m_names;
    std::vector<at::Tensor> m_tensors;
    std::unordered_map<std::string, std::size_t> m_index;
};

}  // namespace dailies::trainer
