#include "trainer/pretrained/adapter.h"

#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/pretrained/inspection.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>

namespace dailies::trainer::pretrained {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kRank = 4, kWidth = 24;

/// A and B of modules, each named `prefix` + module + ending.
NamedShapes factors(const std::string& prefix, const std::vector<std::string>& modules,
                    const std::string& down, const std::string& up, bool alpha = false) {
    NamedShapes tensors;
    for (const auto& module : modules) {
        if (alpha) tensors.push_back({prefix + module + ".alpha", {}});
        tensors.push_back({prefix + module + down, {kRank, kWidth}});
        tensors.push_back({prefix + module + up, {kWidth, kRank}});
    }
    return tensors;
}

const std::vector<std::string> kDiffusers = {"blocks.0.attn1.to_q", "blocks.1.attn1.to_q"};
const std::vector<std::string> kOriginal = {"blocks.0.self_attn.q", "blocks.1.self_attn.q"};

class AdapterOf : public testing::Test {
protected:
    Json inspected() {
        const auto found = inspectWeights(folder.path(), nothing);
        EXPECT_EQ(found.at("parts").size(), 1U);
        text = inspectionText(found);
        return found.at("parts").front();
    }
    std::filesystem::path file(const std::string& name) { return folder.path() / name; }
    std::string text;
    TemporaryFolder folder;
};

TEST_F(AdapterOf, PeftTakesRankAndScaleFromItsConfig) {
    writeHollow(file("adapter_model.safetensors"),
                factors("base_model.model.", kDiffusers, ".lora_A.weight", ".lora_B.weight"));
    writeFileAtomically(file("adapter_config.json"), R"({"peft_type": "LORA", "r": 4, "lora_alpha": 8})");
    const auto part = inspected();
    EXPECT_EQ(part.at("family"), "lora");
    EXPECT_EQ(part.at("names"), "peft");
    const auto& adapter = part.at("adapter");
    EXPECT_EQ(adapter.at("rank"), 4);
    EXPECT_EQ(adapter.at("alpha"), 8);
    EXPECT_EQ(adapter.at("scale"), 2);
    EXPECT_EQ(adapter.at("scale_from"), "config");
    EXPECT_EQ(adapter.at("base"), "wan");
    EXPECT_EQ(adapter.at("modules"), 2);
    EXPECT_EQ(adapter.at("targets").get<std::vector<std::string>>(),
              (std::vector<std::string>{"blocks.*.attn1.to_q"}));
    EXPECT_EQ(part.at("sizes").at("dim"), kWidth);
    EXPECT_THAT(text, AllOf(HasSubstr("lora of wan"), HasSubstr("effective scale 2")));

    writeFileAtomically(file("adapter_config.json"), R"({"r": 4, "lora_alpha": 8, "use_rslora": true})");
    EXPECT_EQ(inspected().at("adapter").at("scale"), 4) << "8 / √4";
}

TEST_F(AdapterOf, DiffusersTakesThemFromTheMetadata) {
    writeHollow(file("pytorch_lora_weights.safetensors"),
                factors("transformer.", kDiffusers, ".lora_A.weight", ".lora_B.weight"), {},
                {{"lora_adapter_metadata", R"({"transformer.r": 4, "transformer.lora_alpha": 2})"}});
    auto part = inspected();
    EXPECT_EQ(part.at("names"), "diffusers");
    EXPECT_EQ(part.at("adapter").at("scale"), 0.5);
    EXPECT_EQ(part.at("read_by").get<std::vector<std::string>>(), std::vector<std::string>{"diffusers"});
    writeHollow(file("pytorch_lora_weights.safetensors"),
                factors("transformer.", kDiffusers, ".lora_A.weight", ".lora_B.weight"));
    part = inspected();
    EXPECT_EQ(part.at("adapter").at("scale"), 1) << "without any alpha";
    EXPECT_THAT(text, HasSubstr("no alpha is told"));
}

TEST_F(AdapterOf, UniAnimateBringsEncodersOfPosesAlong) {
    auto tensors = factors("pipe.dit.", kOriginal, ".lora_A.default.weight", ".lora_B.default.weight");
    const auto modules = tensors.size();
    tensors.push_back({"dwpose_embedding.0.weight", {16, 3, 3, 3, 3}});
    tensors.push_back({"randomref_embedding_pose.0.bias", {16}});
    writeHollow(file("UniAnimate-Wan2.1-14B-Lora.safetensors"), tensors);
    const auto part = inspected();
    EXPECT_EQ(part.at("model"), "UniAnimate-DiT");
    EXPECT_EQ(part.at("adapter").at("modules"), modules / 2);
    EXPECT_TRUE(part.at("unknown").empty()) << part.at("unknown");
    EXPECT_EQ(part.at("adapter").at("beside").size(), 2U);
    EXPECT_THAT(part.at("read_by").get<std::vector<std::string>>(), ElementsAre("UniAnimate-DiT", "Dailies"));
    EXPECT_THAT(text, HasSubstr("dwpose_embedding.0.weight"));
}

TEST_F(AdapterOf, KohyaHasItsAlphaAsTensors) {
    auto modules = kOriginal;
    for (auto& module : modules) std::ranges::replace(module, '.', '_');
    const auto path = file("lora.safetensors");
    writeHollow(path, factors("lora_unet_", modules, ".lora_down.weight", ".lora_up.weight", true),
                [](const std::string&) { return "F32"; });
    // the number of each alpha; the rest of the file stays a hole
    StoredWeights weights = findWeights(path).front();
    for (const auto& tensor : weights.tensors) {
        if (!tensor.name.ends_with(".alpha")) continue;
        std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(static_cast<std::streamoff>(tensor.begin));
        const float alpha = 1;
        out.write(reinterpret_cast<const char*>(&alpha), sizeof alpha);
    }
    const auto part = inspected();
    EXPECT_EQ(part.at("names"), "kohya");
    EXPECT_EQ(part.at("adapter").at("scale"), 0.25);
    EXPECT_EQ(part.at("adapter").at("scale_from"), "alpha tensors");
    EXPECT_EQ(part.at("adapter").at("targets").front(), "blocks_*_self_attn_q");
    EXPECT_THAT(part.at("read_by").get<std::vector<std::string>>(), ElementsAre("ComfyUI", "musubi-tuner"))
        << "diffusers wants every module of a block";
}

TEST_F(AdapterOf, ComfyUiAndDiffSynthAreToldByTheirPrefix) {
    writeHollow(file("lora.safetensors"),
                factors("diffusion_model.", kOriginal, ".lora_A.weight", ".lora_B.weight"));
    EXPECT_EQ(inspected().at("names"), "comfyui");
    writeHollow(file("lora.safetensors"),
                factors("", kOriginal, ".lora_A.default.weight", ".lora_B.default.weight"));
    EXPECT_EQ(inspected().at("names"), "bare");
    EXPECT_THAT(text, HasSubstr("diffusion_model. added"));
}

TEST_F(AdapterOf, NamesModulesThatAreNotWhole) {
    auto tensors = factors("diffusion_model.", kOriginal, ".lora_A.weight", ".lora_B.weight");
    tensors.pop_back();
    tensors.push_back({"stray", {1}});
    writeHollow(file("lora.safetensors"), tensors);
    const auto part = inspected();
    EXPECT_FALSE(part.at("whole").get<bool>());
    EXPECT_EQ(part.at("missing").front(), "diffusion_model.blocks.1.self_attn.q");
    EXPECT_EQ(part.at("unknown").front(), "stray");
}

}  // namespace
}  // namespace dailies::trainer::pretrained
