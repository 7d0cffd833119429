#include "trainer/data/vocabulary.h"

#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

TEST(Vocabulary, IsTheSameForTheSameCaptionsInAnyOrder) {
    EXPECT_EQ(Vocabulary::ofCaptions({"Red car", "a blue-car, twice"}).words(),
              Vocabulary::ofCaptions({"a blue-car, twice", "Red car"}).words());
}

TEST(Vocabulary, FindsWordsWhateverTheirCaseAndPunctuation) {
    const auto vocabulary = Vocabulary::ofCaptions({"red car", "blue car"});
    EXPECT_EQ(vocabulary.words(), (std::vector<std::string>{"blue", "car", "red"}));
    EXPECT_EQ(vocabulary.tokens("RED, car!"), (std::vector<std::int64_t>{3, 2}));
    EXPECT_EQ(vocabulary.tokenCount(), 4);
}

TEST(Vocabulary, GivesAnEmptyCaptionItsOwnToken) {
    const auto vocabulary = Vocabulary::ofCaptions({"red car"});
    EXPECT_EQ(vocabulary.tokens(""), (std::vector<std::int64_t>{0}));
    EXPECT_EQ(vocabulary.tokens("elephant"), (std::vector<std::int64_t>{0}));
}

TEST(Vocabulary, NamesTheWordsThatAModelWouldIgnore) {
    const auto vocabulary = Vocabulary::ofCaptions({"red car"});
    EXPECT_EQ(vocabulary.unknownWords("a red Elephant"), (std::vector<std::string>{"a", "elephant"}));
}

TEST(Vocabulary, KeepsWordsBeyondAscii) {
    EXPECT_EQ(Vocabulary::ofCaptions({"grün gelb"}).words(), (std::vector<std::string>{"gelb", "grün"}));
}

}  // namespace
}  // namespace dailies::trainer
