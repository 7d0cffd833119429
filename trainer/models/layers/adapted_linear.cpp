#include "trainer/models/layers/adapted_linear.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <utility>

namespace dailies::trainer::layers {

namespace {

at::Tensor asMatrix(const at::Tensor& x) {
    return x.reshape({-1, x.size(-1)});
}

struct AdaptedLinear : torch::autograd::Function<AdaptedLinear> {
    using Context = torch::autograd::AutogradContext;
    using Gradients = torch::autograd::variable_list;

    /// `lower` [matrices · rank, inputs] and `upper` [all their rows, rank]: the factors, one below another.
    /// `first` and `rows` say which outputs each matrix has.
    static at::Tensor forward(Context* context, const at::Tensor& x, const at::Tensor& weight,
                              const std::optional<at::Tensor>& bias, const at::Tensor& lower,
                              const at::Tensor& upper, std::vector<std::int64_t> first,
                              std::vector<std::int64_t> rows, double scale) {
        const auto outputs = at::linear(x, weight, bias).contiguous();
        const auto type = outputs.scalar_type();
        const auto input = x.to(type);
        const auto inner = asMatrix(at::linear(input, lower.to(type)));
        const auto added = upper.to(type);
        const auto all = outputs.view({-1, outputs.size(-1)});
        const auto rank = upper.size(1);
        std::int64_t row = 0;
        for (std::size_t i = 0; i < rows.size(); row += rows[i++])
            all.narrow(1, first[i], rows[i])
                .addmm_(inner.narrow(1, static_cast<std::int64_t>(i) * rank, rank),
                        added.narrow(0, row, rows[i]).t(), 1, scale);
        context->save_for_backward({input, inner, weight, lower, upper});
        context->saved_data["first"] = std::move(first);
        context->saved_data["rows"] = std::move(rows);
        context->saved_data["scale"] = scale;
        context->saved_data["x"] = static_cast<std::int64_t>(x.scalar_type());
        return outputs;
    }

    static Gradients backward(Context* context, const Gradients& given) {
        const auto saved = context->get_saved_variables();
        const auto &input = saved[0], &inner = saved[1], &lower = saved[3], &upper = saved[4];
        const auto first = context->saved_data["first"].toIntVector();
        const auto rows = context->saved_data["rows"].toIntVector();
        const double scale = context->saved_data["scale"].toDouble();
        const auto type = input.scalar_type();
        const auto gradient = asMatrix(given[0].to(type));
        const auto upperHere = upper.to(type);
        const auto rank = upper.size(1);
        auto ofInner = at::empty_like(inner);
        std::vector<at::Tensor> ofUpper;
        std::int64_t row = 0;
        for (std::size_t i = 0; i < rows.size(); row += rows[i++]) {
            const auto part = gradient.narrow(1, first[i], rows[i]);
            const auto at = static_cast<std::int64_t>(i) * rank;
            auto ofPart = ofInner.narrow(1, at, rank);
            at::mm_out(ofPart, part, upperHere.narrow(0, row, rows[i]));
            ofUpper.push_back(at::mm(part.t(), inner.narrow(1, at, rank)));
        }
        ofInner.mul_(scale);
        at::Tensor ofX;
        if (context->needs_input_grad(0)) {
            ofX = at::mm(gradient, saved[2].to(type)).addmm_(ofInner, lower.to(type)).view(input.sizes());
            ofX = ofX.to(static_cast<at::ScalarType>(context->saved_data["x"].toInt()));
        }
        const auto ofLower = at::mm(ofInner.t(), asMatrix(input)).to(lower.scalar_type());
        const auto allUpper = (ofUpper.size() == 1 ? ofUpper.front() : at::cat(ofUpper)) * scale;
        return {ofX, {}, {}, ofLower, allUpper.to(upper.scalar_type()), {}, {}, {}};
    }
};

}  // namespace

at::Tensor adaptedLinear(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                         const std::vector<AdaptedRows>& adapted, double scale) {
    std::vector<at::Tensor> lower, upper;
    std::vector<std::int64_t> first, rows;
    for (const auto& each : adapted) {
        lower.push_back(each.lower);
        upper.push_back(each.upper);
        first.push_back(each.first);
        rows.push_back(each.upper.size(0));
    }
    const bool one = adapted.size() == 1;
    return AdaptedLinear::apply(x, weight, bias, one ? lower.front() : at::cat(lower),
                                one ? upper.front() : at::cat(upper), std::move(first), std::move(rows),
                                scale);
}

}  // namespace dailies::trainer::layers
