#include "core/config/layout.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::config {
namespace {

using testing::HasSubstr;

TrainConfig with(Json layout, Json model = Json::object(), Json data = Json::object()) {
    return resolve({{"layout", std::move(layout)}, {"model", std::move(model)}, {"data", std::move(data)}});
}

template <class Work>
std::string layoutRefusal(Work work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.full();
    }
    return "accepted";
}

TEST(Layout, TakesAllRanksForDataWhereNothingElseIsAsked) {
    const auto sizes = layoutOf(TrainConfig{}, 8);
    EXPECT_EQ(sizes.dp, 8);
    EXPECT_EQ(sizes.cp(), 1);
    EXPECT_EQ(sizes.shardRanks, 1);
    EXPECT_EQ(sizes.text("none"), "dp 8");
}

TEST(Layout, DividesRanksIntoDataUlyssesAndRing) {
    const auto sizes = layoutOf(with({{"cp", 4}, {"ring", 2}, {"shard", "zero2"}, {"shard_ranks", 4}}), 16);
    EXPECT_EQ(sizes.dp, 4);
    EXPECT_EQ(sizes.ulysses, 2);
    EXPECT_EQ(sizes.ring, 2);
    EXPECT_EQ(sizes.ranks(), 16);
    EXPECT_EQ(sizes.text("zero2"), "dp 4 × cp 4 (Ulysses 2, ring 2), zero2 over 4 ranks");
    EXPECT_EQ(layoutOf(with({{"shard", "zero1"}}), 6).shardRanks, 6) << "all, where none is named";
}

TEST(Layout, DividesRanksIntoDataAndSlices) {
    const auto sizes = layoutOf(with({{"cp", 2}, {"tp", 2}, {"shard", "zero1"}}), 16);
    EXPECT_EQ(sizes.dp, 4);
    EXPECT_EQ(sizes.ulysses, 2);
    EXPECT_EQ(sizes.tp, 2);
    EXPECT_EQ(sizes.ranksPerClip(), 4);
    EXPECT_EQ(sizes.shardRanks, 8) << "all that hold the same slices";
    EXPECT_EQ(sizes.ranks(), 16);
    EXPECT_EQ(sizes.text("zero1"), "dp 4 × cp 2 (Ulysses 2) × tp 2, zero1 over 8 ranks");
    EXPECT_EQ(layoutOf(with({{"tp", 4}}), 8).text("none"), "dp 2 × tp 4");
}

TEST(Layout, DividesRanksIntoStagesOfData) {
    const auto sizes = layoutOf(with({{"pp", 2}, {"tp", 2}, {"shard", "zero1"}}, {{"depth", 4}}), 8);
    EXPECT_EQ(sizes.pp, 2);
    EXPECT_EQ(sizes.dp, 2);
    EXPECT_EQ(sizes.ranksPerStage(), 4);
    EXPECT_EQ(sizes.ranks(), 8);
    EXPECT_EQ(sizes.shardRanks, 2) << "of one stage";
    EXPECT_EQ(sizes.text("zero1"), "pp 2 × dp 2 × tp 2, zero1 over 2 ranks");
    const auto interleaved = resolve({{"layout", {{"pp", 2}, {"pp_chunks", 2}}},
                                      {"model", {{"depth", 4}}},
                                      {"optimizer", {{"accumulate", 2}}}});
    EXPECT_EQ(layoutOf(interleaved, 2).text("none"), "pp 2 (2 chunks) × dp 1");
}

TEST(Layout, RefusesStagesThatDoNotDivideAndNamesTheNearest) {
    EXPECT_THAT(layoutRefusal([] {
                    with({{"pp", 3}}, {{"depth", 8}});
                }),
                HasSubstr("layout.pp: found 3, expected a divisor of model.depth (8): 2 or 4."));
    EXPECT_THAT(
        layoutRefusal([] {
            with({{"pp", 2}, {"pp_chunks", 3}}, {{"depth", 8}});
        }),
        HasSubstr("layout.pp_chunks: found 3, expected a divisor of model.depth / layout.pp (4): 2 or 4."));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"pp_chunks", 2}});
                }),
                HasSubstr("layout.pp_chunks: found 2 with layout.pp 1, expected 1"));
    EXPECT_THAT(layoutRefusal([] {
                    resolve({{"layout", {{"pp", 2}, {"pp_chunks", 2}}},
                             {"model", {{"depth", 4}}},
                             {"optimizer", {{"accumulate", 3}}}});
                }),
                HasSubstr("optimizer.accumulate: found 3 with layout.pp_chunks 2, expected a multiple of "
                          "layout.pp (2): 2 or 4."));
    EXPECT_THAT(layoutRefusal([] {
                    layoutOf(with({{"pp", 4}}, {{"depth", 8}}), 6);
                }),
                HasSubstr("layout.pp: found 4, expected a divisor of the number of ranks (6): 3 or 6."));
    EXPECT_THAT(
        layoutRefusal([] {
            layoutOf(with({{"pp", 2}, {"cp", 4}}, {{"depth", 8}}), 4);
        }),
        HasSubstr("layout.cp: found 4, expected a divisor of the number of ranks / layout.pp (2): 2."));
}

