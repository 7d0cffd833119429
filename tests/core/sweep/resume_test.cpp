#include "core/sweep/command.h"
#include "tests/core/sweep/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kResumedProgram =
    "program: t.py\ncommand: [python, \"${program}\", \"--output_dir=${run_dir}\", \"${args}\"]\n"
    "parameters: {lr: {value: 1}}\n";

RunCommand commandOfFirst(const std::string& yaml) {
    const Sweep sweep = parseSweep(yaml, "sweep.yaml");
    return renderCommand(sweep, expand(sweep).front());
}

std::string refusalOf(const std::string& resume) {
    return refusal(kResumedProgram + ("resume: " + resume + "\n"));
}

Resume resumeOf(const std::string& resume) {
    return *parseSweep(kResumedProgram + ("resume: " + resume + "\n"), "sweep.yaml").program->resume;
}

using Words = std::vector<std::string>;

struct PresetCase {
    const char* name;
    Words first, further;  ///< words behind those of the first start without a preset
    const char* checkpoints;
    StopRequest stop;
    bool requeuesItself;
};

TEST(ResumePresets, AreTheConventionsOfTheTrainers) {
    using Way = StopRequest::Way;
    const std::vector<PresetCase> cases = {
        {"dailies", {}, {}, "", {Way::File, "dailies.stop"}, false},
        {"diffusers",
         {"--resume_from_checkpoint=latest"},
         {"--resume_from_checkpoint=latest"},
         "checkpoint-*",
         {},
         false},
        {"diffusion-pipe",
         {},
         {"--resume_from_checkpoint"},
         "output/*/latest",
         {Way::File, "output/*/save_quit"},
         false},
        {"musubi", {}, {"--resume=${checkpoint}"}, "*-state", {}, false},
        {"transformers", {}, {"--resume_from_checkpoint=${checkpoint}"}, "checkpoint-*", {}, false},
        {"torchtitan", {}, {}, "checkpoint/step-*", {}, false},
        {"lightning", {}, {}, "", {Way::Signal, "USR1"}, true},
        {"fastvideo", {}, {"--resume-from-checkpoint=${checkpoint}"}, "checkpoint-*", {}, false},
    };
    ASSERT_EQ(resumePresets().size(), cases.size());
    for (const auto& expected : cases) {
        const std::string yaml = kResumedProgram + ("resume: " + std::string(expected.name) + "\n");
        const auto behind = [](const std::vector<CommandWord>& words) {
            auto texts = shownWords(words);
            EXPECT_THAT(Words(texts.begin(), texts.begin() + 4),
                        ElementsAre("python", "t.py", "--output_dir=${run_dir}", "--lr=1"));
            return Words(texts.begin() + 4, texts.end());
        };
        const auto command = commandOfFirst(yaml);
        EXPECT_EQ(behind(command.words), expected.first) << expected.name;
        EXPECT_EQ(behind(command.resumedWords), expected.further) << expected.name;
        const Resume resume = resumeOf(expected.name);
        EXPECT_EQ(resume.checkpoints, expected.checkpoints) << expected.name;
        EXPECT_EQ(resume.stop, expected.stop) << expected.name;
        EXPECT_EQ(resume.requeuesItself, expected.requeuesItself) << expected.name;
        const Sweep sweep = parseSweep(yaml, "sweep.yaml");
        EXPECT_EQ(parseSweep(toYaml(sweep), "sweep.yaml").program, sweep.program) << expected.name;
    }
}

TEST(Resume, WhatIsWrittenBesideAPresetStandsOverIt) {
    const Resume resume = resumeOf(
        "{checkpoints: \"out/checkpoint-*\", stop: {signal: SIGUSR2, lead: 120}, preset: diffusers, "
        "always: false}");
    EXPECT_EQ(resume.preset, "diffusers");
    EXPECT_EQ(resume.checkpoints, "out/checkpoint-*");
    EXPECT_THAT(resume.arguments, ElementsAre("--resume_from_checkpoint=latest"));
    EXPECT_FALSE(resume.always);
    EXPECT_EQ(resume.stop, (StopRequest{StopRequest::Way::Signal, "USR2", 120}));
    EXPECT_THAT(resumeOf("{preset: diffusers, arguments: []}").arguments, IsEmpty());
    EXPECT_EQ(resumeOf("{preset: diffusion-pipe, stop: none}").stop, StopRequest{});
}

TEST(Resume, SurvivesBeingWritten) {
    for (const char* text :
         {"{preset: diffusion-pipe, stop: none}", "{preset: diffusers, arguments: [], checkpoints: \"\"}",
          "{preset: diffusers, always: false, stop: {file: \"a b/save: it's\", lead: 7}}",
          "{preset: lightning, requeues_itself: false}",
          "{arguments: [\"--resume\", \"${checkpoint}\", \"1\", \"true\", \"\"], checkpoints: \"/a b/*'$x\"}",
          "{stop: {signal: TERM}}", "{arguments: [--auto-resume], always: true}"}) {
        const Sweep sweep =
            parseSweep(kResumedProgram + ("resume: " + std::string(text) + "\n"), "sweep.yaml");
        const Sweep again = parseSweep(toYaml(sweep), "sweep.yaml");
        EXPECT_EQ(again.program, sweep.program) << toYaml(sweep);
        EXPECT_EQ(toYaml(again), toYaml(sweep));
    }
}

