#include "trainer/parallel/tensor_parallel.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// An axis of tensors, and the ranks that divide it.
struct DividedAxis : torch::CustomClassHolder {
    DividedAxis(ProcessGroup& divided, std::int64_t axis) : ranks(divided), dim(axis) {}
    ProcessGroup& ranks;
    std::int64_t dim;
};

c10::intrusive_ptr<DividedAxis> axisOf(AutogradContext* context) {
    return c10::static_intrusive_pointer_cast<DividedAxis>(context->saved_data["axis"].toCapsule());
}

at::Tensor gatherStretches(const at::Tensor& own, const DividedAxis& axis) {
    const auto part = own.contiguous();
    auto sizes = part.sizes().vec();
    sizes.insert(sizes.begin(), axis.ranks.size());
    const auto all = at::empty(sizes, part.options());
    axis.ranks.startAllGather(all, part.unsqueeze(0)).wait();
    return all.movedim(0, axis.dim).flatten(axis.dim, axis.dim + 1);
}

at::Tensor sumStretch(const at::Tensor& part, const DividedAxis& axis) {
    const auto byRank = part.unflatten(axis.dim, {axis.ranks.size(), -1}).movedim(axis.dim, 0).contiguous();
    const auto own = at::empty(byRank.sizes().slice(1), byRank.options());
    axis.ranks.startReduceScatter(own.unsqueeze(0), byRank).wait();
    return own;
}

struct GatheredStretches : torch::autograd::Function<GatheredStretches> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& own,
                              const c10::intrusive_ptr<DividedAxis>& axis) {
        context->saved_data["axis"] = c10::IValue::make_capsule(axis);
        return gatherStretches(own, *axis);
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        return {sumStretch(gradients[0], *axisOf(context)), at::Tensor()};
    }
};

struct SummedStretch : torch::autograd::Function<SummedStretch> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& part,
                              const c10::intrusive_ptr<DividedAxis>& axis) {
        context->saved_data["axis"] = c10::IValue::make_capsule(axis);
        return sumStretch(part, *axis);
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        return {gatherStretches(gradients[0], *axisOf(context)), at::Tensor()};
    }
};

std::int64_t axisFromFront(const at::Tensor& x, std::int64_t dim) {
    return dim < 0 ? dim + x.dim() : dim;
}

}  // namespace

at::Tensor TensorParallel::allGather(const at::Tensor& own, std::int64_t dim) const {
    return GatheredStretches::apply(own, c10::make_intrusive<DividedAxis>(m_ranks, axisFromFront(own, dim)));
}

at::Tensor TensorParallel::reduceScatter(const at::Tensor& part, std::int64_t dim) const {
    return SummedStretch::apply(part, c10::make_intrusive<DividedAxis>(m_ranks, axisFromFront(part, dim)));
}

}  // namespace dailies::trainer
