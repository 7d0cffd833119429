#include "core/base/ids.h"
#include "core/judging/arena.h"
#include "core/judging/arena_records.h"
#include "tests/e2e/sandbox_with_trainer.h"

#include <gmock/gmock.h>

#include <map>

// Animate Anyone and its successors make clips of the same reference pictures and poses, which are compared
// blind.

namespace {

using namespace dailies;

class Successors : public test::SandboxWithTrainer {
protected:
    static std::string trained(const std::string& name, const std::string& config) {
        const auto file = s_home->path() / (name + ".yaml");
        writeFileAtomically(
            file,
            "name: " + name + "\nexperiment: dancers\nmethod: grid\n" +
                "metric: {name: pose_error, goal: minimize}\nparameters: {seed: {values: [1]}}\n" +
                "config: {model.width: 16, model.heads: 2, model.depth: 1, model.patch_frames: 1, "
                "model.patch_size: 4, data.source: figures, data.frames: 4, data.height: 32, data.width: 32, "
                "data.batch_size: 2, steps: 10, sampling.every: 10, sampling.steps: 2, "
                "sampling.adherence_clips: 0, sampling.prompts: [\"red shirt, green trousers, walks\", "
                "\"blue shirt, brown trousers, waves\", \"teal shirt, navy trousers, jumps\"], "
                "checkpoint.every: 10, " +
                config + "}\nresources: {parallel_runs: 1, memory: 900M, time_limit: \"0:20:00\"}\n");
        const auto answer =
            s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
        EXPECT_EQ(answer.status, 0) << answer.err;
        return runId(answer);
    }
};

TEST_F(Successors, MakeClipsOfTheSameReferencesAndPosesAndAreRankedBlind) {
    const std::vector<std::string> ids{
        trained("animate-anyone", "model.family: animate, diffusion.objective: v_prediction"),
        trained("champ",
                "model.family: animate, diffusion.objective: v_prediction, "
                "model.guidance_types: [depth, normal, semantic_map, dwpose]"),
        trained("mimic-motion", "model.family: mimic-motion, diffusion.objective: edm")};
    tracking::Store store(s_dailies->store());

    // names of inputs hold a hash of what they show
    std::map<std::string, std::map<std::string, std::string>> made;  // by run and prompt, then by name
    std::map<std::string, std::string> prompts;
    for (const auto& clip : store.clips(ids)) prompts[clip.runId + clip.path] = clip.prompt;
    for (const auto& input : store.clipInputs(ids))
        made[input.runId + prompts.at(input.runId + input.clip)][input.name] = input.path;
    for (const auto* prompt : {"red shirt, green trousers, walks", "blue shirt, brown trousers, waves",
                               "teal shirt, navy trousers, jumps"}) {
        const auto &animate = made[ids[0] + prompt], &champ = made[ids[1] + prompt],
                   &mimic = made[ids[2] + prompt];
        ASSERT_TRUE(animate.contains("reference") && animate.contains("dwpose")) << prompt;
        EXPECT_EQ(mimic, animate) << prompt;
        for (const auto& [name, path] : animate) EXPECT_EQ(champ.at(name), path) << prompt;
        EXPECT_TRUE(champ.contains("depth")) << "and what the others do not read";
    }

    std::vector<tracking::Run> runs;
    for (const auto& id : ids) runs.push_back(*store.run(id));
    const judging::ArenaRecord record{newId(), "dancers", judging::rosterAt(runs, store.clips(ids), 10),
                                      7,       "ana",     1'000};
    judging::addArena(store, record);
    judging::Arena arena(record.roster, record.seed);
    ASSERT_EQ(arena.roster().contestants.size(), 3u);
    ASSERT_EQ(arena.roster().subjects.size(), 3u);
    EXPECT_EQ(arena.possibleMatches(), 9) << "each meets each on every reference and pose";
    // somebody who likes what MimicMotion makes best, and Champ's more than Animate Anyone's
    const auto rankOf = [&](int contestant) {
        return arena.roster().contestants[static_cast<std::size_t>(contestant)].runId == ids[2]   ? 2
               : arena.roster().contestants[static_cast<std::size_t>(contestant)].runId == ids[1] ? 1
                                                                                                  : 0;
    };
    while (const auto match = arena.next()) {
        const judging::Choice choice{
            *match,
            rankOf(match->left) > rankOf(match->right) ? judging::Outcome::Left : judging::Outcome::Right,
            "ana", 2'000};
        arena.answer(choice);
        judging::addChoice(store, record.id, choice);
    }
    const auto strength = [&](const std::string& id) {
        return store.history(id, judging::mirror::kArena).back().value;
    };
    EXPECT_GT(strength(ids[2]), strength(ids[1]));
    EXPECT_GT(strength(ids[1]), strength(ids[0]));
    EXPECT_THAT(store.run(ids[2])->tags.at(judging::mirror::kArenaTag), testing::HasSubstr("1st of 3"));
}

}  // namespace
