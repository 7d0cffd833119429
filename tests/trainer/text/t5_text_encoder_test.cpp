#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/text/tiny_t5.h"
#include "trainer/text/sentencepiece_tokenizer.h"
#include "trainer/text/t5/t5_encoder.h"
#include "trainer/text/text_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPrompt = "a red square &amp; two   cats", kCleaned = "a red square & two cats";

class T5TextEncoderTest : public testing::Test {
protected:
    void write(const TinyT5& how = {}) { writeTinyT5(folder.path(), how); }

    std::unique_ptr<TextEncoder> open(const std::filesystem::path& cache = {}) const {
        return makeTextEncoder(config, Vocabulary({}), 0, at::kCPU, cache);
    }
    std::string refusal() const {
        try {
            open()->encode({{kPrompt}});
        } catch (const InputError& error) {
            return error.full();
        }
        return "none";
    }
    /// What the encoder itself makes of the text's pieces.
    at::Tensor expected(const std::string& text, std::int64_t most = 64) const {
        const auto pieces = SentencePieceTokenizer(tinySpiece(), "test")(text, most);
        return T5Encoder(tinyT5Weights(), 16)(at::tensor(pieces.ids, at::kLong).unsqueeze(0))[0];
    }

    const TemporaryFolder folder;
    config::TrainConfig config = [this] {
        config::TrainConfig c;
        c.text.encoder = "t5";
        c.text.weights = folder.path().string();
        c.text.width = 16;
        return c;
    }();
};

TEST_F(T5TextEncoderTest, ACaptionsRowsAreThoseOfItsPiecesAndOfTheEnd) {
    write();
    const auto text = open()->encode({{kPrompt}, {""}});
    const auto words = expected(kCleaned);
    ASSERT_EQ(text.embeddings.sizes(), (at::IntArrayRef{2, words.size(0), 16}));
    EXPECT_TRUE(at::equal(text.embeddings[0], words));
    EXPECT_TRUE(at::equal(text.mask.sum(1), at::tensor({words.size(0), std::int64_t{1}}, at::kLong)));
    EXPECT_TRUE(at::equal(text.embeddings[1][0], expected("")[0])) << "an empty text is its end alone";
    EXPECT_EQ(text.embeddings[1].slice(0, 1).abs().max().item<float>(), 0);
}

TEST_F(T5TextEncoderTest, EveryPublishedSpellingGivesTheSame) {
    write();
    const auto rows = open()->encode({{kPrompt}}).embeddings;
    config.text.weights = (folder.path() / "text_encoder").string();  // its tokenizer lies beside it
    EXPECT_TRUE(at::equal(open()->encode({{kPrompt}}).embeddings, rows));

    write({.original = true});
    config.text.weights = (folder.path() / "text_encoder/model.safetensors").string();
    config.text.tokenizer = (folder.path() / "tokenizer").string();
    EXPECT_TRUE(at::equal(open()->encode({{kPrompt}}).embeddings, rows));

    std::filesystem::remove_all(folder.path());
    write({.withTokenizer = true});
    config.text.tokenizer.clear();
    EXPECT_TRUE(at::equal(open()->encode({{kPrompt}}).embeddings, rows));
}

TEST_F(T5TextEncoderTest, Float8IsReadWithItsScales) {
    write();
    const auto exact = open()->encode({{kPrompt}}).embeddings;
    std::filesystem::remove_all(folder.path());
    write({.scaledFp8 = true, .withTokenizer = true});
    const auto found = open()->encode({{kPrompt}}).embeddings;
    ASSERT_EQ(found.sizes(), exact.sizes());
    const auto error = ((found - exact).norm() / exact.norm()).item<double>();
    EXPECT_LT(error, 0.1) << "numbers without their scale would be hundreds of times too large";
    EXPECT_GT(error, 1e-4);
    write({.scaledFp8 = true, .without = "encoder.block.1.layer.1.DenseReluDense.wo.scale_weight"});
    EXPECT_THAT(refusal(), HasSubstr("DenseReluDense.wo.weight of type F8_E4M3 without a scale"));
}

