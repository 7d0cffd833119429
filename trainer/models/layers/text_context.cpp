#include "trainer/models/layers/text_context.h"

#include "core/base/error.h"
#include "trainer/models/layers/linear.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

namespace dailies::trainer::layers {

namespace {

at::Tensor neverEmpty(const at::Tensor& mask) {
    return mask.logical_or(mask.any(-1, /*keepdim=*/true).logical_not());
}

const at::Tensor& wordsOf(const TextInput& text) {
    if (!text.words.defined()) throw Error("The model reads the words of captions, and the batch has none.");
    return text.words;
}

const at::Tensor& embeddingsOf(const TextInput& text) {
    if (!text.embeddings.defined())
        throw Error("The model reads embeddings of captions, and the batch has none.");
    return text.embeddings;
}

}  // namespace

TextContext embeddedText(const TextInput& text) {
    return {embeddingsOf(text), text.mask.defined() ? neverEmpty(text.mask) : at::Tensor()};
}

TextContext textInPlaces(const TextInput& text, std::int64_t places) {
    auto tokens = embeddingsOf(text);
    // not a product: what stands behind a caption's last token need not be finite
    if (text.mask.defined()) tokens = tokens.masked_fill(text.mask.logical_not().unsqueeze(-1), 0);
    return {at::constant_pad_nd(tokens, {0, 0, 0, places - tokens.size(1)}), {}};  // less than 0 cuts
}

TextContext projectedText(const Params& weights, TextContext text) {
    const auto inner = at::gelu(fp32Linear(weights, "text.in", text.tokens), "tanh");
    text.tokens = fp32Linear(weights, "text.out", inner);
    return text;
}

at::Tensor pooledText(const TextContext& text) {
    if (!text.mask.defined()) return text.tokens.mean(1);
    const auto seen = text.mask.unsqueeze(-1).to(text.tokens.scalar_type());
    return (text.tokens * seen).sum(1) / seen.sum(1);
}

at::Tensor wordSum(const TextInput& text, const at::Tensor& table) {
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    return at::matmul(wordsOf(text), table);
}

TextContext wordTokens(const TextInput& text, const at::Tensor& table) {
    const auto& words = wordsOf(text);
    return {table.unsqueeze(0).expand({words.size(0), -1, -1}), neverEmpty(words > 0)};
}

}  // namespace dailies::trainer::layers