TEST(Layout, RefusesWhatStagesCannotDo) {
    for (const auto* shard : {"zero2", "zero3"})
        EXPECT_THAT(layoutRefusal([&] {
                        with({{"pp", 2}, {"shard", shard}}, {{"depth", 4}});
                    }),
                    HasSubstr("with layout.pp 2, expected none or zero1"));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"pp", 2}}, {{"depth", 4}}, {{"packing", true}});
                }),
                HasSubstr("layout.pp: found 2 with data.packing, expected 1"));
    EXPECT_THAT(
        layoutRefusal([] {
            resolve(
                {{"layout", {{"pp", 2}}}, {"model", {{"depth", 4}}}, {"runtime", {{"cuda_graphs", true}}}});
        }),
        HasSubstr("runtime.cuda_graphs: found true"));
}

TEST(Layout, RefusesSlicesThatDoNotDivideAndNamesTheNearest) {
    // 4 heads of width 64, an MLP of 1,024; a clip of 8 × 32 × 32 has 64 tokens
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 3}}, {{"width", 256}, {"mlp_width", 1024}});
                }),
                HasSubstr("layout.tp: found 3, expected a divisor of model.heads (4) and the MLP's width "
                          "(1024): 2 or 4."));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 8}});
                }),
                HasSubstr("layout.tp: found 8, expected a divisor of model.heads (4): 4."));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 2}}, {{"kv_heads", 1}});
                }),
                HasSubstr("layout.tp: found 2, expected a divisor of model.kv_heads (1): 1."));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 2}}, {{"mlp_width", 129}});
                }),
                HasSubstr("layout.tp: found 2, expected a divisor of the MLP's width (129): 1."));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 2}, {"cp", 4}});
                }),
                HasSubstr("model.heads / layout.tp (2): layout.cp 2 times layout.ring"))
        << "heads are dealt twice";
    EXPECT_THAT(layoutRefusal([] {
                    layoutOf(with({{"tp", 4}}), 6);
                }),
                HasSubstr("layout.tp: found 4, expected a divisor of the number of ranks (6): 3 or 6."));
    EXPECT_THAT(layoutRefusal([] {
                    layoutOf(with({{"tp", 2}, {"shard", "zero1"}, {"shard_ranks", 3}}), 8);
                }),
                HasSubstr("a divisor of the number of ranks / layout.tp (4): 2 or 4."));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 2}}, Json::object(), {{"frames", 2}, {"height", 8}, {"width", 24}});
                }),
                HasSubstr("layout.tp: found 2, expected a divisor of the tokens of a clip"));
}

TEST(Layout, RefusesWhatSlicesCannotDo) {
    EXPECT_THAT(layoutRefusal([] {
                    with({{"tp", 2}}, Json::object(), {{"packing", true}});
                }),
                HasSubstr("layout.tp: found 2 with data.packing, expected 1"));
    EXPECT_THAT(layoutRefusal([] {
                    resolve({{"layout", {{"tp", 2}}}, {"optimizer", {{"name", "adamw8bit"}}}});
                }),
                HasSubstr("layout.tp: found 2 with optimizer.name adamw8bit, expected adamw"));
    for (const auto& [key, changes, found] :
         {std::tuple{"layout.shard", Json{{"layout", {{"shard", "zero2"}}}}, "zero2"},
          std::tuple{"layout.tp", Json{{"layout", {{"tp", 2}}}}, "2"},
          std::tuple{"optimizer.offload", Json{{"optimizer", {{"offload", true}}}}, "true"},
          std::tuple{"lora.rank", Json{{"lora", {{"rank", 4}}}}, "4"}}) {
        auto config = changes;
        config["optimizer"]["name"] = "muon";
        EXPECT_THAT(layoutRefusal([&config = config] { resolve(config); }),
                    HasSubstr(std::string(key) + ": found " + found + " with optimizer.name muon"));
    }
    EXPECT_THAT(layoutRefusal([] {
                    resolve({{"layout", {{"tp", 2}}}, {"runtime", {{"cuda_graphs", true}}}});
                }),
                HasSubstr("runtime.cuda_graphs: found true"));
    for (const auto* family : {"dit", "st-dit", "wan"})
        EXPECT_EQ(layoutRefusal([&] { with({{"tp", 2}}, {{"family", family}}); }), "accepted") << family;
}

TEST(Layout, IsProvenInLongRunsOfSeveralRanksUnlessAskedOtherwise) {
    TrainConfig config;
    config.steps = 1000;
    EXPECT_TRUE(provesLayout(config, 2));
    EXPECT_FALSE(provesLayout(config, 1)) << "one process has none";
    config.steps = 999;
    EXPECT_FALSE(provesLayout(config, 2));
    config.layout.certificate = "always";
    EXPECT_TRUE(provesLayout(config, 2));
    EXPECT_FALSE(provesLayout(config, 1));
    config.steps = 100'000;
    config.layout.certificate = "never";
    EXPECT_FALSE(provesLayout(config, 64));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"certificate", "sometimes"}});
                }),
                HasSubstr("layout.certificate: found \"sometimes\", expected one of: auto, always, never"));
}

