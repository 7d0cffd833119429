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
                          const at::Tensor& rstd) {
    return {.groups = x.size(0),
            .count = x.size(1),
            .width = x.size(2),
            .x = x.const_data_ptr<float>(),
            .scale = scale.const_data_ptr<float>(),
            .mean = mean.mutable_data_ptr<float>(),
            .rstd = rstd.mutable_data_ptr<float>(),
            .epsilon = kNormEpsilon};
}

struct Modulated : torch::autograd::Function<Modulated> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& shift,
                              const at::Tensor& scale) {
        const auto x = given.contiguous(), ownShift = shift.contiguous(), ownScale = scale.contiguous();
        auto out = at::empty_like(x);
        const auto mean = at::empty({x.size(0), x.size(1)}, x.options()), rstd = at::empty_like(mean);
        auto rows = rowsOf(x, ownScale, mean, rstd);
        rows.shift = ownShift.const_data_ptr<float>();
        cpu::modulate(rows, out.mutable_data_ptr<float>());
        context->save_for_backward({x, ownScale, mean, rstd});
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

cpu::RopeHeads headsOf(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& cosine,
                       const at::Tensor& sine, const at::Tensor& rstd) {
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
            .rstd = rstd.mutable_data_ptr<float>(),
            .epsilon = kNormEpsilon};
}

struct Turned : torch::autograd::Function<Turned> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& gain,
                              const at::Tensor& cosine, const at::Tensor& sine) {
        const bool sideBySide = given.stride(3) == 1 && given.stride(2) == given.size(3);
        const auto x = sideBySide ? given : given.contiguous();
        auto out = at::empty(x.sizes(), x.options());
        const auto rstd = at::empty({x.size(0), x.size(1), x.size(2)}, x.options());
        cpu::rope(headsOf(x, gain, cosine, sine, rstd), out.mutable_data_ptr<float>());
        context->save_for_backward({x, gain, cosine, sine, rstd});
        return out;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &x = saved[0], &gain = saved[1];
        const auto gradient = gradients[0].contiguous();
        const auto dX = at::empty(x.sizes(), x.options()), dGain = at::empty_like(gain);
        cpu::ropeBackward(headsOf(x, gain, saved[2], saved[3], saved[4]), gradient.const_data_ptr<float>(),
                          dX.mutable_data_ptr<float>(), dGain.mutable_data_ptr<float>());
        return {dX, dGain, at::Tensor(), at::Tensor()};
    }
};

struct Gated : torch::autograd::Function<Gated> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& added,
                              const at::Tensor& open) {
        const auto x = given.contiguous(), change = added.contiguous(), gate = open.contiguous();
        auto sum = at::empty_like(x);
        cpu::gate(rowsOf(change, gate), x.const_data_ptr<float>(), sum.mutable_data_ptr<float>());
        context->save_for_backward({change, gate});
        return sum;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &change = saved[0], &gate = saved[1];
        const auto gradient = gradients[0].contiguous();
        const auto dChange = at::empty_like(change), dGate = at::empty_like(gate);
        cpu::gateBackward(rowsOf(change, gate), gradient.const_data_ptr<float>(),
                          dChange.mutable_data_ptr<float>(), dGate.mutable_data_ptr<float>());
        return {gradients[0], dChange, dGate};
    }

private:
    static cpu::GatedRows rowsOf(const at::Tensor& change, const at::Tensor& gate) {
        return {.groups = change.size(0),
                .count = change.size(1),
                .width = change.size(2),
                .change = change.const_data_ptr<float>(),
                .gate = gate.const_data_ptr<float>()};
    }
};

/// Of x and perhaps a bias: autograd takes no undefined tensors.
struct Activated : torch::autograd::Function<Activated> {
    static at::Tensor forward(AutogradContext* context, at::TensorList inputs, std::int64_t activation) {
        const auto x = inputs[0].contiguous(), bias = inputs.size() > 1 ? inputs[1] : at::Tensor();
        auto out = at::empty_like(x);
        cpu::activate(rowsOf(x, bias, activation), out.mutable_data_ptr<float>());
        context->save_for_backward({x, bias});
        context->saved_data["activation"] = activation;
        return out;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &x = saved[0], &bias = saved[1];
        const auto gradient = gradients[0].contiguous();
        const auto dX = at::empty_like(x);
        const auto dBias = bias.defined() ? at::empty_like(bias) : at::Tensor();
        cpu::activateBackward(rowsOf(x, bias, context->saved_data["activation"].toInt()),
                              gradient.const_data_ptr<float>(), dX.mutable_data_ptr<float>(),
                              bias.defined() ? dBias.mutable_data_ptr<float>() : nullptr);
        return bias.defined() ? variable_list{dX, dBias, at::Tensor()} : variable_list{dX, at::Tensor()};
    }

private:
    static cpu::HiddenRows rowsOf(const at::Tensor& x, const at::Tensor& bias, std::int64_t activation) {
        return {.count = x.numel() / x.size(-1),
                .width = x.size(-1),
                .x = x.const_data_ptr<float>(),
                .bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr,
                .activation = static_cast<cpu::Activation>(activation)};
    }
};

cpu::Activation activationOf(const std::string& name) {
    if (name == "relu2") return cpu::Activation::relu2;
    return name == "gelu" ? cpu::Activation::gelu : cpu::Activation::geluTanh;
}

}  // namespace

bool fusable(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat && at::get_num_threads() == 1;
}

bool fusableModulation(const at::Tensor& x, const at::Tensor& shift) {
    return fusable(x) && x.dim() == 3 && shift.dim() == 3 && shift.size(0) == x.size(0) && shift.size(1) == 1;
}

at::Tensor fusedNormModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    return Modulated::apply(x, shift, scale);
}

bool fusableRope(const at::Tensor& x, const RopeTable& rope) {
    return fusable(x) && !rope.interleaved;
}

at::Tensor fusedNormRope(const at::Tensor& x, const at::Tensor& gain, const RopeTable& rope) {
    return Turned::apply(x, gain, rope.cos, rope.sin);
}

bool fusableGate(const at::Tensor& x, const at::Tensor& change, const at::Tensor& gate) {
    return fusableModulation(x, gate) && fusable(change) && change.sizes() == x.sizes();
}

at::Tensor fusedGatedResidual(const at::Tensor& x, const at::Tensor& change, const at::Tensor& gate) {
    return Gated::apply(x, change, gate);
}

at::Tensor fusedActivation(const at::Tensor& x, const at::Tensor& bias, const std::string& activation) {
    const std::vector<at::Tensor> inputs = bias.defined() ? std::vector{x, bias} : std::vector{x};
    return Activated::apply(at::TensorList(inputs), static_cast<std::int64_t>(activationOf(activation)));
}

}  // namespace dailies::trainer::layers
