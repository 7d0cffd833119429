#include "trainer/training/batch_prefetcher.h"

#include "trainer/denoising/character.h"

#include <torch/types.h>

#include <utility>

namespace dailies::trainer {

Batch BatchPrefetcher::take(std::int64_t step, PhaseClock& clock) {
    auto next = std::exchange(m_next, std::nullopt);
    if (!next || next->step != step) {
        clock.enter(Phase::wait);
        const auto examples = m_loader.take(step);
        clock.enter(Phase::prepare);
        return m_loader.prepare(step, examples);
    }
    clock.enter(Phase::prepare);
    const auto& text = next->batch.text;
    std::vector<at::Tensor> tensors = {text.words, text.embeddings, text.mask, text.bytes};
    for (const auto& group : next->batch.groups) {
        tensors.insert(tensors.end(),
                       {group.clips, group.noise, group.image.conditioning, group.image.tokens});
        for (const auto part : kCharacterTensors) tensors.push_back(group.character.*part);
    }
    m_side.handOver(tensors);
    return std::move(next->batch);
}

void BatchPrefetcher::prefetchNext(std::int64_t step, PhaseClock& clock) {
    if (!m_ahead || step > m_lastStep) return;
    // a GPU's clock stands still while the GPU is busy: these phases are what it then lacks work
    clock.enter(Phase::wait);
    const auto examples = m_loader.take(step);
    clock.enter(Phase::prepare);
    m_side.run([&] { m_next = Made{step, m_loader.prepare(step, examples)}; });
}

}  // namespace dailies::trainer