TEST(Layout, RefusesWhatDoesNotDivideAndNamesTheNearest) {
    EXPECT_THAT(layoutRefusal([] {
                    layoutOf(with({{"cp", 4}}), 6);
                }),
                HasSubstr("layout.cp: found 4, expected a divisor of the number of ranks (6): 3 or 6."));
    EXPECT_THAT(
        layoutRefusal([] {
            layoutOf(with({{"dp", 3}, {"cp", 2}}), 8);
        }),
        HasSubstr(
            "layout.dp: found 3 with layout.cp 2 on 8 ranks, expected 4 (or 0: use the remaining ranks). "
            "Or start 6 ranks."));
    EXPECT_THAT(
        layoutRefusal([] {
            layoutOf(with({{"shard", "zero1"}, {"shard_ranks", 3}}), 8);
        }),
        HasSubstr("layout.shard_ranks: found 3, expected a divisor of the number of ranks (8): 2 or 4."));
    // 4 heads of width 64; a clip of 8 × 32 × 32 has 64 tokens
    EXPECT_THAT(layoutRefusal([] { with({{"cp", 8}}); }), HasSubstr("model.heads (4): layout.cp 4 times"));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"cp", 4}, {"ring", 3}});
                }),
                HasSubstr("layout.ring: found 3, expected a divisor of layout.cp (4): 2 or 4."));
    EXPECT_THAT(
        layoutRefusal([] {
            with({{"cp", 3}, {"ring", 3}});
        }),
        HasSubstr("layout.cp: found 3, expected a divisor of the tokens of a clip of 8x32x32 (64): 2 or 4."));
    EXPECT_THAT(layoutRefusal([] { with({{"cp", 2}}, {{"kv_heads", 1}}); }), HasSubstr("model.kv_heads (1)"));
}

TEST(Layout, RefusesCombinationsThatCannotWork) {
    EXPECT_THAT(layoutRefusal([] {
                    with({{"cp", 2}}, Json::object(), {{"packing", true}});
                }),
                HasSubstr("layout.cp: found 2 with data.packing, expected 1"));
    EXPECT_THAT(layoutRefusal([] {
                    with({{"shard_ranks", 2}});
                }),
                HasSubstr("layout.shard_ranks: found 2 with layout.shard none, expected 0"));
    for (const auto* shard : {"zero2", "zero3"})
        EXPECT_THAT(layoutRefusal([&] {
                        resolve({{"layout", {{"shard", shard}}}, {"runtime", {{"cuda_graphs", true}}}});
                    }),
                    HasSubstr("runtime.cuda_graphs: found true"));
}

TEST(Layout, OfFramesTakesRingsWhereFramesAndPlacesDivide) {
    const auto refusal = [](const Json& layout, Json model = Json::object(), Json data = Json::object()) {
        model["family"] = "st-dit";
        return layoutRefusal([&] { with(layout, model, data); });
    };
    // 4 frames of 16 tokens, 4 heads
    EXPECT_EQ(refusal({{"cp", 2}}), "accepted");
    EXPECT_EQ(refusal({{"cp", 4}, {"ring", 2}}), "accepted");
    EXPECT_EQ(refusal({{"cp", 2}, {"ring", 2}, {"tp", 2}}), "accepted");
    EXPECT_EQ(refusal({{"cp", 4}}, {{"heads", 1}}), "accepted") << "no block exchanges heads";
    EXPECT_THAT(refusal({{"cp", 4}}, {{"heads", 2}, {"depth", 4}, {"full_attention_every", 2}}),
                HasSubstr("layout.cp: found 4, of which 4 exchange tokens for heads, expected a divisor of "
                          "model.heads (2)"));
    EXPECT_EQ(refusal({{"cp", 4}, {"ring", 2}}, {{"heads", 2}, {"depth", 4}, {"full_attention_every", 2}}),
              "accepted");
    EXPECT_THAT(refusal({{"cp", 8}, {"ring", 2}}),
                HasSubstr("layout.ring: found 2 with model.family st-dit and layout.cp 8, expected 1, or a "
                          "divisor of each clip's frames of tokens and of the tokens of a frame (4) in place "
                          "of 8: 4."));
    EXPECT_THAT(refusal({{"cp", 4}, {"ring", 4}, {"tp", 2}}),
                HasSubstr("with model.family st-dit and layout.cp × layout.tp 8, expected 1"));
    EXPECT_THAT(refusal({{"cp", 2}, {"ring", 2}}, {}, {{"buckets", {"8x32x32", "6x32x32"}}}),
                HasSubstr("(1) in place of 2: 1."));
    EXPECT_EQ(refusal({{"cp", 2}}, {}, {{"frames", 6}}), "accepted") << "then by heads along time";
    EXPECT_THAT(refusal({{"cp", 2}}, {{"heads", 1}}, {{"frames", 6}}), HasSubstr("model.heads (1)"));
}

}  // namespace
}  // namespace dailies::config
