#include "trainer/models/layers/fused.h"

#include "trainer/models/layers/cpu_kernels.h"
#include "trainer/models/layers/norms.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace dailies::trainer::layers {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

cpu::ModulatedRows rowsOf(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& mean,
                          const at::Tensor& inverse) {
    return {.groups = x.size(0),
            .count = x.size(1),
            .width = x.size(2),
            .x = x.const_data_ptr<float>(),
            .scale = scale.const_data_ptr<float>(),
            .mean = mean.mutable_data_ptr<float>(),
            .inverse = inverse.mutable_data_ptr<float>(),
            .epsilon = kNormEpsilon};
}

struct Modulated : torch::autograd::Function<Modulated> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& shift,
                              const at::Tensor& scale) {
        const auto x = given.contiguous(), ownShift = shift.contiguous(), ownScale = scale.contiguous();
        auto out = at::empty_like(x);
        const auto mean = at::empty({x.size(0), x.size(1)}, x.options()), inverse = at::empty_like(mean);
        auto rows = rowsOf(x, ownScale, mean, inverse);
        rows.shift = ownShift.const_data_ptr<float>();
        cpu::modulate(rows, out.mutable_data_ptr<float>());
        context->save_for_backward({x, ownScale, mean, inverse});
        return out;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &x = saved[0], &scale = saved[1];
        const auto gradient = gradients[0].contiguous();
        const auto dX = at::empty_like(x), dScale = at::empty_like(scale), dShift = at::empty_like(scale);
        cpu::modulateBackward(rowsOf(x, scale, saved[2], saved[3]), gradient.const_data_ptr<float>(),
                              dX.mutable_data_ptr<float>(), dScale.mutable_data_ptr<float>(),
                              dShift.mutable_data_ptr<float>());
        return {dX, dShift, dScale};
    }
};

cpu::TurnedHeads headsOf(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& cosine,
                         const at::Tensor& sine, const at::Tensor& inverse) {
    return {.clips = x.size(0),
            .tokens = x.size(1),
            .heads = x.size(2),
            .width = x.size(3),
            .clipStride = x.stride(0),
            .tokenStride = x.stride(1),
            .x = x.const_data_ptr<float>(),
            .gain = gain.const_data_ptr<float>(),
            .cosine = cosine.const_data_ptr<float>(),
            .sine = sine.const_data_ptr<float>(),
            .inverse = inverse.mutable_data_ptr<float>(),
            .epsilon = kNormEpsilon};
}

struct Turned : torch::autograd::Function<Turned> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& gain,
                              const at::Tensor& cosine, const at::Tensor& sine) {
        const bool sideBySide = given.stride(3) == 1 && given.stride(2) == given.size(3);
        const auto x = sideBySide ? given : given.contiguous();
        auto out = at::empty(x.sizes(), x.options());
        const auto inverse = at::empty({x.size(0), x.size(1), x.size(2)}, x.options());
        cpu::turn(headsOf(x, gain, cosine, sine, inverse), out.mutable_data_ptr<float>());
        context->save_for_backward({x, gain, cosine, sine, inverse});
        return out;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &x = saved[0], &gain = saved[1];
        const auto gradient = gradients[0].contiguous();
        const auto dX = at::empty(x.sizes(), x.options()), dGain = at::empty_like(gain);
        cpu::turnBackward(headsOf(x, gain, saved[2], saved[3], saved[4]), gradient.const_data_ptr<float>(),
                          dX.mutable_data_ptr<float>(), dGain.mutable_data_ptr<float>());
        return {dX, dGain, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

bool fusable(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat && at::get_num_threads() == 1;
}

bool fusableModulation(const at::Tensor& x, const at::Tensor& shift) {
    return fusable(x) && x.dim() == 3 && shift.dim() == 3 && shift.size(0) == x.size(0) && shift.size(1) == 1;
}

at::Tensor fusedModulated(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    return Modulated::apply(x, shift, scale);
}

bool fusableTurn(const at::Tensor& x, const Turn& turn) {
    return fusable(x) && !turn.interleaved;
}

at::Tensor fusedTurned(const at::Tensor& x, const at::Tensor& gain, const Turn& turn) {
    return Turned::apply(x, gain, turn.cos, turn.sin);
}

}  // namespace dailies::trainer::layers
