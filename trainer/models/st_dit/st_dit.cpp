#include "trainer/models/st_dit/st_dit.h"

namespace dailies::trainer {

layers::Span StDit::span(std::int64_t block) const {
    const auto every = shape().model.full_attention_every;
    if (every > 0 && (block + 1) % every == 0) return layers::Span::full;
    const auto fullBefore = every > 0 ? block / every : 0;
    return (block - fullBefore) % 2 == 0 ? layers::Span::spatial : layers::Span::temporal;
}

}  // namespace dailies::trainer