TEST_F(T5TextEncoderTest, ALongCaptionIsCutAndSaidOnce) {
    write();
    config.text.tokens = 12;
    std::string longest;
    while (longest.size() < 10'000) longest += "a dog runs along the beach ";
    const auto encoder = open();
    const auto text = encoder->encode({{longest}, {longest + "again"}, {"a dog"}});
    EXPECT_EQ(text.embeddings.size(1), 12);
    EXPECT_TRUE(at::equal(text.embeddings[0], expected(longest, 12)));
    EXPECT_THAT(encoder->takeNotes(),
                ElementsAre(AllOf(HasSubstr("was cut to 12 (text.tokens)"), HasSubstr("a dog runs along"))));
    EXPECT_THAT(encoder->takeNotes(), IsEmpty());
}

TEST_F(T5TextEncoderTest, AWanReadsAsManyPiecesAsItHasPlaces) {
    write();
    config.model.family = "wan";
    config.model.text_places = 7;
    const auto encoder = open();
    EXPECT_EQ(encoder->encode({{"a dog runs along the beach in the evening sun"}}).embeddings.size(1), 7);
    EXPECT_THAT(encoder->takeNotes(), ElementsAre(HasSubstr("was cut to 7 (model.text_places)")));
}

TEST_F(T5TextEncoderTest, WhatStandsInTheCacheIsNotComputedAgain) {
    write();
    const auto cache = folder.path() / "cache";
    const auto rows = open(cache)->encode({{kPrompt}}).embeddings;
    // behind the bytes by which weights are known: whoever reads these meets a NaN
    write({.notFinite = "encoder.block.1.layer.1.DenseReluDense.wo.weight"});
    EXPECT_THAT(refusal(), HasSubstr("wo.weight has 1 number that is not finite"));
    const auto again = open(cache);
    EXPECT_TRUE(at::equal(again->encode({{kPrompt}}).embeddings, rows));
    EXPECT_THROW(again->encode({{"another"}}), InputError);
    config.text.tokens = 3;
    EXPECT_THROW(open(cache)->encode({{kPrompt}}), InputError) << "cut, it is another";
}

TEST_F(T5TextEncoderTest, WeightsThatAreNotWholeAreRefusedByName) {
    write({.without = "encoder.block.1.layer.0.SelfAttention.k.weight"});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("text.weights: "), HasSubstr("not whole"),
                                 HasSubstr("encoder.block.1.layer.0.SelfAttention.k.weight")));
    config.text.width = 24;
    write();
    EXPECT_THAT(refusal(), AllOf(HasSubstr("text.width: found 24"), HasSubstr("has 16")));
    config.text.weights = "/nowhere";
    EXPECT_THAT(refusal(), HasSubstr("/nowhere is not there"));
}

TEST_F(T5TextEncoderTest, ATokenizerOfAnotherModelIsRefusedWithBothVocabularies) {
    write({.spareRows = 5000});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("has " + std::to_string(tinySpiecePieces()) + " pieces"),
                                 HasSubstr("a vocabulary of " + std::to_string(tinySpiecePieces() + 5000))));
    write({.spareRows = -1});
    EXPECT_THAT(refusal(), HasSubstr("it is another model's"));
}

TEST_F(T5TextEncoderTest, ATokenizerThatIsMissingOrNoneIsNamed) {
    write();
    std::filesystem::remove_all(folder.path() / "tokenizer");
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("text.tokenizer: there is no file"), HasSubstr("tokenizer/spiece.model")));
    writeFileAtomically(folder.path() / "spiece.model", "no model");
    EXPECT_THAT(refusal(), HasSubstr("spiece.model is no SentencePiece model"));
}

TEST_F(T5TextEncoderTest, AnMlpOfAnotherKindIsRefused) {
    write();
    writeFileAtomically(folder.path() / "text_encoder/config.json", R"({"feed_forward_proj": "gated-silu"})");
    EXPECT_THAT(refusal(), HasSubstr("has the MLP \"gated-silu\", expected \"gated-gelu\""));
}

}  // namespace
}  // namespace dailies::trainer
