#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/models/unianimate/unianimate.h"
#include "trainer/pretrained/initial_weights.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

// UniAnimate-DiT as it is published: Wan's image to video, an adapter and encoders of poses beside it.

namespace dailies::trainer::pretrained {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ModelShape tinyShape(const std::string& family) {
    ModelShape shape;
    shape.model.family = family;
    shape.model.conditioning = "image";
    shape.model.width = 64;
    shape.model.depth = 2;
    shape.model.heads = 2;
    shape.model.mlp_width = 128;
    shape.model.patch_frames = 1;
    shape.model.patch_size = 2;
    shape.model.activation = "gelu-tanh";
    shape.model.text_places = 512;
    shape.channels = 4;
    shape.textWidth = 64;
    shape.imageWidth = 32;
    shape.latentPixels = 8;
    shape.framesPerLatent = 4;
    shape.frames = 2;
    shape.height = shape.width = 4;
    return shape;
}

class PublishedAdapterTest : public testing::Test {
protected:
    PublishedAdapterTest() {
        diffusion.prediction = "velocity";
        const Wan wan(tinyShape("wan"), at::kCPU);
        const auto shapes = wan.weightsOnMeta();
        for (const auto& name : shapes.names())
            base.add(name, normalTensor(hashText(name), shapes[name].sizes()));
        std::filesystem::create_directories(folder.path() / "transformer");
        writeFileAtomically(folder.path() / "transformer/config.json", R"({"num_attention_heads": 2})");
        writeSafetensors(folder.path() / "transformer/diffusion_pytorch_model.safetensors",
                         toDiffusers(wan, base));
        const auto all = model.weightsOnMeta();
        for (const auto& name : all.names())
            if (model.isAdded(name)) adapter.add(name, normalTensor(hashText(name), all[name].sizes()));
        addModule("blocks.1.self_attn.k", 64, 64);
        addModule("blocks.0.ffn.2", 64, 128);
    }

    /// As the program of UniAnimate-DiT writes them, rank 3 and an alpha of 3.
    void addModule(const std::string& module, std::int64_t outputs, std::int64_t inputs) {
        const auto name = "pipe.dit." + module;
        adapter.add(name + ".lora_A.default.weight", normalTensor(hashText(name), {3, inputs}));
        adapter.add(name + ".lora_B.default.weight", normalTensor(hashText(name) + 1, {outputs, 3}));
    }
    at::Tensor productOf(const std::string& module) const {
        const auto name = "pipe.dit." + module;
        return at::matmul(adapter[name + ".lora_B.default.weight"], adapter[name + ".lora_A.default.weight"]);
    }
    void writeAdapter(const char* name = "UniAnimate-Wan2.1-14B-Lora.safetensors") const {
        writeSafetensors(folder.path() / name, adapter);
    }
    std::string refusal() const {
        try {
            InitialWeights init(folder.path());
            init.fit(model, diffusion);
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    }

    const UniAnimate model{tinyShape("unianimate"), at::kCPU};
    config::TrainConfig::Diffusion diffusion;
    Params base, adapter;
    TemporaryFolder folder;
};

TEST_F(PublishedAdapterTest, IsAddedToItsBaseAndGivesWhatThatLacks) {
    writeAdapter();
    InitialWeights init(folder.path());
    init.fit(model, diffusion);
    const auto all = model.weightsOnMeta();
    for (const auto& name : all.names()) {
        auto expected = model.isAdded(name) ? adapter[name] : base[name].clone();
        if (name == "blocks.1.qkv.weight") expected.narrow(0, 64, 64).add_(productOf("blocks.1.self_attn.k"));
        if (name == "blocks.0.mlp_out.weight") expected.add_(productOf("blocks.0.ffn.2"));
        EXPECT_TRUE(at::allclose(init.read(name), expected, 1e-6, 1e-6)) << name;
    }
    EXPECT_THAT(init.text(),
                HasSubstr("UniAnimate-Wan2.1-14B-Lora.safetensors is added, an adapter of 2 layers"));
}

TEST_F(PublishedAdapterTest, WithoutItThePartsAreDrawn) {
    InitialWeights init(folder.path());
    init.fit(model, diffusion);
    EXPECT_FALSE(init.read("dwpose_embedding.0.weight").defined());
    EXPECT_TRUE(at::equal(init.read("blocks.1.qkv.weight"), base["blocks.1.qkv.weight"]));
    EXPECT_THAT(init.text(), Not(HasSubstr("is added")));
}

TEST_F(PublishedAdapterTest, IsRefusedWithWhatDoesNotFit) {
    addModule("blocks.7.self_attn.q", 64, 64);
    addModule("blocks.0.self_attn.q", 64, 32);
    writeAdapter();
    EXPECT_THAT(refusal(), AllOf(HasSubstr("is left over (blocks.7.self_attn.q)"),
                                 HasSubstr("has another shape (blocks.0.self_attn.q)")));
    Params some;
    for (const auto& name : adapter.names())
        if (name != "dwpose_embedding.2.bias") some.add(name, adapter[name]);
    adapter = std::move(some);
    writeAdapter();
    EXPECT_THAT(refusal(), HasSubstr("is missing (dwpose_embedding.2.bias)"));
}

TEST_F(PublishedAdapterTest, OfTwoNeitherIsChosen) {
    writeAdapter();
    writeAdapter("another.safetensors");
    EXPECT_THAT(refusal(), HasSubstr("holds several adapters for the model"));
}

TEST_F(PublishedAdapterTest, OfAnotherKindStaysBesideItsBase) {
    Params plain;
    for (const auto& name : adapter.names())
        if (!model.isAdded(name)) plain.add(name, adapter[name]);
    writeSafetensors(folder.path() / "style.safetensors", plain);
    InitialWeights init(folder.path());
    init.fit(model, diffusion);
    EXPECT_TRUE(at::equal(init.read("blocks.1.qkv.weight"), base["blocks.1.qkv.weight"]));
}

TEST_F(PublishedAdapterTest, BeginsWithImageToVideoAlone) {
    auto shape = tinyShape("wan");
    shape.model.conditioning = "none";
    shape.imageWidth = 0;
    const Wan wan(shape, at::kCPU);
    writeSafetensors(folder.path() / "transformer/diffusion_pytorch_model.safetensors",
                     toDiffusers(wan, wan.initialWeights(1)));
    EXPECT_THAT(refusal(), HasSubstr("model.conditioning is none"));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
