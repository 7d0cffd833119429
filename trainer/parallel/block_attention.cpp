#include "trainer/parallel/block_attention.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

bool isHalf(const at::Tensor& x) {
    return x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf;
}

/// Nothing is drawn at random without dropout, so the seed and offset that these kernels ask for are any.
at::Tensor noSeed(const at::Tensor& like) {
    return at::zeros({}, like.options().dtype(at::kLong));
}

}  // namespace

AttentionBlock attendBlock(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    if (query.is_cpu() || query.is_meta()) {
        const auto [out, logSumExp] = at::_scaled_dot_product_flash_attention_for_cpu(query, key, value);
        return {out, logSumExp};
    }
    if (isHalf(query)) {
        const auto result = at::_scaled_dot_product_flash_attention(query, key, value);
        return {std::get<0>(result), std::get<1>(result)};
    }
    const auto result = at::_scaled_dot_product_efficient_attention(query, key, value, std::nullopt,
                                                                    /*compute_log_sumexp=*/true);
    // its rows are padded to a multiple of 32
    return {std::get<0>(result), std::get<1>(result).narrow(-1, 0, query.size(2))};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> attendBlockBackward(const at::Tensor& gradient,
                                                                   const at::Tensor& query,
                                                                   const at::Tensor& key,
                                                                   const at::Tensor& value,
                                                                   const AttentionBlock& whole) {
    if (query.is_cpu() || query.is_meta())
        return at::_scaled_dot_product_flash_attention_for_cpu_backward(
            gradient, query, key, value, whole.out, whole.logSumExp, /*dropout_p=*/0.0, /*is_causal=*/false);
    const auto seed = noSeed(query);
    if (isHalf(query))
        return at::_scaled_dot_product_flash_attention_backward(
            gradient, query, key, value, whole.out, whole.logSumExp, /*cum_seq_q=*/{}, /*cum_seq_k=*/{},
            query.size(2), key.size(2), /*dropout_p=*/0.0, /*is_causal=*/false, seed, seed);
    const auto padding = (32 - query.size(2) % 32) % 32;
    const auto logSumExp = at::constant_pad_nd(whole.logSumExp, {0, padding}).contiguous();
    const auto result = at::_scaled_dot_product_efficient_attention_backward(
        gradient, query, key, value, /*attn_bias=*/{}, whole.out, logSumExp, seed, seed, /*dropout_p=*/0.0,
        {true, true, true, false});
    return {std::get<0>(result), std::get<1>(result), std::get<2>(result)};
}

void mergeBlock(AttentionBlock& sum, const AttentionBlock& next) {
    if (!sum.out.defined()) {
        sum = {next.out.to(at::kFloat), next.logSumExp};
        return;
    }
    const auto difference = next.logSumExp - sum.logSumExp;
    sum.out = at::lerp(sum.out, next.out.to(at::kFloat), at::sigmoid(difference).unsqueeze(-1));
    sum.logSumExp = sum.logSumExp - at::log_sigmoid(-difference);
}

}  // namespace dailies::trainer
