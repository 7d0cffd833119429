#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

// Runs whose prompts are embeddings: their clips come while they train, as those of any run.

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::int64_t kWidth = 6;

std::string embeddingsOf(int tokens, float value) {
    return npyOf({tokens, kWidth}, std::vector<float>(static_cast<std::size_t>(tokens * kWidth), value));
}

class EmbeddingsRun : public testing::Test {
protected:
    EmbeddingsRun() {
        Members members;
        for (int i = 0; i < 4; ++i) {
            const auto key = std::to_string(i);
            members.emplace_back(key + ".mp4", videoBytes(4, 16, 16));
            members.emplace_back(key + ".txt", "caption " + key);
            members.emplace_back(key + ".text.npy", embeddingsOf(1 + i % 2, 0.3F * static_cast<float>(i)));
        }
        writeFileAtomically(folder.path() / "0.tar", tarOf(members));
        writeFileAtomically(folder.path() / "one.npy", embeddingsOf(3, 0.5F));
        writeFileAtomically(folder.path() / "other.npy", embeddingsOf(2, -0.5F));
        writeFileAtomically(folder.path() / "narrow.npy", npyOf({1, 2}, {1, 2}));
    }
    Json settings() const {
        return {{"data.source", "webdataset"},
                {"data.shards", {(folder.path() / "0.tar").string()}},
                {"data.text_embeddings", "text.npy"},
                {"data.frames", 4},
                {"data.height", 16},
                {"data.width", 16},
                {"data.batch_size", 2},
                {"sampling.every", 6},
                {"steps", 6}};
    }
    std::string file(const std::string& name) const { return (folder.path() / name).string(); }

    TemporaryFolder folder;
};

std::vector<std::string> promptsOf(const TrainingRun& run) {
    std::vector<std::string> prompts;
    for (const auto& clip : run.all<events::Clip>()) {
        EXPECT_TRUE(std::filesystem::exists(run.path() / clip.path));
        prompts.push_back(clip.prompt);
    }
    return prompts;
}

TEST_F(EmbeddingsRun, SamplesCaptionsOfTheDataWithTheirOwnEmbeddings) {
    const TrainingRun run(settings());
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_THAT(promptsOf(run), UnorderedElementsAre("caption 0", "caption 1", "caption 2", "caption 3"));
}

TEST_F(EmbeddingsRun, SamplesPromptsWhoseEmbeddingsAreFiles) {
    TrainingRun run(settings());
    run.configure({{"sampling.prompts", {"a cat", "a dog"}},
                   {"sampling.prompt_embeddings", {file("one.npy"), file("other.npy")}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_THAT(promptsOf(run), UnorderedElementsAre("a cat", "a dog"));

    // the checkpoint is sampled again: prompts of the run by their own files, others by theirs
    const auto checkpoint = (run.path() / run.all<events::Checkpoint>().back().path).string();
    const auto sample = [&](const std::string& to, const std::vector<std::string>& words) {
        std::vector<std::string> all{"sample", "--run-dir", (folder.path() / to).string(), "--checkpoint",
                                     checkpoint};
        all.insert(all.end(), words.begin(), words.end());
        return TrainerProcess(all, folder.path() / (to + ".txt")).wait();
    };
    EXPECT_EQ(sample("own", {"--prompt", "a dog"}), 0) << readFile(folder.path() / "own.txt");
    EXPECT_EQ(sample("other", {"--prompt", "a cow", "--embeddings", file("one.npy")}), 0)
        << readFile(folder.path() / "other.txt");
    EXPECT_EQ(sample("none", {"--prompt", "a cow"}), 2);
    EXPECT_THAT(readFile(folder.path() / "none.txt"), HasSubstr("prompt_embeddings: found none for"));
}

TEST_F(EmbeddingsRun, RefusesEmbeddingsOfAnotherWidthAndSaysWhatItFound) {
    TrainingRun run(settings());
    run.configure({{"sampling.prompts", {"a cat"}}, {"sampling.prompt_embeddings", {file("narrow.npy")}}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("sampling.prompt_embeddings: "), HasSubstr("narrow.npy"),
                                    HasSubstr("[1, 2], expected [tokens, 6]")));
}

TEST_F(EmbeddingsRun, WithPromptsThatNothingEmbedsWarnsThatItMakesNoClips) {
    TrainingRun run(settings());
    run.configure({{"sampling.prompts", {"a cat"}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_TRUE(run.all<events::Clip>().empty());
    bool warned = false;
    for (const auto& message : run.all<events::Message>())
        warned = warned ||
                 (message.level == "warning" &&
                  message.text.find("List their files in sampling.prompt_embeddings") != std::string::npos);
    EXPECT_TRUE(warned);
}

}  // namespace
}  // namespace dailies::trainer
