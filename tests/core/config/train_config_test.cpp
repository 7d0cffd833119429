#include "core/config/train_config.h"

#include "core/base/error.h"
#include "core/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dailies::config {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const Json& partial) {
    try {
        resolve(partial);
    } catch (const InputError& error) {
        return error.full();
    }
    ADD_FAILURE() << "was accepted: " << partial.dump();
    return {};
}

TEST(Resolve, AnEmptyConfigIsTheDefaultsAndLeavesNothingToDefaultLater) {
    const Json config = toJson(resolve(Json::object()));
    for (const auto& field : trainSchema()) EXPECT_TRUE(flatten(config).contains(field.key)) << field.key;
    EXPECT_EQ(config, toJson(TrainConfig{}));
    EXPECT_EQ(toJson(resolve(config)), config);
}

TEST(Resolve, GivenValuesStandNestedOrDotted) {
    EXPECT_EQ(
        resolve({{"optimizer", {{"lr", 0.5}}}, {"steps", 7}, {"optimizer.warmup_steps", 3}}).optimizer.lr,
        0.5);
    EXPECT_EQ(resolve({{"optimizer.lr", 0.25}}).optimizer.lr, 0.25);
    EXPECT_EQ(resolve({{"steps", 1e3}}).steps, 1'000) << "1e3 is whole";
}

TEST(Resolve, AnUnknownKeyIsRefusedWithTheNearestOne) {
    EXPECT_THAT(refusal({{"optimizer", {{"lrr", 0.1}}}}),
                HasSubstr("optimizer.lrr: no such key; did you mean optimizer.lr?"));
    EXPECT_THAT(refusal({{"zzzzzzzzzz", 1}}),
                AllOf(HasSubstr("zzzzzzzzzz: no such key."), Not(HasSubstr("did you"))));
    EXPECT_THAT(refusal({{"evil\x1b[2J", 1}}), Not(HasSubstr("\x1b")));
}

TEST(Resolve, AWrongTypeNamesKeyFoundAndAccepted) {
    EXPECT_THAT(refusal({{"steps", "many"}}),
                HasSubstr("steps: found \"many\", expected an integer from 1 to 1000000000 (steps)."));
    EXPECT_THAT(refusal({{"steps", 1.5}}), HasSubstr("steps: found 1.5, expected an integer"));
    EXPECT_THAT(refusal({{"optimizer.lr", nullptr}}),
                HasSubstr("optimizer.lr: found null, expected a number"));
    EXPECT_THAT(refusal({{"optimizer.lr", true}}), HasSubstr("found true"));
    EXPECT_THAT(refusal({{"data.folder", 5}}), HasSubstr("data.folder: found 5, expected a text"));
    EXPECT_THAT(refusal({{"sampling.prompts", "one"}}), HasSubstr("expected a list of texts"));
    EXPECT_THAT(refusal({{"sampling.prompts", {"one", 2}}}), HasSubstr("expected a list of texts"));
    EXPECT_THAT(refusal({{"optimizer", 5}}), HasSubstr("optimizer: no such key"));
    EXPECT_THAT(refusal(Json::array({1})), HasSubstr("expected an object"));
}

TEST(Resolve, AValueOutOfItsRangeOrChoicesIsRefused) {
    EXPECT_THAT(refusal({{"steps", 0}}), HasSubstr("found 0, expected an integer from 1"));
    EXPECT_THAT(refusal({{"optimizer.lr", -0.1}}), HasSubstr("expected a number from 0 to 10"));
    EXPECT_THAT(refusal({{"model.family", "unet"}}),
                HasSubstr("model.family: found \"unet\", expected one of: dit"));
    EXPECT_THAT(refusal({{"steps", 1e300}}), HasSubstr("steps: found"));
}

TEST(Resolve, EverythingThatIsWrongIsSaidAtOnce) {
    EXPECT_THAT(refusal({{"stepz", 1}, {"optimizer.lr", "x"}, {"model.depth", 0}}),
                AllOf(HasSubstr("stepz"), HasSubstr("optimizer.lr"), HasSubstr("model.depth")));
}

TEST(Resolve, AnimateIsRefusedWhatItCannotDo) {
    const Json animate = {{"model.family", "animate"}, {"model.patch_frames", 1}, {"data.source", "figures"}};
    EXPECT_EQ(resolve(animate).model.family, "animate");
    const std::pair<Json, const char*> refused[] = {
        {{{"data.source", "shapes"}},
         "data.source: found shapes with model.family animate, expected figures, or folder with data.poses"},
        {{{"data.source", "folder"}, {"data.folder", "/data/dance"}},
         "data.poses: found nothing with model.family animate"},
        {{{"data.source", "folder"}, {"data.folder", "/data/dance.json"}, {"data.poses", "/data/poses"}},
         "data.poses: found /data/poses with model.family animate, expected nothing: the JSON file"},
        {{{"model.patch_frames", 2}}, "model.patch_frames: found 2 with model.family animate, expected 1"},
        {{{"model.patch_size", 16}},
         "model.patch_size: found 16 with model.family animate, expected 1, 2, 4 or 8"},
        {{{"model.motion", "v1"}, {"data.frames", 25}}, "expected at most 24"},
        {{{"tokenizer.kind", "vae"}},
         "tokenizer.frames_factor: found 4 with model.family animate, expected 1"},
        {{{"tokenizer.kind", "vae"}, {"tokenizer.frames_factor", 1}, {"model.patch_size", 2}},
         "model.patch_size: found 2 with model.family animate, expected 1, 2, 4 or 8 pixels with "
         "tokenizer.space_factor 8"},
        {{{"model.recompute", "selective"}},
         "model.recompute: found selective with model.family animate, expected none or full"},
        {{{"model.recompute", "offload"}},
         "model.recompute: found offload with model.family animate, expected none or full"},
        {{{"model.image_encoder", "/models/clip"}},
         "model.image_encoder: found /models/clip with tokenizer.kind none"},
        {{{"layout.cp", 2}}, "layout.cp: found 2 with model.family animate, expected 1"},
        {{{"sampling.reference_pose_files", {"a.json"}}},
         "sampling.reference_pose_files: found 1 with model.family animate, expected none: only unianimate"},
        {{{"sampling.align_poses", true}, {"sampling.pose_files", {"a.json"}}},
         "sampling.align_poses: found true with no sampling.reference_pose_files, expected key points"},
        {{{"sampling.align_poses", true}, {"model.guidance_types", {"depth"}}},
         "sampling.align_poses: found true with model.guidance_types depth, expected false"},
        {{{"model.guidance_types", {"depth", "masks"}}},
         "model.guidance_types: found masks with model.family animate, expected only depth, normal"},
        {{{"model.guidance_types", {"depth", "depth"}}},
         "model.guidance_types: found depth twice with model.family animate, expected each type once"},
        {{{"sampling.pose_files", {"a.mp4", "b.mp4"}}},
         "sampling.pose_files: found 2 for 0 of sampling.prompts"}};
    for (const auto& [changes, message] : refused) {
        auto config = animate;
        config.update(changes);
        EXPECT_THAT(refusal(config), HasSubstr(message));
    }
    auto champ = animate;
    champ.update({{"model.guidance_types", {"depth", "dwpose"}},
                  {"data.source", "folder"},
                  {"data.folder", "/data/champ"}});
    EXPECT_EQ(resolve(champ).data.poses, "") << "its drawings lie beside the pictures";
    auto latents = animate;
    latents.update({{"tokenizer.kind", "sd_vae"},
                    {"tokenizer.weights", "/models/vae"},
                    {"tokenizer.frames_factor", 1},
                    {"model.patch_size", 1},
                    {"model.image_encoder", "/models/clip"}});
    EXPECT_EQ(resolve(latents).model.image_encoder, "/models/clip");
    EXPECT_THAT(refusal({{"sampling.reference_files", {"a.png"}}}),
                HasSubstr("sampling.reference_files: found 1 with model.family dit, expected none"));
}

TEST(Resolve, ImageToVideoIsRefusedWhatItCannotDo) {
    const Json images = {{"model.family", "wan"},
                         {"model.conditioning", "image"},
                         {"model.patch_frames", 1},
                         {"model.patch_size", 2},
                         {"model.image_encoder", "/models/clip"},
                         {"tokenizer.kind", "wan_vae"},
                         {"tokenizer.weights", "/models/vae"},
                         {"data.frames", 5}};
    EXPECT_EQ(resolve(images).model.image_encoder, "/models/clip");
    const std::pair<Json, const char*> refused[] = {
        {{{"tokenizer.kind", "none"}, {"model.image_encoder", ""}},
         "model.conditioning: found image with tokenizer.kind none, expected a tokenizer, such as wan_vae"},
        {{{"tokenizer.frames_factor", 8}, {"data.frames", 9}},
         "found image with tokenizer.frames_factor 8, expected 4"},
        {{{"data.source", "webdataset"}, {"data.shards", {"0.tar"}}, {"data.latents", "latent.npy"}},
         "found image with data.latents, expected pixels"},
        {{{"data.frames", 1}}, "found image with clips of one frame of latents"},
        {{{"model.conditioning", "none"}},
         "model.image_encoder: found /models/clip with model.family wan and model.conditioning none"},
        {{{"model.family", "dit"}, {"model.positions", "none"}},
         "model.image_encoder: found /models/clip with model.family dit and model.conditioning image"},
        {{{"sampling.prompts", {"a cat"}}, {"sampling.given_files", {"a.png", "b.png"}}},
         "sampling.given_files: found 2 for 1 of sampling.prompts"}};
    for (const auto& [changes, message] : refused) {
        auto config = images;
        config.update(changes);
        EXPECT_THAT(refusal(config), HasSubstr(message));
    }
    auto one = images;
    one.update({{"sampling.prompts", {"a cat"}}, {"sampling.given_files", {"a.png"}}});
    EXPECT_EQ(resolve(one).sampling.given_files.size(), 1U);
}

TEST(Resolve, AFrameInPlaceIsRefusedWhereNothingTellsItApart) {
    const Json inPlace = {
        {"model.family", "wan"}, {"model.conditioning", "in_place"}, {"model.patch_frames", 1}};
    EXPECT_EQ(resolve(inPlace).model.conditioning, "in_place");
    const std::pair<Json, const char*> refused[] = {
        {{{"model.family", "dit"}}, "found in_place with model.family dit, expected wan"},
        {{{"diffusion.objective", "edm"}}, "found in_place with diffusion.objective edm"},
        {{{"model.patch_frames", 2}}, "found in_place with model.patch_frames 2, expected 1"},
        {{{"model.given_frames", 2}}, "found in_place with model.given_frames 2, expected 1"},
        {{{"data.frames", 1}}, "found in_place with clips of one frame"},
        {{{"sampling.other_expert", "/models/low"}}, "expected the noise of one of two models"}};
    for (const auto& [changes, message] : refused) {
        auto config = inPlace;
        config.update(changes);
        EXPECT_THAT(refusal(config), HasSubstr(message));
    }
}

TEST(Resolve, CombinationsThatCouldNotTrainAreRefused) {
    EXPECT_THAT(
        refusal({{"diffusion.timestep_from", 0.9}, {"diffusion.timestep_to", 0.875}}),
        HasSubstr("diffusion.timestep_from: found 0.9, expected less than diffusion.timestep_to (0.875)"));
    EXPECT_THAT(refusal({{"model.family", "wan"}, {"model.text_places", 512}}),
                HasSubstr("model.text_places: found 512 with captions that come as words"));
    EXPECT_EQ(resolve({{"model.family", "wan"}, {"model.text_places", 512}, {"text.encoder", "bytes"}})
                  .model.text_places,
              512);
    EXPECT_THAT(refusal({{"text.encoder", "t5"}}), HasSubstr("text.weights: found nothing"));
    EXPECT_THAT(refusal({{"text.encoder", "t5"},
                         {"text.weights", "/models/umt5"},
                         {"data.source", "webdataset"},
                         {"data.shards", {"0.tar"}},
                         {"data.text_embeddings", "text.npy"}}),
                HasSubstr("text.encoder: found t5 with data.text_embeddings"));
    EXPECT_EQ(resolve({{"text.encoder", "t5"}, {"text.weights", "/models/umt5"}}).text.device, "gpu");
    EXPECT_THAT(refusal({{"model.heads", 5}}),
                HasSubstr("model.width: found 64, expected a multiple of model.heads (5): 60 or 65."));
    EXPECT_THAT(refusal({{"model.width", 16}, {"model.heads", 4}}),
                HasSubstr("width / heads to be even and at least 6"));
    EXPECT_THAT(refusal({{"data.frames", 7}}),
                HasSubstr("data.frames: found 7, expected a multiple of model.patch_frames (2): 6 or 8."));
    EXPECT_THAT(refusal({{"data.height", 36}}),
                HasSubstr("data.height: found 36, expected a multiple of model.patch_size (8)"));
    EXPECT_THAT(refusal({{"data.width", 33}, {"model.patch_size", 1}}), HasSubstr("as H.264 needs"));
    EXPECT_EQ(resolve({{"steps", 10}}).optimizer.warmup_steps, 10) << "a default that nobody wrote gives way";
    EXPECT_THAT(refusal({{"steps", 10}, {"optimizer.warmup_steps", 30}}),
                HasSubstr("optimizer.warmup_steps: found 30, expected at most steps (10)"));
    EXPECT_THAT(refusal({{"optimizer.accumulate", 3}}),
                HasSubstr("data.batch_size: found 16, expected a multiple of optimizer.accumulate (3)"));
    EXPECT_THAT(refusal({{"optimizer.master_weights", true}}),
                HasSubstr("optimizer.master_weights: found true with runtime.precision fp32"));
    EXPECT_THAT(refusal({{"optimizer.lr", 0.01}, {"optimizer.min_lr", 0.1}}),
                HasSubstr("optimizer.min_lr: found 0.1, expected at most optimizer.lr (0.01)"));
    EXPECT_THAT(refusal({{"data.text_embeddings", "t.npy"},
                         {"sampling.prompts", {"a", "b"}},
                         {"sampling.prompt_embeddings", {"a.npy"}}}),
                HasSubstr("sampling.prompt_embeddings: found 1 for 2 of sampling.prompts"));
    EXPECT_THAT(refusal({{"sampling.prompts", {"a"}}, {"sampling.prompt_embeddings", {"a.npy"}}}),
                HasSubstr("without data.text_embeddings"));
    EXPECT_THAT(refusal({{"data.text_embeddings", "t.npy"}, {"sampling.negative_prompt", "blurry"}}),
                HasSubstr("sampling.negative_prompt: found one with data.text_embeddings"));
    EXPECT_THAT(refusal({{"diffusion.caption_drop", 0}, {"sampling.guidance", 3}}),
                HasSubstr("diffusion.caption_drop: found 0"));
    EXPECT_EQ(
        resolve(
            {{"diffusion.caption_drop", 0}, {"sampling.guidance", 3}, {"sampling.negative_prompt", "blurry"}})
            .sampling.guidance,
        3)
        << "no model need know what no caption is";
    EXPECT_THAT(refusal({{"optimizer.ema_power", 6.94}, {"optimizer.ema_decay", 0}}),
                HasSubstr("optimizer.ema_power: found 6.94 with optimizer.ema_decay 0"));
    EXPECT_THAT(refusal({{"data.source", "folder"}}), HasSubstr("data.folder: found nothing"));
    EXPECT_THAT(refusal({{"data.colours", {"red", "pink"}}}),
                HasSubstr("data.colours: found pink, expected some of: red, green, blue, yellow."));
    EXPECT_THAT(refusal({{"data.colours", {"red", "red"}}}), HasSubstr("data.colours: found red twice"));
    EXPECT_THAT(refusal({{"sampling.align_poses", true}}),
                HasSubstr("sampling.align_poses: found true with model.family dit, expected false"));
    const auto withAdapter = [](const Json& changes) {
        Json config = {{"lora.rank", 8}, {"model.init", "wan.safetensors"}};
        config.update(changes);
        return refusal(config);
    };
    EXPECT_THAT(refusal({{"lora.alpha", 16}}), HasSubstr("lora.alpha: found 16 with lora.rank 0"));
    EXPECT_THAT(refusal({{"lora.targets", {"to_q"}}}),
                HasSubstr("lora.targets: found to_q with lora.rank 0"));
    EXPECT_THAT(refusal({{"lora.rank", 8}}), HasSubstr("lora.rank: found 8 without model.init"));
    EXPECT_THAT(withAdapter({{"lora.dropout", 0.1}, {"layout.tp", 2}}),
                HasSubstr("lora.dropout: found 0.1 with layout.tp 2, expected 0"));
    EXPECT_THAT(withAdapter({{"layout.pp", 2}}),
                HasSubstr("layout.pp: found 2 with lora.rank 8, expected 1"));
    EXPECT_THAT(withAdapter({{"lora.targets", {""}}}), HasSubstr("lora.targets: found an empty pattern"));
    EXPECT_THAT(refusal({{"lora.blocks_to_swap", 4}}),
                HasSubstr("lora.blocks_to_swap: found 4 with lora.rank 0"));
    EXPECT_THAT(withAdapter({{"lora.blocks_to_swap", 40}, {"model.depth", 4}}),
                HasSubstr("lora.blocks_to_swap: found 40 with model.depth 4, expected at most that"));
    EXPECT_THAT(withAdapter({{"lora.blocks_to_swap", 2}, {"runtime.cuda_graphs", true}}),
                HasSubstr("lora.blocks_to_swap: found 2 with runtime.cuda_graphs"));
    EXPECT_THAT(refusal({{"model.recompute", "offload"}, {"runtime.cuda_graphs", true}}),
                HasSubstr("model.recompute: found offload with runtime.cuda_graphs, expected full"));
    EXPECT_THAT(refusal({{"lora.base_precision", "int8"}}),
                HasSubstr("lora.base_precision: found int8 with lora.rank 0"));
    EXPECT_THAT(withAdapter({{"lora.base_precision", "int8"}, {"runtime.cuda_graphs", true}}),
                HasSubstr("lora.base_precision: found int8 with runtime.cuda_graphs"));
    for (const auto* line : {"lora_B", "=3", "lora_B=fast", "lora_B=0"})
        EXPECT_THAT(refusal({{"optimizer.lr_factors", {"lora_A=2", line}}}),
                    HasSubstr(std::string("optimizer.lr_factors: found ") + line + ", expected a part"));
    EXPECT_THAT(withAdapter({{"lora.dropout", 0.1}, {"layout.cp", 2}}),
                HasSubstr("lora.dropout: found 0.1 with layout.cp 2, expected 0"));
    EXPECT_THAT(refusal({{"diffusion.caption_drop", 0}}),
                HasSubstr("diffusion.caption_drop: found 0 with sampling.guidance 1.5"));
    EXPECT_NO_THROW(resolve({{"diffusion.caption_drop", 0}, {"sampling.guidance", 1}}));
    EXPECT_THAT(refusal({{"sampling.guidance_from", 0.8}, {"sampling.guidance_to", 0.2}}),
                HasSubstr("sampling.guidance_from: found 0.8, expected at most sampling.guidance_to (0.2)"));
    EXPECT_NO_THROW(resolve({{"data.source", "folder"}, {"data.folder", "/videos"}}));
}

TEST(Schema, EveryFieldIsDocumentedHasAUniqueKeyAndAcceptsItsDefault) {
    std::set<std::string> keys;
    for (const auto& field : trainSchema()) {
        EXPECT_TRUE(keys.insert(field.key).second) << field.key;
        EXPECT_FALSE(field.label.empty()) << field.key;
        EXPECT_TRUE(field.doc.ends_with('.')) << field.key;
        EXPECT_TRUE(accepts(field, field.defaultValue())) << field.key;
        EXPECT_EQ(findField(field.key), &field);
    }
    EXPECT_EQ(findField("optimizer"), nullptr);
}

TEST(Schema, AcceptsJudgesOneValueAsResolveWould) {
    const Field& lr = *findField("optimizer.lr");
    EXPECT_TRUE(accepts(lr, 0.1));
    EXPECT_FALSE(accepts(lr, 11));
    EXPECT_FALSE(accepts(lr, "0.1"));
    EXPECT_TRUE(accepts(*findField("data.source"), "folder")) << "though it needs data.folder beside it";
}

TEST(Schema, ParseValueReadsWhatAPersonTypes) {
    EXPECT_EQ(parseValue(*findField("optimizer.lr"), " 1e-3 "), 1e-3);
    EXPECT_EQ(parseValue(*findField("steps"), "1600"), 1600);
    EXPECT_EQ(parseValue(*findField("sampling.prompts"), "one\n\n two \n"), (Json{"one", "two"}));
    EXPECT_EQ(parseValue(*findField("data.folder"), "/a b"), "/a b");
    for (const char* wrong : {"", "abc", "1.5", "12x", "99999999999999999999"})
        EXPECT_THROW(parseValue(*findField("steps"), wrong), InputError) << wrong;
    for (const char* wrong : {"inf", "nan", "0.1.2", "1,5"})
        EXPECT_THROW(parseValue(*findField("optimizer.lr"), wrong), InputError) << wrong;
}

TEST(Schema, TheDocumentHoldsEveryFieldWithItsBounds) {
    const Json document = schemaToJson();
    EXPECT_EQ(document["fields"].size(), trainSchema().size());
    EXPECT_EQ(document["fields"][0]["key"], "steps");
    EXPECT_EQ(document["fields"][0]["minimum"], 1);
    EXPECT_EQ(document["fields"][0]["default"], 1600);
}

TEST(Resolve, ShardsAndBucketsThatCouldNotTrainAreRefused) {
    const Json shards = {{"data.source", "webdataset"}, {"data.shards", {"/data/{0..3}.tar"}}};
    const auto with = [&](const Json& more) {
        Json all = shards;
        all.update(more);
        return all;
    };
    const Json mixed = {{"data.buckets", {"8x32x32@8", "2x64x64"}}, {"data.packing", true}};
    EXPECT_THAT(refusal(with(mixed)), HasSubstr("model.positions: found learned with data.buckets"));
    Json anySize = mixed;
    anySize["model.positions"] = "none";
    EXPECT_NO_THROW(resolve(with(anySize)));
    EXPECT_THAT(refusal({{"data.source", "webdataset"}}), HasSubstr("data.shards: found nothing"));
    EXPECT_THAT(refusal(with({{"data.buckets", {"8x32"}}})), HasSubstr("data.buckets: found \"8x32\""));
    EXPECT_THAT(refusal(with({{"data.buckets", {"8x30x32"}}})),
                HasSubstr("sides of 8x30x32: found 30, expected a multiple of model.patch_size (8)"));
    EXPECT_THAT(refusal(with({{"data.buckets", {"7x32x32"}}})), HasSubstr("frames of 7x32x32: found 7"));
    EXPECT_THAT(refusal({{"data.buckets", {"8x32x32"}}}), HasSubstr("only webdataset has them"));
    EXPECT_THAT(refusal(with({{"data.packing", true}, {"optimizer.accumulate", 2}})),
                HasSubstr("optimizer.accumulate: found 2 with data.packing"));
}

}  // namespace
}  // namespace dailies::config