TEST(Resume, ItsWordsGoWhereTheCommandSaysElseToTheEnd) {
    const std::string resume =
        "resume: {arguments: [--resume, \"${checkpoint}\"], checkpoints: \"*.pt\"}\nparameters: {lr: {value: "
        "1}}\n";
    const auto inside = commandOfFirst(
        "program: t.py\ncommand: [python, \"${program}\", \"${resume}\", --, \"${args}\"]\n" + resume);
    EXPECT_THAT(shownWords(inside.words), ElementsAre("python", "t.py", "--", "--lr=1"));
    EXPECT_THAT(shownWords(inside.resumedWords),
                ElementsAre("python", "t.py", "--resume", "${checkpoint}", "--", "--lr=1"));
    const auto behind = commandOfFirst("program: t.py\n" + resume);
    EXPECT_THAT(shownWords(behind.resumedWords),
                ElementsAre("/usr/bin/env", "python", "t.py", "--lr=1", "--resume", "${checkpoint}"));
}

TEST(RunFolder, StandsForItselfAnywhereInAWordOfTheCommandAndNowhereElse) {
    const auto command = commandOfFirst(
        "program: t.py\ncommand: [python, \"${program}\", \"${run_dir}\", \"a=${run_dir}/b:${run_dir}\", "
        "\"${run_dir}/${envvar:X}\", \"${args}\"]\nparameters: {out: {value: \"${run_dir}\"}}\n"
        "resume: {arguments: [\"--from=${run_dir}/last\"]}\n");
    ASSERT_EQ(command.resumedWords.size(), 7u);
    EXPECT_EQ(shellWord(command.words[2]), "\"${DAILIES_RUN_DIR-DAILIES_RUN_DIR}\"");
    EXPECT_EQ(shownWord(command.words[3]), "a=${run_dir}/b:${run_dir}");
    EXPECT_EQ(shownWord(command.words[4]), "${run_dir}/${envvar:X}");
    EXPECT_EQ(shellWord(command.words[5]), "'--out=${run_dir}'") << "a parameter's value is a text";
    EXPECT_EQ(shownWord(command.resumedWords[6]), "--from=${run_dir}/last");
    EXPECT_THAT(refusal("program: t.py\ncommand: [python, \"${program}\", \"${rundir}\"]\n"),
                HasSubstr("did you mean ${run_dir}?"));
}

TEST(Resume, WhatCannotBeMeantIsRefusedWithWhatToWrite) {
    EXPECT_THAT(refusalOf("difusers"),
                HasSubstr("resume: found difusers, expected one of: dailies, diffusers, "
                          "diffusion-pipe, musubi, transformers"));
    EXPECT_THAT(refusalOf("{preset: x}"), HasSubstr("resume.preset: found x"));
    EXPECT_THAT(refusalOf("{}"), HasSubstr("expected a preset, or arguments and checkpoints"));
    EXPECT_THAT(refusalOf("{arguments: --resume}"), HasSubstr("resume.arguments"));
    EXPECT_THAT(refusalOf("{checkpoint: x}"), HasSubstr("checkpoints"));
    EXPECT_THAT(refusalOf("{checkpoints: \"a\\nb\"}"), HasSubstr("of one line"));
    EXPECT_THAT(refusalOf("{preset: diffusers, always: maybe}"), HasSubstr("resume.always"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: USR1}"), HasSubstr("{signal: USR1}"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: {lead: 5}}"), HasSubstr("{file: save_quit}"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: {signal: USR1, file: x}}"), HasSubstr("resume.stop"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: {signal: \"KILL; id\"}}"),
                HasSubstr("one of: USR1, USR2, TERM"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: {file: \"out/*\"}}"), HasSubstr("*/save_quit"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: {file: \"out/\"}}"), HasSubstr("*/save_quit"));
    EXPECT_THAT(refusalOf("{preset: diffusers, stop: {signal: USR1, lead: 0}}"),
                HasSubstr("resume.stop.lead"));
    EXPECT_THAT(refusalOf("{arguments: [\"${checkpoint}\"]}"),
                HasSubstr("resume.checkpoints: found nothing"));
    EXPECT_THAT(refusalOf("{arguments: [\"${checkpoint}\"], checkpoints: \"*\", always: true}"),
                HasSubstr("the first start has no checkpoint"));
    EXPECT_THAT(refusalOf("{arguments: [\"${args}\"], checkpoints: \"*\"}"),
                HasSubstr("resume.arguments: found ${args}"));
    EXPECT_THAT(refusal("program: t.py\ncommand: [python, \"${program}\", \"--x=${checkpoint}\"]\n"),
                HasSubstr("resume.arguments"));
    EXPECT_THAT(refusal("program: t.py\ncommand: [python, \"${program}\", \"${resume}\"]\n"),
                HasSubstr("resume: {preset: diffusers}"));
    EXPECT_THAT(refusal("parameters: {seed: {value: 1}}\nresume: diffusers\n"),
                HasSubstr("resume: found it without a program"));
}

TEST(Resume, WhatWouldDoNothingIsSaid) {
    EXPECT_THAT(noticesOf("program: t.py\nresume: musubi\n"), Contains(HasSubstr("--output_dir=${run_dir}")));
    EXPECT_THAT(noticesOf(kResumedProgram + std::string("resume: musubi\n")), IsEmpty());
    EXPECT_THAT(noticesOf("program: t.py\nresume: {checkpoints: /data/x-*}\n"),
                Not(Contains(HasSubstr("run_dir"))));
    EXPECT_THAT(noticesOf("program: t.py\ncommand: [torchrun, \"${program}\"]\nresume: {stop: {signal: "
                          "USR1}}\n"),
                Contains(HasSubstr("reaches the launcher")));
}

}  // namespace
}  // namespace dailies::sweep
