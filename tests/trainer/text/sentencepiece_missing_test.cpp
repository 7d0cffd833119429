#include "core/base/error.h"
#include "trainer/text/sentencepiece_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Of a dailies-train that was built where SentencePiece is missing.

namespace dailies::trainer {
namespace {

TEST(SentencePieceMissing, TheTokenizerIsRefusedWithWhatToInstall) {
    try {
        SentencePieceTokenizer("", "text.tokenizer: /models/spiece.model");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), testing::AllOf(testing::HasSubstr("/models/spiece.model cannot be read"),
                                                 testing::HasSubstr("libsentencepiece-dev"),
                                                 testing::HasSubstr("data.text_embeddings")));
    }
}

}  // namespace
}  // namespace dailies::trainer
