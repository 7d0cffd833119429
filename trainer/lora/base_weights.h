#pragma once

#include "trainer/models/model_family.h"
#include "trainer/tensors/streamed_weights.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace dailies::trainer::lora {

/// Weights that stay as they are while others are trained on top of them or beside them.
struct BaseWeights {
    Params weights;  ///< on the device, without gradients; some blocks there only while passes read them
    std::string identity;                            ///< of their values: other weights have another
    std::shared_ptr<StreamedWeights> streamed = {};  ///< those blocks; null: there are none
};

/// A weight that stays as it is, as passes read it: a copy, with `bf16` of matrices that compute in bfloat16
/// anyhow in that.
at::Tensor frozenCopy(const std::string& name, const at::Tensor& whole, at::Device device, bool bf16);

/// Reads them one by one with `read`, whole and float32. With `bf16` the matrices that compute in bfloat16
/// anyhow are kept so, which halves the memory and changes no result. `isPart`: which of the model's weights
/// they are; null: all. The first `swappedBlocks` blocks wait on the host (`StreamedWeights`).
BaseWeights loadBase(const Model& model, const WeightInitializer::Read& read, at::Device device, bool bf16,
                     const std::function<bool(const std::string& name)>& isPart = {},
                     std::int64_t swappedBlocks = 0);

/// Base weights and trained ones as one set, which the base's layers read.
class JoinedWeights {
public:
    /// `trained`: may be in pieces now.
    JoinedWeights(const Params& base, const Params& trained);

    bool isOf(const Params& trained) const;
    const Params& weights() const { return m_weights; }
    Params& weights() { return m_weights; }

private:
    class Hooks;

    Params m_trained, m_weights;
    std::shared_ptr<Hooks> m_hooks;
};

/// What was joined last: backward passes read it after their forward pass is gone. Any number of threads.
template <class Joined>
class JoinedCache {
public:
    template <class Make>
    std::shared_ptr<Joined> of(const Params& trained, Make make) {
        constexpr std::size_t kKept = 2;  // trained and averaged
        const std::lock_guard lock(m_mutex);
        auto found = m_kept.begin();
        while (found != m_kept.end() && !(*found)->isOf(trained)) ++found;
        if (found != m_kept.end())
            m_kept.splice(m_kept.begin(), m_kept, found);
        else
            m_kept.push_front(make());
        if (m_kept.size() > kKept) m_kept.pop_back();
        return m_kept.front();
    }

private:
    std::list<std::shared_ptr<Joined>> m_kept;
    std::mutex m_mutex;
};

}  // namespace dailies::trainer::lora
