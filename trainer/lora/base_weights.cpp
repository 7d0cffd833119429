#include "trainer/lora/base_weights.h"

#include "core/base/numbers.h"
#include "core/digest/sha256.h"
#include "trainer/optim/master_weights.h"
#include "trainer/tensors/tensor_memory.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace dailies::trainer::lora {

namespace {

/// "blocks.12" → 12; one outside the blocks is behind all.
std::int64_t placeOf(const std::string& block) {
    return parseInteger(block.substr(block.find('.') + 1)).value_or(std::numeric_limits<std::int64_t>::max());
}

constexpr std::int64_t kNumbersOfIdentity = 256;  // of each weight: fine-tuning changes nearly all of them

}  // namespace

BaseStorage BaseStorage::of(const config::TrainConfig& config) {
    return {.bf16 = config.runtime.precision == "bf16",
            .int8 = config.lora.base_precision == "int8",
            .swappedBlocks = config.lora.blocks_to_swap};
}

BaseWeights loadBase(const Model& model, const WeightInitializer::Read& read, at::Device device,
                     const BaseStorage& storage, const std::function<bool(const std::string& name)>& isPart) {
    Sha256 digest;
    BaseWeights base;
    base.streamed = std::make_shared<StreamedWeights>(device);
    const auto add = [&](const std::string& name, const at::Tensor& whole) {
        const auto block = blockOf(name);
        const bool isSwapped = placeOf(block) < storage.swappedBlocks;
        const auto type = storage.bf16 && computesInBf16(name) ? at::kBFloat16 : at::kFloat;
        const auto waiting = [&](const at::Tensor& weight) {
            if (!isSwapped) return weight;
            const auto host = weight.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
            return device.is_cuda() ? host.pin_memory() : host;
        };
        if (storage.int8 && !block.empty() && computesInBf16(name)) {
            // as whole rows are rounded, however ranks divide them
            const auto [values, scales] = toInt8(whole.to(device));
            const auto ownScales =
                storage.shardOf(name, scales.expand_as(values)).narrow(1, 0, 1).contiguous();
            base.streamed->addWaiting(
                name, Int8Matrix{waiting(storage.shardOf(name, values)), waiting(ownScales)}, type);
        } else if (isSwapped) {
            base.streamed->addWaiting(name, waiting(storage.shardOf(name, whole).to(type)));
        } else {
            base.streamed->addResident(
                name, storage.shardOf(name, whole).to(device, type, /*non_blocking=*/false, /*copy=*/true));
        }
    };
    model.weightsFrom(read, [&](const std::string& name, const at::Tensor& whole) {
        if (isPart && !isPart(name)) return at::Tensor();
        const auto some =
            whole.flatten().narrow(0, 0, std::min(kNumbersOfIdentity, whole.numel())).contiguous();
        digest.add(name);
        digest.add({reinterpret_cast<const char*>(some.const_data_ptr<float>()),
                    static_cast<std::size_t>(some.numel()) * sizeof(float)});
        add(name, whole.detach());
        return at::Tensor();
    });
    base.identity = digest.hex(kIdDigits);
    base.weights = base.streamed->onDevice();
    return base;
}

/// A block's weights are there when the base's and the trained ones are. Where ranks divide the trained ones
/// block by block, blocks without any have nothing to gather.
class JoinedWeights::Hooks : public UnshardHooks {
public:
    Hooks(UnshardHooks* base, const Params& trained) : m_base(base), m_trained(trained.unshardHooks()) {
        for (const auto& name : trained.names()) m_blocks.insert(blockOf(name));
    }

    void enter(const std::string& block) override {
        if (m_base) m_base->enter(block);
        if (isTrained(block)) m_trained->enter(block);
    }
    void leave(const std::string& block, const at::Tensor& output) override {
        if (m_base) m_base->leave(block, output);
        if (isTrained(block)) m_trained->leave(block, output);
    }

private:
    bool isTrained(const std::string& block) const { return m_trained && m_blocks.contains(block); }

    UnshardHooks *m_base, *m_trained;
    std::set<std::string> m_blocks;
};

JoinedWeights::JoinedWeights(const Params& base, const Params& trained) : m_trained(trained) {
    // not operator[], which refuses weights that are elsewhere or in pieces now
    for (const auto* part : {&base, &trained})
        for (std::size_t i = 0; i < part->names().size(); ++i)
            m_weights.add(part->names()[i], part->tensors()[i]);
    m_weights.setTensorParallel(trained.tensorParallel());
    if (base.unshardHooks() || trained.unshardHooks()) {
        m_hooks = std::make_shared<Hooks>(base.unshardHooks(), trained);
        m_weights.setUnshardHooks(m_hooks.get());
    }
}

bool JoinedWeights::isOf(const Params& trained) const {
    return trained.unshardHooks() == m_trained.unshardHooks() &&
           trained.tensorParallel() == m_trained.tensorParallel() &&
           std::ranges::equal(trained.tensors(), m_trained.tensors(),
                              [](const auto& a, const auto& b) { return a.is_same(b); });
}

}  // namespace dailies::trainer::lora
