#include "trainer/lora/base_weights.h"

#include "core/digest/sha256.h"
#include "trainer/optim/master_weights.h"

#include <torch/types.h>

#include <algorithm>
#include <set>

namespace dailies::trainer::lora {

namespace {

constexpr std::int64_t kNumbersOfIdentity = 256;  // of each weight: fine-tuning changes nearly all of them

}  // namespace

at::Tensor frozenCopy(const std::string& name, const at::Tensor& whole, at::Device device, bool bf16) {
    return whole.detach().to(device, bf16 && computesInBf16(name) ? at::kBFloat16 : at::kFloat,
                             /*non_blocking=*/false, /*copy=*/true);
}

BaseWeights loadBase(const Model& model, const WeightInitializer::Read& read, at::Device device, bool bf16,
                     const std::function<bool(const std::string& name)>& isPart) {
    Sha256 digest;
    BaseWeights base;
    base.weights = model.weightsFrom(read, [&](const std::string& name, const at::Tensor& whole) {
        if (isPart && !isPart(name)) return at::Tensor();
        const auto some =
            whole.flatten().narrow(0, 0, std::min(kNumbersOfIdentity, whole.numel())).contiguous();
        digest.add(name);
        digest.add({reinterpret_cast<const char*>(some.const_data_ptr<float>()),
                    static_cast<std::size_t>(some.numel()) * sizeof(float)});
        return frozenCopy(name, whole, device, bf16);
    });
    base.identity = digest.hex(kIdDigits);
    return base;
}

/// Where ranks divide the trained weights block by block, blocks without any have nothing to gather.
class JoinedWeights::Hooks : public UnshardHooks {
public:
    Hooks(UnshardHooks& hooks, const Params& trained) : m_hooks(hooks) {
        for (const auto& name : trained.names())
            m_blocks.insert(name.substr(0, name.find('.', name.find('.') + 1)));
    }

    void enter(const std::string& block) override {
        if (m_blocks.contains(block)) m_hooks.enter(block);
    }
    void leave(const std::string& block, const at::Tensor& output) override {
        if (m_blocks.contains(block)) m_hooks.leave(block, output);
    }

private:
    UnshardHooks& m_hooks;
    std::set<std::string> m_blocks;
};

JoinedWeights::JoinedWeights(const Params& base, const Params& trained) : m_trained(trained) {
    for (const auto& name : base.names()) m_weights.add(name, base[name]);
    // not operator[], which refuses weights that are in pieces now
    for (std::size_t i = 0; i < trained.names().size(); ++i)
        m_weights.add(trained.names()[i], trained.tensors()[i]);
    if (auto* hooks = trained.unshardHooks()) {
        m_hooks = std::make_shared<Hooks>(*hooks, trained);
        m_weights.setUnshardHooks(m_hooks.get());
    }
}

bool JoinedWeights::isOf(const Params& trained) const {
    return trained.unshardHooks() == m_trained.unshardHooks() &&
           std::ranges::equal(trained.tensors(), m_trained.tensors(),
                              [](const auto& a, const auto& b) { return a.is_same(b); });
}

}  // namespace dailies::trainer::lora
