#include "trainer/denoising/masked_loss.h"

#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

/// Objective and prediction.
using Learned = std::pair<const char*, const char*>;

class MaskedLossTest : public testing::TestWithParam<Learned> {
protected:
    std::unique_ptr<Objective> objective() const {
        config::TrainConfig::Diffusion config;
        config.objective = GetParam().first;
        config.prediction = GetParam().second;
        return makeObjective(config);
    }
    const at::Tensor m_output = normalTensor(1, {2, 3, 4, 6, 5}), m_clips = normalTensor(2, {2, 3, 4, 6, 5}),
                     m_noise = normalTensor(3, {2, 3, 4, 6, 5}), m_levels = at::tensor({0.3, 0.7});
    static constexpr double kWeight = 10;

    at::Tensor masked(const at::Tensor& mask) const {
        return maskedLoss(*objective(), m_output, m_clips, m_noise, m_levels, mask, kWeight);
    }
    at::Tensor plain() const { return objective()->loss(m_output, m_clips, m_noise, m_levels); }
};

TEST_P(MaskedLossTest, CountsErrorsOnceInBlackAndTenTimesInWhite) {
    const auto black = at::zeros({2, 3, 32, 48, 1});  // of latents of 8 pixels
    EXPECT_TRUE(at::allclose(masked(black), plain(), 1e-5));
    EXPECT_TRUE(at::allclose(masked(black + 1), kWeight * plain(), 1e-5));
    EXPECT_TRUE(at::allclose(masked(black + 0.5), (1 + kWeight) / 2 * plain(), 1e-5)) << "grey between";
    // the upper half alone
    auto half = black.clone();
    half.narrow(2, 0, 16).fill_(1);
    const auto upper = [](const at::Tensor& x) { return x.narrow(2, 0, 2); };
    const auto ofUpper = objective()->loss(upper(m_output), upper(m_clips), upper(m_noise), m_levels);
    EXPECT_TRUE(at::allclose(masked(half), plain() + (kWeight - 1) * ofUpper / 2, 1e-5));
    // one clip of the batch
    auto second = black.clone();
    second[1].fill_(1);
    EXPECT_TRUE(at::allclose(masked(second)[0], plain()[0], 1e-5));
    EXPECT_TRUE(at::allclose(masked(second)[1], kWeight * plain()[1], 1e-5));
}

INSTANTIATE_TEST_SUITE_P(Of, MaskedLossTest,
                         testing::Values(Learned{"edm", "velocity"}, Learned{"edm", "clip"},
                                         Learned{"v_prediction", "velocity"}, Learned{"v_prediction", "clip"},
                                         Learned{"rectified_flow", "velocity"},
                                         Learned{"rectified_flow", "clip"}),
                         [](const auto& chosen) {
                             return std::string(chosen.param.first) + "_" + chosen.param.second;
                         });

}  // namespace
}  // namespace dailies::trainer
