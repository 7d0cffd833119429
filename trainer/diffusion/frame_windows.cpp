#include "trainer/diffusion/frame_windows.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace dailies::trainer {

namespace {

std::vector<std::int64_t> consecutive(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> frames(static_cast<std::size_t>(count));
    std::iota(frames.begin(), frames.end(), first);
    return frames;
}

}  // namespace

FrameWindows FrameWindows::progressive(const Chunks& chunks) {
    FrameWindows all{chunks.frames(), {}, {}};
    for (std::int64_t i = 0; i < chunks.count; ++i)
        all.windows.push_back(consecutive(chunks.first(i), chunks.length));
    for (std::int64_t k = 0; k < chunks.length; ++k) {
        const auto fromEdge = static_cast<double>(std::min(k + 1, chunks.length - k));
        all.weights.push_back(std::min(1.0, fromEdge / static_cast<double>(chunks.overlap + 1)));
    }
    return all;
}

FrameWindows FrameWindows::uniform(std::int64_t frames, std::int64_t length, std::int64_t overlap) {
    FrameWindows all{std::max(frames, length), {}, std::vector<double>(static_cast<std::size_t>(length), 1)};
    if (frames <= length) {
        all.windows.push_back(consecutive(0, length));
        return all;
    }
    for (std::int64_t first = 0; first < frames; first += length - overlap) {
        auto window = consecutive(first, length);
        for (auto& frame : window) frame %= frames;
        all.windows.push_back(std::move(window));
    }
    return all;
}

FrameWindows FrameWindows::triangle(std::int64_t frames, std::int64_t length, std::int64_t overlap) {
    FrameWindows all{std::max(frames, length), {}, {}};
    for (std::int64_t k = 0; k < length; ++k) {
        const auto along = (static_cast<double>(k) + 0.5) * 2 / static_cast<double>(length);
        all.weights.push_back(std::min(along, 2 - along));
    }
    const auto last = all.frames - length;
    for (std::int64_t first = 0;; first = std::min(first + length - overlap, last)) {
        auto window = consecutive(first, length);
        window.front() = 0;
        all.windows.push_back(std::move(window));
        if (first == last) return all;
    }
}

Denoiser fusedDenoiser(const FrameWindows& windows, std::vector<Denoiser> ofWindows) {
    return [windows, ofWindows = std::move(ofWindows)](const at::Tensor& noised, const PathPoint& point) {
        std::vector<std::int64_t> perFrame(static_cast<std::size_t>(noised.dim()), 1);
        perFrame[1] = -1;
        const auto weights = at::tensor(windows.weights, noised.options()).view(perFrame);
        auto sum = at::zeros_like(noised);
        auto counts = at::zeros({windows.frames}, noised.options()).view(perFrame);
        for (std::size_t i = 0; i < ofWindows.size(); ++i) {
            const auto frames = at::tensor(windows.windows[i], noised.options().dtype(at::kLong));
            const auto clean = ofWindows[i](noised.index_select(1, frames), point);
            sum.index_add_(1, frames, clean.to(noised.scalar_type()) * weights);
            counts.index_add_(1, frames, weights);
        }
        return sum / counts;
    };
}

}  // namespace dailies::trainer
