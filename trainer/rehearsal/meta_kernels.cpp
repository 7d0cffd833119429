#include "trainer/rehearsal/meta_kernels.h"

#include "trainer/tensors/autocast_type.h"

#include <ATen/ExpandUtils.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

using OptionalTensor = std::optional<at::Tensor>;

// Sizes and types of results. What a kernel keeps for its backward pass is what those of CPUs and GPUs keep.

std::tuple<at::Tensor, at::Tensor, at::Tensor> layerNormSizes(const at::Tensor& x, at::IntArrayRef normed,
                                                              const OptionalTensor&, const OptionalTensor&,
                                                              double) {
    auto rows = x.sizes().vec();
    for (std::size_t i = rows.size() - normed.size(); i < rows.size(); ++i) rows[i] = 1;
    return {at::empty_like(x, at::MemoryFormat::Contiguous), at::empty(rows, x.options()),
            at::empty(rows, x.options())};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layerNormBackwardSizes(
    const at::Tensor&, const at::Tensor& x, at::IntArrayRef, const at::Tensor&, const at::Tensor&,
    const OptionalTensor& weight, const OptionalTensor& bias, std::array<bool, 3> wanted) {
    const auto like = [](bool isWanted, const OptionalTensor& of) {
        return isWanted && of && of->defined() ? at::empty_like(*of) : at::Tensor();
    };
    return {like(wanted[0], x), like(wanted[1], weight), like(wanted[2], bias)};
}

/// [clips, heads, tokens, headWidth] as the kernels lay it out: tokens before heads, so that joining heads
/// again copies nothing.
at::Tensor byTokens(const at::Tensor& x) {
    return at::empty({x.size(0), x.size(2), x.size(1), x.size(3)}, x.options()).transpose(1, 2);
}

std::tuple<at::Tensor, at::Tensor> attentionSizes(const at::Tensor& query, const at::Tensor&,
                                                  const at::Tensor&, double, bool, const OptionalTensor&,
                                                  std::optional<double>) {
    return {byTokens(query),
            at::empty({query.size(0), query.size(1), query.size(2)}, query.options().dtype(at::kFloat))};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> attentionBackwardSizes(
    const at::Tensor&, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
    const at::Tensor&, const at::Tensor&, double, bool, const OptionalTensor&, std::optional<double>) {
    return {byTokens(query), byTokens(key), byTokens(value)};
}

/// Else LibTorch would take the operations by which it computes attention where it has no kernel, which keep
/// a number for every pair of tokens.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const OptionalTensor& mask, double dropout, bool causal, std::optional<double> scale,
                     bool) {
    // a mask weighs nothing beside the tokens; that of the kernels would be one of numbers
    static_cast<void>(mask);
    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout, causal,
                                                                       std::nullopt, scale));
}

at::Tensor reluSizes(const at::Tensor& x) {
    return at::empty_like(x);
}

at::Tensor rowsSizes(const at::Tensor& x, std::int64_t dim, const at::Tensor& index) {
    auto sizes = x.sizes().vec();
    sizes[static_cast<std::size_t>(dim < 0 ? dim + x.dim() : dim)] = index.numel();
    return at::empty(sizes, x.options());
}

at::Tensor embeddingBackwardSizes(const at::Tensor& gradient, const at::Tensor&, c10::SymInt rows,
                                  c10::SymInt, bool) {
    return at::empty({rows.expect_int(), gradient.size(-1)}, gradient.options());
}

std::tuple<at::Tensor, at::Tensor> logSigmoidSizes(const at::Tensor& x) {
    return {at::empty_like(x), at::empty({0}, x.options())};
}

at::Tensor& eachInto(const at::Tensor& x, at::Tensor& out) {
    out.resize_(x.sizes());
    return out;
}

at::Tensor& eitherInto(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
    out.resize_(at::infer_size(a.sizes(), b.sizes()));
    return out;
}

at::Tensor bucketSizes(const at::Tensor& x, const at::Tensor&, bool asInt32, bool) {
    return at::empty(x.sizes(), x.options().dtype(asInt32 ? at::kInt : at::kLong));
}

void adamInPlace(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                 at::TensorList, double, double, double, double, double, bool, bool, const OptionalTensor&,
                 const OptionalTensor&) {}

// Autocast, as LibTorch has it for CPUs and GPUs: what computes in the lower precision there does so here.

constexpr auto kAutocast = c10::DispatchKey::AutocastPrivateUse1;

at::Tensor lowered(const at::Tensor& x) {
    const bool casts = x.defined() && x.is_floating_point();
    return casts ? x.to(at::autocast::get_autocast_dtype(at::kPrivateUse1)) : x;
}

OptionalTensor lowered(const OptionalTensor& x) {
    return x ? OptionalTensor(lowered(*x)) : x;
}

at::Tensor linearLowered(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias) {
    const c10::impl::ExcludeDispatchKeyGuard once(kAutocast);
    return at::linear(lowered(x), lowered(weight), lowered(bias));
}

at::Tensor productLowered(const at::Tensor& a, const at::Tensor& b) {
    const c10::impl::ExcludeDispatchKeyGuard once(kAutocast);
    return at::matmul(lowered(a), lowered(b));
}

at::Tensor attentionLowered(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const OptionalTensor& mask, double dropout, bool causal,
                            std::optional<double> scale, bool groupedHeads) {
    const c10::impl::ExcludeDispatchKeyGuard once(kAutocast);
    return at::scaled_dot_product_attention(lowered(query), lowered(key), lowered(value), mask, dropout,
                                            causal, scale, groupedHeads);
}

TORCH_LIBRARY_IMPL(aten, Meta, m) {
    m.impl("native_layer_norm", layerNormSizes);
    m.impl("native_layer_norm_backward", layerNormBackwardSizes);
    m.impl("_scaled_dot_product_flash_attention_for_cpu", attentionSizes);
    m.impl("_scaled_dot_product_flash_attention_for_cpu_backward", attentionBackwardSizes);
    m.impl("scaled_dot_product_attention", attention);
    m.impl("relu", reluSizes);
    m.impl("index_select", rowsSizes);
    m.impl("embedding_dense_backward", embeddingBackwardSizes);
    m.impl("log_sigmoid_forward", logSigmoidSizes);
    m.impl("logical_not.out", eachInto);
    m.impl("logical_or.out", eitherInto);
    m.impl("abs.out", eachInto);
    m.impl("bucketize.Tensor", bucketSizes);
    m.impl("_fused_adamw_", adamInPlace);
}

TORCH_LIBRARY_IMPL(aten, AutogradMeta, m) {
    m.impl("scaled_dot_product_attention", attention);
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
    m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
    m.impl("linear", linearLowered);
    m.impl("matmul", productLowered);
    m.impl("scaled_dot_product_attention", attentionLowered);
}

}  // namespace

// autocast itself is off until `AutocastScope` turns it on
MetaComputeScope::MetaComputeScope() : m_autocast(kAutocast) {
    at::autocast::set_autocast_enabled(layers::autocastType(at::kMeta), false);
}

MetaComputeScope::~MetaComputeScope() = default;

}  // namespace dailies::trainer
