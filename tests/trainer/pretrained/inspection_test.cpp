#include "trainer/pretrained/inspection.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/pretrained/families/ltx.h"
#include "trainer/pretrained/families/ltx_vae.h"
#include "trainer/pretrained/families/t5.h"
#include "trainer/pretrained/families/wan.h"
#include "trainer/pretrained/families/wan_vae.h"

#include <gmock/gmock.h>

#include <algorithm>

// Published weights at their true names and shapes, from files that hold only headers. Counts and parameters
// are those that the models of diffusers and transformers have.

namespace dailies::trainer::pretrained {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Json inspected(const std::filesystem::path& path) {
    return inspectWeights(path, nothing);
}

struct Published {
    const char* model;
    WanSizes sizes;
    std::size_t tensors;
    std::int64_t parameters;
};

const std::vector<Published>& wanModels() {
    static const std::vector<Published> models = {
        {"Wan 2.1 t2v 1.3B", {.width = 1536, .mlpWidth = 8960, .layers = 30}, 825, 1'418'996'800},
        {"Wan 2.1 t2v 14B", {.width = 5120, .mlpWidth = 13824, .layers = 40}, 1095, 14'288'491'584},
        {"Wan 2.1 i2v 14B",
         {.width = 5120, .mlpWidth = 13824, .layers = 40, .inChannels = 36, .imageWidth = 1280},
         1303,
         16'394'878'784},
        {"Wan 2.1 flf2v 14B",
         {.width = 5120,
          .mlpWidth = 13824,
          .layers = 40,
          .inChannels = 36,
          .imageWidth = 1280,
          .imageTokens = 514},
         1304,
         16'395'536'704},
        {"Wan 2.2 i2v A14B",
         {.width = 5120, .mlpWidth = 13824, .layers = 40, .inChannels = 36},
         1095,
         14'288'901'184},
        {"Wan 2.2 ti2v 5B",
         {.width = 3072, .mlpWidth = 14336, .layers = 30, .inChannels = 48, .outChannels = 48},
         825,
         4'999'787'712},
    };
    return models;
}

WanSizes tinyWan() {
    return {.width = 24, .mlpWidth = 32, .layers = 2, .textWidth = 16};
}

class Inspect : public testing::Test {
protected:
    std::filesystem::path file(const std::string& name = "model.safetensors") { return folder.path() / name; }
    Json onlyPart(const std::filesystem::path& path) {
        const auto found = inspected(path);
        EXPECT_EQ(found.at("parts").size(), 1U) << found.dump(1);
        return found.at("parts").front();
    }
    TemporaryFolder folder;
};

TEST_F(Inspect, RecognisesEveryPublishedWanInBothNamesAndWithComfyUisPrefix) {
    for (const auto& [model, sizes, tensors, parameters] : wanModels()) {
        const auto list = wanTensors(sizes);
        ASSERT_EQ(list.size(), tensors) << model;
        ASSERT_EQ(parametersOf(list), parameters) << model;
        const auto original = wanOriginal(list);
        const std::vector<std::tuple<NamedShapes, std::string, std::string>> spellings = {
            {list, "diffusers", ""},
            {original, "original", ""},
            {withPrefix(original, "model.diffusion_model."), "original", "model.diffusion_model."}};
        for (const auto& [names, spelling, prefix] : spellings) {
            const auto bytes = writeHollow(file(), names);
            const auto part = onlyPart(file());
            EXPECT_EQ(part.at("family"), "wan");
            EXPECT_THAT(part.at("model").get<std::string>(), HasSubstr(model)) << spelling << prefix;
            EXPECT_EQ(part.at("names"), spelling);
            EXPECT_EQ(part.at("prefix"), prefix);
            EXPECT_EQ(part.at("tensors"), tensors);
            EXPECT_EQ(part.at("parameters"), parameters);
            EXPECT_EQ(part.at("dtypes"), (Json{{"bf16", parameters}}));
            EXPECT_THAT(words(part.at("missing")), IsEmpty());
            EXPECT_THAT(words(part.at("unknown")), IsEmpty());
            EXPECT_THAT(words(part.at("misshapen")), IsEmpty());
            EXPECT_TRUE(part.at("whole").get<bool>());
            EXPECT_EQ(part.at("sizes").at("dim"), sizes.width);
            EXPECT_EQ(part.at("sizes").at("head_dim"), 128);
            EXPECT_EQ(part.at("sizes").at("layers"), sizes.layers);
            EXPECT_EQ(part.at("sizes").at("in_channels"), sizes.inChannels);
            EXPECT_EQ(part.at("sizes").at("out_channels"), sizes.outChannels);
            EXPECT_EQ(part.at("files").front().at("bytes"), bytes);
        }
    }
}

TEST_F(Inspect, RecognisesBothVideoAutoencoders) {
    const WanVaeSizes older, newer{true, 12, 48, {160, 320, 640, 640}, {1024, 1024, 512, 256}};
    for (const auto& [sizes, tensors, parameters] :
         std::vector<std::tuple<WanVaeSizes, std::size_t, std::int64_t>>{{older, 194, 126'892'531},
                                                                         {newer, 196, 704'688'668}}) {
        const auto list = wanVaeTensors(sizes);
        ASSERT_EQ(list.size(), tensors);
        ASSERT_EQ(parametersOf(list), parameters);
        const auto original = wanVaeOriginal(list, sizes.residual);
        for (const auto& names : {list, original}) {
            writeHollow(file(), names);
            const auto part = onlyPart(file());
            EXPECT_EQ(part.at("family"), "wan_vae");
            EXPECT_EQ(part.at("model"), sizes.residual ? "Wan 2.2 VAE" : "Wan 2.1 VAE");
            EXPECT_THAT(words(part.at("missing")), IsEmpty());
            EXPECT_THAT(words(part.at("unknown")), IsEmpty());
            EXPECT_THAT(words(part.at("misshapen")), IsEmpty());
            EXPECT_EQ(part.at("parameters"), parameters);
        }
        // two layers that are easily told wrongly
        const auto has = [&](const std::string& name) {
            return std::ranges::any_of(original, [&](const auto& each) { return each.name == name; });
        };
        EXPECT_TRUE(has(sizes.residual ? "decoder.upsamples.2.upsamples.0.shortcut.weight"
                                       : "decoder.upsamples.4.shortcut.weight"));
    }
}

TEST_F(Inspect, RecognisesTextEncodersWithEitherNameOfTheTableOfWords) {
    const auto list = t5Tensors({});
    ASSERT_EQ(list.size(), 243U) << "with both names of the tied table";
    ASSERT_EQ(parametersOf(list) - 256384LL * 4096, 5'680'910'336);
    auto untied = list;
    std::erase_if(untied, [](const auto& each) { return each.name == "shared.weight"; });
    for (const auto& names : {list, untied, umt5Original(list)}) {
        writeHollow(file(), names);
        const auto part = onlyPart(file());
        EXPECT_EQ(part.at("family"), "umt5");
        EXPECT_EQ(part.at("model"), "UMT5-xxl encoder");
        EXPECT_THAT(words(part.at("missing")), IsEmpty());
        EXPECT_THAT(words(part.at("unknown")), IsEmpty());
    }
    writeHollow(file(), t5Tensors({.vocabulary = 32128, .biasInEveryLayer = false}));
    EXPECT_EQ(onlyPart(file()).at("model"), "T5-v1.1-xxl encoder");
}

/// The published autoencoders of LTX-Video.
LtxVaeSizes ltxVae090() {
    return {.encoder = {{128, 256, 4, {2, 2, 2}},
                        {256, 512, 3, {2, 2, 2}},
                        {512, 512, 3, {2, 2, 2}},
                        {512, 512, 3}},
            .encoderBlocks = 4,
            .decoder = {{512, 512, 3, false}, {512, 512, 3}, {512, 256, 3}, {256, 128, 4}},
            .decoderBlocks = 4,
            .decoderWidth = 512};
}

LtxVaeSizes ltxVae091() {
    auto sizes = ltxVae090();
    sizes.decoder = {{512, 512, 7, true, 2, true}, {256, 256, 6, true, 2, true}, {128, 128, 5, true, 2}};
    sizes.decoderBlocks = 8;
    sizes.decoderWidth = 1024;
    sizes.decoderNoise = sizes.timed = true;
    return sizes;
}

LtxVaeSizes ltxVae095() {
    auto sizes = ltxVae091();
    sizes.encoder = {{128, 256, 4, {1, 2, 2}, true},
                     {256, 512, 6, {2, 1, 1}, true},
                     {512, 1024, 6, {2, 2, 2}, true},
                     {1024, 2048, 2, {2, 2, 2}, true}};
    sizes.encoderBlocks = 2;
    sizes.decoder = {{512, 512, 5, true, 2}, {256, 256, 5, true, 2}, {128, 128, 5, true, 2}};
    sizes.decoderBlocks = 5;
    sizes.decoderNoise = false;
    return sizes;
}

TEST_F(Inspect, KnowsTheAutoencodersOfLtxByTheirSizes) {
    struct Published {
        LtxVaeSizes sizes;
        const char* model;
        std::size_t tensors;
        std::int64_t parameters;
    };
    for (const auto& [sizes, model, tensors, parameters] :
         {Published{ltxVae090(), "LTX-Video VAE 0.9.0", 190, 419'193'649},
          Published{ltxVae091(), "LTX-Video VAE 0.9.1", 300, 934'991'538},
          Published{ltxVae095(), "LTX-Video VAE 0.9.5", 226, 1'246'913'522}}) {
        const auto list = ltxVaeTensors(sizes);
        EXPECT_EQ(list.size(), tensors) << model;
        EXPECT_EQ(parametersOf(list), parameters + 2 * 128)
            << model << " and mean and deviation of its latents";
        writeHollow(file(), list);
        const auto part = onlyPart(file());
        EXPECT_EQ(part.at("model"), model);
        EXPECT_THAT(words(part.at("missing")), IsEmpty());
        EXPECT_THAT(words(part.at("unknown")), IsEmpty());
        EXPECT_EQ(part.at("sizes").at("space_factor"), 32);
        EXPECT_EQ(part.at("sizes").at("time_factor"), 8);
    }
    auto broken = ltxVaeTensors(ltxVae091());
    std::erase_if(broken, [](const auto& tensor) {
        return tensor.name == "decoder.up_blocks.1.resnets.2.conv1.conv.bias";
    });
    broken.push_back({"decoder.extra", {1}});
    writeHollow(file(), broken);
    EXPECT_THAT(words(onlyPart(file()).at("missing")),
                ElementsAre("decoder.up_blocks.1.resnets.2.conv1.conv.bias"));
    EXPECT_THAT(words(onlyPart(file()).at("unknown")), ElementsAre("decoder.extra"));
}

TEST_F(Inspect, RecognisesLtxAndTakesItsSingleFileApart) {
    const auto list = ltxTensors({});
    ASSERT_EQ(list.size(), 715U);
    ASSERT_EQ(parametersOf(list), 1'923'385'472);
    writeHollow(file(), list);
    EXPECT_EQ(onlyPart(file()).at("model"), "LTX-Video 2B");
    auto both = withPrefix(list, "model.diffusion_model.");
    const auto vae = ltxVaeTensors(ltxVae091());
    for (const auto& each : withPrefix(ltxVaeOriginal(vae), "vae.")) both.push_back(each);
    both.push_back({"vae.per_channel_statistics.channel", {128}});
    writeHollow(file(), both);
    const auto found = inspected(file());
    ASSERT_EQ(found.at("parts").size(), 2U);
    EXPECT_EQ(found.at("parts")[0].at("family"), "ltx");
    EXPECT_EQ(found.at("parts")[1].at("family"), "ltx_vae");
    EXPECT_EQ(found.at("parts")[1].at("model"), "LTX-Video VAE 0.9.1");
    for (const auto& part : found.at("parts")) {
        EXPECT_TRUE(part.at("checked").get<bool>());
        EXPECT_THAT(words(part.at("missing")), IsEmpty());
        EXPECT_THAT(words(part.at("unknown")), IsEmpty());
    }
}

TEST_F(Inspect, ReadsAFolderOfShardsAndNamesTheOneThatIsMissing) {
    const auto list = wanTensors(wanModels()[1].sizes);
    Json map = Json::object();
    std::vector<NamedShapes> shards(6);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto shard = i * shards.size() / list.size();
        shards[shard].push_back(list[i]);
        map[list[i].name] = "m-0000" + std::to_string(shard + 1) + "-of-00006.safetensors";
    }
    for (std::size_t i = 0; i < shards.size(); ++i)
        writeHollow(file("m-0000" + std::to_string(i + 1) + "-of-00006.safetensors"), shards[i]);
    const auto index = file("m.safetensors.index.json");
    writeFileAtomically(index, Json{{"weight_map", map}}.dump());
    for (const auto& path : {folder.path(), index}) {
        const auto part = onlyPart(path);
        EXPECT_EQ(part.at("tensors"), 1095);
        EXPECT_TRUE(part.at("whole").get<bool>()) << part.at("problems");
        EXPECT_EQ(part.at("files").size(), 6U);
    }
    // with or without its index
    std::filesystem::remove(file("m-00003-of-00006.safetensors"));
    const auto lacking = onlyPart(folder.path());
    EXPECT_FALSE(lacking.at("whole").get<bool>());
    EXPECT_EQ(lacking.at("missing").size(), shards[2].size());
    EXPECT_THAT(words(lacking.at("problems")),
                ElementsAre(AllOf(HasSubstr("m-00003-of-00006.safetensors is missing"), HasSubstr("fetch"))));
    std::filesystem::remove(index);
    EXPECT_THAT(words(onlyPart(folder.path()).at("problems")), ElementsAre(HasSubstr("number 3")));
    EXPECT_THAT(words(onlyPart(file("m-00001-of-00006.safetensors")).at("problems")),
                ElementsAre(HasSubstr("one of 6 shards")));
}

TEST_F(Inspect, TellsHalfADownload) {
    const auto bytes = writeHollow(file(), wanTensors(tinyWan()));
    std::filesystem::resize_file(file(), bytes - 1);
    const auto part = onlyPart(file());
    EXPECT_FALSE(part.at("whole").get<bool>());
    EXPECT_THAT(part.at("files").front().at("problem").get<std::string>(),
                AllOf(HasSubstr("cut short"), HasSubstr("Fetch")));
    EXPECT_THAT(inspectionText(inspected(file())), AllOf(HasSubstr("not whole"), HasSubstr("cut short")));
}

TEST_F(Inspect, TakesAPipelineApart) {
    for (const auto* part : {"transformer", "transformer_2", "vae", "text_encoder", "scheduler"})
        std::filesystem::create_directories(file(part));
    writeFileAtomically(file("model_index.json"), R"({"_class_name": "WanPipeline"})");
    const auto experts = wanTensors(wanModels()[1].sizes);
    writeHollow(file("transformer/diffusion_pytorch_model.safetensors"), experts);
    writeHollow(file("transformer_2/diffusion_pytorch_model.safetensors"), experts);
    writeHollow(file("vae/diffusion_pytorch_model.safetensors"), wanVaeTensors({}));
    writeHollow(file("text_encoder/model.safetensors"), t5Tensors({}));
    const auto found = inspected(folder.path());
    std::vector<std::string> families;
    for (const auto& part : found.at("parts"))
        families.push_back(part.at("name").get<std::string>() + ": " + part.at("family").get<std::string>());
    EXPECT_THAT(families,
                ElementsAre("text_encoder: umt5", "transformer: wan", "transformer_2: wan", "vae: wan_vae"));
    EXPECT_THAT(found.at("parts")[2].at("model").get<std::string>(),
                HasSubstr("A14B, the model of low noise"));
}

TEST_F(Inspect, SaysHowToConvertPicklesThatItCannotRead) {
    writeFileAtomically(file("Wan2.1_VAE.pth"), "PK\3\4");
    const auto part = onlyPart(folder.path());
    EXPECT_FALSE(part.at("whole").get<bool>());
    EXPECT_THAT(part.at("files").front().at("problem").get<std::string>(),
                AllOf(HasSubstr("python3 -c"), HasSubstr("weights_only=True")));
}

TEST_F(Inspect, NamesWhatIsMissingLeftOverOrOfAnotherShape) {
    auto tensors = wanTensors(tinyWan());
    std::erase_if(tensors, [](const auto& each) { return each.name == "blocks.1.attn2.norm_q.weight"; });
    tensors.push_back({"blocks.0.extra\n\x1b[31m.weight", {4}});
    for (auto& each : tensors)
        if (each.name == "blocks.0.attn1.to_k.bias") each.shape = {25};
    writeHollow(file(), tensors);
    const auto part = onlyPart(file());
    EXPECT_THAT(words(part.at("missing")), ElementsAre("blocks.1.attn2.norm_q.weight"));
    EXPECT_THAT(words(part.at("unknown")), ElementsAre("blocks.0.extra\n\x1b[31m.weight"));
    EXPECT_THAT(words(part.at("misshapen")), ElementsAre("blocks.0.attn1.to_k.bias [25], expected [24]"));
    EXPECT_THAT(inspectionText(inspected(file())),
                AllOf(Not(HasSubstr("\x1b")), HasSubstr("1: blocks.0.extra "), HasSubstr("not whole")));
}

TEST_F(Inspect, TellsTheThreeSpellingsOfFp8ScalesAndTheirAbsence) {
    const auto isMatrix = [](const NamedShape& each) {
        return each.shape.size() == 2 && each.name.starts_with("blocks.");
    };
    const auto plain = wanOriginal(wanTensors(tinyWan()));
    const auto fp8 = [&](const std::string& scale, const std::function<Extents(const Extents&)>& shapeOf) {
        auto tensors = plain;
        for (const auto& each : plain)
            if (isMatrix(each) && shapeOf)
                tensors.push_back({each.name.substr(0, each.name.size() - 7) + scale, shapeOf(each.shape)});
        writeHollow(file(), tensors, [&](const std::string& name) -> std::string {
            const auto found = std::ranges::find(plain, name, &NamedShape::name);
            return found != plain.end() && isMatrix(*found) ? "F8_E4M3" : "F32";
        });
        const auto part = onlyPart(file());
        EXPECT_TRUE(part.at("whole").get<bool>()) << part.at("missing") << part.at("unknown");
        EXPECT_THAT(words(part.at("unknown")), IsEmpty());
        return part;
    };
    const auto scales = [](const Json& part) { return part.at("fp8").at("scales").get<std::string>(); };
    auto part = fp8(".scale_weight", [](const Extents&) { return Extents{}; });
    EXPECT_EQ(scales(part), "comfyui");
    EXPECT_THAT(words(part.at("read_by")), ElementsAre("ComfyUI", "Dailies"));
    part = fp8(".scale_weight", [](const Extents& shape) { return Extents{shape[0], 1}; });
    EXPECT_EQ(scales(part), "musubi");
    EXPECT_THAT(words(part.at("read_by")), ElementsAre("musubi-tuner", "Dailies"));
    EXPECT_EQ(scales(fp8(".weight_scale", [](const Extents&) { return Extents{}; })), "torchao");
    part = fp8("", nullptr);
    EXPECT_EQ(scales(part), "none");
    EXPECT_THAT(inspectionText(inspected(file())), HasSubstr("fp8 without scales"));
    EXPECT_TRUE(part.at("dtypes").contains("fp8 e4m3"));
}

TEST_F(Inspect, SaysWhereNothingIsToBeFound) {
    EXPECT_THROW(inspected(folder.path() / "absent"), InputError);
    EXPECT_THROW(inspected(folder.path()), InputError);
    writeFileAtomically(file("notes.txt"), "");
    EXPECT_THROW(inspected(file("notes.txt")), InputError);
    // an index that names files outside of its folder, and one that is no JSON
    const auto index = file("m.safetensors.index.json");
    writeFileAtomically(index, R"({"weight_map": {"a": "../secret.safetensors", "b": 4}})");
    EXPECT_EQ(onlyPart(index).at("problems").size(), 3U);
    writeFileAtomically(index, "{");
    EXPECT_FALSE(onlyPart(index).at("whole").get<bool>());
}

TEST_F(Inspect, IsNotMisledByNamesAndShapesThatNoModelHas) {
    const std::int64_t huge = std::int64_t{1} << 60;
    writeHollow(file(), {{"blocks.999999999999.attn1.norm_q.weight", {24}},
                         {"blocks.0.attn1.norm_q.weight", {0, huge}},
                         {"blocks.0.attn1.to_q.weight", {0, huge}},
                         {"blocks.0.ffn.net.0.proj.weight", {0, huge}},
                         {"patch_embedding.weight", {0, huge, huge, huge, huge}}});
    writeFileAtomically(file("config.json"), R"({"num_layers": 999999999})");
    EXPECT_EQ(onlyPart(file()).at("family"), "");
}

}  // namespace
}  // namespace dailies::trainer::pretrained
