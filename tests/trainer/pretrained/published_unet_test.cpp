#include "trainer/pretrained/published_unet.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::pretrained {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Of four levels and two blocks, as the original names have them.
unet::UnetSizes smallUnet(bool moves = false) {
    unet::UnetSizes sizes;
    sizes.levels.channels = {32, 32, 64, 64};
    if (moves) sizes.motion = {.places = 32, .middle = true};
    return sizes;
}

class PublishedUnetTest : public testing::Test {
    const TemporaryFolder m_folder;
    std::filesystem::path file(const char* name) const {
        return m_folder.path() / (name + std::string(".safetensors"));
    }

protected:
    const std::filesystem::path m_unet = file("unet"), m_motion = file("motion");
    const NamedShapes m_plain = unet::unetTensors(smallUnet());
    const NamedShapes m_modules = unet::motionTensors(smallUnet(true));

    /// Numbers of a tensor by its name in diffusers.
    static at::Tensor numbers(const NamedShape& named) {
        return normalTensor(std::hash<std::string>{}(named.name), named.shape);
    }
    /// `spelled`: the names in the file of the same list.
    static void write(const std::filesystem::path& file, const NamedShapes& list,
                      const NamedShapes& spelled) {
        Params weights;
        for (std::size_t i = 0; i < list.size(); ++i) weights.add(spelled[i].name, numbers(list[i]));
        writeSafetensors(file, weights);
    }
    PublishedUnet read(bool withMotion) const {
        return readPublishedUnet("model.unet", m_unet, withMotion ? m_motion : std::filesystem::path());
    }
    static void expectWeights(const PublishedUnet& found, const NamedShapes& list) {
        ASSERT_EQ(found.weights.names().size(), list.size());
        for (const auto& named : list)
            EXPECT_TRUE(at::equal(found.weights[named.name], numbers(named))) << named.name;
    }
};

TEST_F(PublishedUnetTest, OriginalNamesGiveTheWeightsToTheirPlaces) {
    write(m_unet, m_plain, withPrefix(unetOriginal(m_plain), "model.diffusion_model."));
    const auto found = read(false);
    EXPECT_EQ(found.sizes.levels.channels, smallUnet().levels.channels);
    EXPECT_EQ(found.sizes.motion.places, 0);
    expectWeights(found, m_plain);
}

TEST_F(PublishedUnetTest, MotionModulesJoinTheUnetTheyAreFor) {
    write(m_unet, m_plain, m_plain);
    write(m_motion, m_modules, motionOriginal(m_modules));
    const auto found = read(true);
    EXPECT_EQ(found.sizes.motion.places, 32);
    EXPECT_TRUE(found.sizes.motion.middle);
    expectWeights(found, unet::unetTensors(smallUnet(true)));
    const auto all = unet::unetTensors(smallUnet(true));
    write(m_unet, all, all);
    expectWeights(read(false), all);
    EXPECT_THAT([&] { read(true); }, ThrowsMessage<InputError>(HasSubstr("motion modules of its own")));
}

TEST_F(PublishedUnetTest, MotionModulesThatLackATensorOrFitAnotherUnetAreRefused) {
    write(m_unet, m_plain, m_plain);
    auto lacking = m_modules;
    std::erase_if(lacking,
                  [](const auto& each) { return each.name == "up_blocks.3.motion_modules.2.proj_out.bias"; });
    write(m_motion, lacking, lacking);
    EXPECT_THAT(
        [&] { read(true); },
        ThrowsMessage<InputError>(HasSubstr("1 is missing (up_blocks.3.motion_modules.2.proj_out.bias)")));
    auto wide = smallUnet(true);
    wide.levels.channels = {32, 64, 64, 64};
    const auto others = unet::motionTensors(wide);
    write(m_motion, others, others);
    EXPECT_THAT([&] { read(true); }, ThrowsMessage<InputError>(HasSubstr("of other sizes")));
    write(m_unet, m_modules, m_modules);
    EXPECT_THAT([&] { read(false); },
                ThrowsMessage<InputError>(HasSubstr("holds no U-Net of Stable Diffusion 1")));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
