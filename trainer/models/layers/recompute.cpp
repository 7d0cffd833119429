#include "trainer/models/layers/recompute.h"

#include "core/config/recompute.h"
#include "trainer/tensors/autocast_type.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::layers {

namespace {

/// The piece, with the autocast that was in force when it ran: the backward pass runs outside of that scope.
struct HeldPiece : torch::CustomClassHolder {
    HeldPiece(RecomputedFn piece, Kept what, at::Device where)
        : run(std::move(piece)),
          kept(what),
          device(where),
          deviceType(autocastType(where)),
          autocast(at::autocast::is_autocast_enabled(deviceType)),
          type(at::autocast::get_autocast_dtype(deviceType)) {}

    RecomputedFn run;
    Kept kept;
    at::Device device;
    at::DeviceType deviceType;
    bool autocast;
    at::ScalarType type;
};

/// Autocast as it was, without its cache of casts, which outlives neither grad mode nor graph.
class AutocastAgain {
public:
    explicit AutocastAgain(const HeldPiece& piece)
        : m_device(piece.deviceType),
          m_enabled(at::autocast::is_autocast_enabled(m_device)),
          m_type(at::autocast::get_autocast_dtype(m_device)),
          m_cache(at::autocast::is_autocast_cache_enabled()) {
        at::autocast::set_autocast_enabled(m_device, piece.autocast);
        at::autocast::set_autocast_dtype(m_device, piece.type);
        at::autocast::set_autocast_cache_enabled(false);
    }
    ~AutocastAgain() {
        at::autocast::set_autocast_enabled(m_device, m_enabled);
        at::autocast::set_autocast_dtype(m_device, m_type);
        at::autocast::set_autocast_cache_enabled(m_cache);
    }
    AutocastAgain(const AutocastAgain&) = delete;
    AutocastAgain& operator=(const AutocastAgain&) = delete;

private:
    at::DeviceType m_device;
    bool m_enabled;
    at::ScalarType m_type;
    bool m_cache;
};

/// A copy, of which the device need not wait to be made; it says, too, whether a gradient is wanted.
at::Tensor onHost(const at::Tensor& x) {
    const auto options = x.options().device(at::kCPU).requires_grad(false).pinned_memory(x.is_cuda());
    return at::empty(x.sizes(), options)
        .copy_(x.detach(), /*non_blocking=*/true)
        .set_requires_grad(x.requires_grad());
}

struct Recomputed : torch::autograd::Function<Recomputed> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, at::TensorList inputs,
                              const c10::intrusive_ptr<HeldPiece>& piece) {
        auto kept = inputs.vec();
        if (piece->kept == Kept::firstOnHost) kept[0] = onHost(kept[0]);
        context->save_for_backward(std::move(kept));
        context->saved_data["piece"] = c10::IValue::make_capsule(piece);
        const AutocastAgain autocast(*piece);
        return piece->run(inputs.vec());
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto piece =
            c10::static_intrusive_pointer_cast<HeldPiece>(context->saved_data["piece"].toCapsule());
        std::vector<at::Tensor> inputs;
        for (const auto& saved : context->get_saved_variables())
            inputs.push_back(saved.detach()
                                 .to(piece->device, /*non_blocking=*/true)
                                 .set_requires_grad(saved.requires_grad()));
        at::Tensor output;
        {
            const at::AutoGradMode withGradients(true);
            const AutocastAgain autocast(*piece);
            output = piece->run(inputs);
        }
        torch::autograd::backward({output}, {gradients[0]});
        torch::autograd::variable_list results;
        for (const auto& input : inputs) results.push_back(input.grad());
        results.emplace_back();  // the piece itself
        return results;
    }
};

}  // namespace

at::Tensor withRecompute(const RecomputedFn& piece, const std::vector<at::Tensor>& inputs, Kept kept) {
    if (!at::GradMode::is_enabled()) return piece(inputs);
    // autograd keeps defined tensors only; the piece sees the undefined ones again at their places
    std::vector<at::Tensor> defined;
    std::vector<bool> present;
    for (const auto& input : inputs) {
        present.push_back(input.defined());
        if (input.defined()) defined.push_back(input);
    }
    const auto restored = [piece, present](const std::vector<at::Tensor>& given) {
        std::vector<at::Tensor> all;
        auto next = given.begin();
        for (const bool there : present) all.push_back(there ? *next++ : at::Tensor());
        return piece(all);
    };
    return Recomputed::apply(at::TensorList(defined),
                             c10::make_intrusive<HeldPiece>(restored, kept, defined.front().device()));
}

at::Tensor runBlock(const std::string& mode, const RecomputedFn& attention, const RecomputedFn& mlp,
                    const std::vector<at::Tensor>& inputs) {
    const auto attended = [&attention](std::vector<at::Tensor> given) {
        given[0] = attention(given);
        return given;
    };
    if (config::recomputesBlocks(mode))
        return withRecompute(
            [attention, mlp](std::vector<at::Tensor> given) {
                given[0] = attention(given);
                return mlp(given);
            },
            inputs, mode == "offload" && inputs[0].is_cuda() ? Kept::firstOnHost : Kept::onDevice);
    return mode == "selective" ? withRecompute(mlp, attended(inputs)) : mlp(attended(inputs));
}

}  // namespace dailies::trainer::layers
