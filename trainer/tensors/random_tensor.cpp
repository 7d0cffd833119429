#include "trainer/tensors/random_tensor.h"

#include "trainer/tensors/philox.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kAtOnce = 4;  // a Philox block makes four numbers
constexpr std::int64_t kBlocksPerTask = 4096;

/// Two uniform words to two normal numbers (Box and Muller). The first is never 0, whose logarithm is
/// infinite.
void normalPair(std::uint32_t radiusWord, std::uint32_t angleWord, float* out) {
    const float radius = std::sqrt(-2 * std::log((static_cast<float>(radiusWord >> 8) + 0.5F) * 0x1p-24F));
    const float angle = 2 * std::numbers::pi_v<float> * (static_cast<float>(angleWord >> 8) * 0x1p-24F);
    out[0] = radius * std::cos(angle);
    out[1] = radius * std::sin(angle);
}

/// `numbersOf` makes four numbers of a block's four words.
template <class NumbersOf>
at::Tensor tensorOf(std::uint64_t key, at::IntArrayRef sizes, std::int64_t first,
                    const NumbersOf& numbersOf) {
    auto tensor = at::empty(sizes, at::kFloat);
    auto* out = tensor.mutable_data_ptr<float>();
    const auto last = first + tensor.numel();
    at::parallel_for(first / kAtOnce, (last + kAtOnce - 1) / kAtOnce, kBlocksPerTask,
                     [&](std::int64_t block, std::int64_t end) {
                         for (; block < end; ++block) {
                             const auto words = philox(key, static_cast<std::uint64_t>(block));
                             float four[kAtOnce];
                             numbersOf(words, four);
                             const auto at = block * kAtOnce;
                             for (auto i = std::max(at, first); i < std::min(at + kAtOnce, last); ++i)
                                 out[i - first] = four[i - at];
                         }
                     });
    return tensor;
}

}  // namespace

at::Tensor normalTensor(std::uint64_t key, at::IntArrayRef sizes, std::int64_t first) {
    return tensorOf(key, sizes, first, [](const auto& words, float* out) {
        normalPair(words[0], words[1], out);
        normalPair(words[2], words[3], out + 2);
    });
}

at::Tensor uniformTensor(std::uint64_t key, at::IntArrayRef sizes) {
    return tensorOf(key, sizes, 0, [](const auto& words, float* out) {
        for (std::size_t i = 0; i < kAtOnce; ++i) out[i] = static_cast<float>(words[i] >> 8) * 0x1p-23F - 1;
    });
}

}  // namespace dailies::trainer
