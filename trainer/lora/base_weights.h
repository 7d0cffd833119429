#pragma once

#include "core/config/train_config.h"
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
    Params weights;        ///< on the device, without gradients; some there only while passes read them
    std::string identity;  ///< of their values as they were read: other weights have another
    std::shared_ptr<StreamedWeights> streamed = {};  ///< keeps those that are not; null: there are none
};

/// How they are kept.
struct BaseStorage {
    /// The matrices that compute in bfloat16 anyhow are kept so, which halves the memory and changes no
    /// result.
    bool bf16 = false;
    bool int8 = false;               ///< those of them that stand in blocks, in 8 bits
    std::int64_t swappedBlocks = 0;  ///< so many of the first blocks wait in the node's memory
    /// This rank's of a whole tensor that is sized like the weight, where ranks divide the base
    /// (`TensorParallelShards::own`).
    std::function<at::Tensor(const std::string& name, const at::Tensor& whole)> shardOf =
        [](const std::string&, const at::Tensor& whole) { return whole; };

    /// As a run of this configuration keeps them.
    static BaseStorage of(const config::TrainConfig& config);
};

/// Reads them one by one with `read`, whole and float32. `isPart`: which of the model's weights they are;
/// null: all.
BaseWeights loadBase(const Model& model, const WeightInitializer::Read& read, at::Device device,
                     const BaseStorage& storage,
                     const std::function<bool(const std::string& name)>& isPart = {});

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
