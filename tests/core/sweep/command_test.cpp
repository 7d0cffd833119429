#include "core/sweep/command.h"

#include "core/sweep/python_text.h"
#include "tests/core/sweep/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace dailies::sweep {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> wordsOf(const Sweep& sweep, const PlannedRun& run) {
    return shownWords(renderCommand(sweep, run).words);
}

std::vector<std::string> firstWords(const std::string& yaml) {
    const Sweep sweep = parseSweep(yaml, "sweep.yaml");
    return wordsOf(sweep, expand(sweep).front());
}

/// What bash makes of a word.
std::string inShell(const CommandWord& word, const std::string& setup) {
    const std::string command = setup + "\nprintf %s " + shellWord(word);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        popen(("bash -c " + shellWord({{{command}}})).c_str(), "r"), &pclose);
    std::array<char, 256> bytes{};
    const auto count = std::fread(bytes.data(), 1, bytes.size(), pipe.get());
    return {bytes.data(), count};
}

// Facts of sweep files that people use, in other words than theirs: who wrote them is in the comments.

// dalle-mini, tools/train/sweep.yaml: exponents of e, a command without env, integers among its words
TEST(RealSweepFiles, FixedWordsAndArgumentsBehindThem) {
    const std::string yaml = R"(program: run_seq2seq_flax.py
project: p
method: random
metric: {name: eval/loss, goal: minimize}
parameters:
  learning_rate: {distribution: log_uniform, min: -9.9, max: -5.3}
  gradient_accumulation_steps: {value: 8}
  warmup_steps: {value: 125}
command:
  - python3
  - ${program}
  - "--train_file"
  - "/data/CC12M/images-train.tsv"
  - "--num_train_epochs"
  - 1
  - "--max_train_samples"
  - 1500000
  - "--per_device_train_batch_size"
  - 56
  - "--do_eval"
  - ${args}
)";
    std::vector<std::string> notices;
    const Sweep sweep = parseSweep(yaml, "sweep.yaml", &notices);
    const auto runs = expand(sweep);
    ASSERT_EQ(runs.size(), static_cast<std::size_t>(kDefaultRunCap));
    EXPECT_THAT(notices, Contains(AllOf(HasSubstr("run_cap"), HasSubstr("20"))));
    const auto words = wordsOf(sweep, runs[3]);
    ASSERT_EQ(words.size(), 14u);
    EXPECT_THAT(std::vector(words.begin(), words.begin() + 11),
                ElementsAre("python3", "run_seq2seq_flax.py", "--train_file", "/data/CC12M/images-train.tsv",
                            "--num_train_epochs", "1", "--max_train_samples", "1500000",
                            "--per_device_train_batch_size", "56", "--do_eval"));
    EXPECT_THAT(std::vector(words.begin() + 11, words.end()),
                UnorderedElementsAre(testing::StartsWith("--learning_rate="),
                                     "--gradient_accumulation_steps=8", "--warmup_steps=125"));
    const double rate = runs[3].drawn.at("learning_rate").get<double>();
    EXPECT_GE(rate, 5.01e-5);
    EXPECT_LE(rate, 5e-3);
}

// yolov5, utils/loggers/wandb/sweep.yaml: no command, limits such as 1e-5 which YAML 1.1 takes for text
TEST(RealSweepFiles, LimitsInExponentFormAreNumbers) {
    const Sweep sweep = parseSweep(R"(program: utils/loggers/wandb/sweep.py
method: random
parameters:
  data: {value: data/coco128.yaml}
  batch_size: {value: 64}
  lr0: {distribution: uniform, min: 1e-5, max: 1e-1}
metric: {name: metrics/mAP_0.5, goal: maximize}
)",
                                   "sweep.yaml");
    EXPECT_EQ(sweep.metric, "metrics/mAP_0.5");
    EXPECT_EQ(sweep.goal, Goal::Maximize);
    EXPECT_DOUBLE_EQ(sweep.parameters[2].minimum, 1e-5);
    EXPECT_THAT(wordsOf(sweep, expand(sweep).front()),
                ElementsAre("/usr/bin/env", "python", "utils/loggers/wandb/sweep.py",
                            "--data=data/coco128.yaml", "--batch_size=64", testing::StartsWith("--lr0=0.")));
}

// wandb/examples, sweeps-boolean-parameters: trailing spaces, booleans as Python writes them
TEST(RealSweepFiles, BooleansAreWrittenAsPythonWritesThem) {
    const Sweep sweep = parseSweep(
        "program: train-bool.py  \nmethod: grid\nparameters:\n  flag1:\n    values: [false, true]\n"
        "  flag2:\n    values: [no, yes]\n  optimizer: {values: [sgd, adam]}\n",
        "sweep.yaml");
    const auto runs = expand(sweep);
    ASSERT_EQ(runs.size(), 8u);
    std::vector<std::vector<std::string>> all;
    for (const auto& run : runs) all.push_back(wordsOf(sweep, run));
    EXPECT_THAT(all, Contains(ElementsAre("/usr/bin/env", "python", "train-bool.py", "--flag1=False",
                                          "--flag2=False", "--optimizer=sgd")));
    EXPECT_THAT(all, Contains(ElementsAre("/usr/bin/env", "python", "train-bool.py", "--flag1=True",
                                          "--flag2=True", "--optimizer=adam")));
}

// wandb/examples, minimal-hydra-example: a parameter and one whose dotted name begins with it, side by side
TEST(RealSweepFiles, HydraTakesDottedNamesWithoutHyphens) {
    const Sweep sweep = parseSweep(R"(program: main.py
method: bayes
metric: {name: test_accuracy, goal: maximize}
command: ["${env}", python, "${program}", experiment=expt001, "${args_no_hyphens}"]
parameters:
  optimizer: {values: [sgd]}
  optimizer.config.learning_rate: {min: !!float 1e-5, max: !!float 1e-2}
)",
                                   "sweep.yaml");
    const auto run = expand(sweep).front();
    EXPECT_THAT(wordsOf(sweep, run),
                ElementsAre("/usr/bin/env", "python", "main.py", "experiment=expt001", "optimizer=sgd",
                            testing::StartsWith("optimizer.config.learning_rate=")));
    EXPECT_EQ(run.config.at("optimizer"), "sgd");
    EXPECT_TRUE(run.config.contains("optimizer.config.learning_rate"));
}

// wandb/examples, pytorch-cnn-fashion: a large grid with early stopping
TEST(RealSweepFiles, ALargeGridStopsEarlyInBands) {
    const Sweep sweep = parseSweep(R"(program: train.py
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  dropout: {values: [0.1, 0.15, 0.2, 0.3, 0.4]}
  channels_one: {values: [16, 32, 64, 96, 128, 256]}
  channels_two: {values: [16, 32, 64, 96, 128, 256]}
  batch_size: {values: [64, 128, 256]}
early_terminate: {type: hyperband, s: 2, eta: 3, max_iter: 27}
)",
                                   "sweep.yaml");
    const auto runs = expand(sweep);
    EXPECT_EQ(runs.size(), 540u);
    EXPECT_THAT(wordsOf(sweep, runs.front()), Contains("--dropout=0.1"));
    EXPECT_THAT(rungsOf(*sweep.earlyStop, 100), ElementsAre(3, 9));
}

// FibLDM, sweep_config.yaml: 1e-4 stays as it is written
TEST(RealSweepFiles, AListedNumberKeepsTheSpellingOfTheFile) {
    const Sweep sweep = parseSweep(R"(program: /scratch/me/FibLDM/train_controlnet.py
method: grid
metric: {name: avg_val_loss, goal: minimize}
parameters:
  learning_rate: {values: [1e-4, 5e-5]}
  lora_rank: {values: [4, 8, 16, 32]}
)",
                                   "sweep.yaml");
    const auto runs = expand(sweep);
    ASSERT_EQ(runs.size(), 8u);
    EXPECT_THAT(wordsOf(sweep, runs.front()),
                ElementsAre("/usr/bin/env", "python", "/scratch/me/FibLDM/train_controlnet.py",
                            "--learning_rate=1e-4", "--lora_rank=4"));
    EXPECT_EQ(runs.front().drawn.at("learning_rate"), 1e-4) << "it is a number all the same";
    const Sweep again = parseSweep(toYaml(sweep), "sweep.yaml");
    EXPECT_EQ(wordsOf(again, expand(again).back()), wordsOf(sweep, runs.back()));
}

// envelope-bench, sweep_config.yaml: a module in the place of a program, names with :: and /
TEST(RealSweepFiles, AModuleIsStartedByItsCommandAlone) {
    const Sweep sweep = parseSweep(R"(method: grid
command:
  - python 
  - -m
  - ppo_vmap.ppo
  - ${args}
parameters:
  env_name: {values: ["gymnax::Acrobot-v1", "brax::ant", "craftax/Classic"]}
  anneal: {values: [true]}
)",
                                   "sweep.yaml");
    EXPECT_EQ(nameOf(*sweep.program), "ppo_vmap.ppo");
    EXPECT_THAT(
        wordsOf(sweep, expand(sweep).front()),
        ElementsAre("python", "-m", "ppo_vmap.ppo", "--env_name=gymnax::Acrobot-v1", "--anneal=True"));
}

// nlp-research-template, sweep_config.yaml: texts and numbers in one list
TEST(RealSweepFiles, OneListMayHoldTextsAndNumbers) {
    const Sweep sweep = parseSweep(R"(program: train.py
method: grid
parameters:
  precision: {values: ["16-mixed", "bf16-mixed", 32]}
  learning_rate: {values: [1e-3, 5e-4, 3e-4, 1e-4, 5e-5, 3e-5, 1e-5]}
  compile: {values: [true, false]}
)",
                                   "sweep.yaml");
    const auto runs = expand(sweep);
    ASSERT_EQ(runs.size(), 42u);
    std::set<std::string> precisions;
    for (const auto& run : runs) precisions.insert(wordsOf(sweep, run)[3]);
    EXPECT_THAT(precisions,
                UnorderedElementsAre("--precision=16-mixed", "--precision=bf16-mixed", "--precision=32"));
}

constexpr const char* kEveryKind = R"(
parameters:
  lr: {value: 0.00001}
  steps: {value: 4}
  on: {value: true}
  off: {value: false}
  none: {value: null}
  betas: {value: [0.9, 0.95, a]}
  name: {value: "a b"}
  empty: {value: ""}
  ratio: {value: 16:9}
)";

TEST(Command, ValuesAreWrittenAsPythonWritesThem) {
    EXPECT_THAT(
        firstWords(std::string("program: t.py\ncommand: [python, \"${program}\", \"${args}\"]") + kEveryKind),
        ElementsAre("python", "t.py", "--lr=0.00001", "--steps=4", "--on=True", "--off=False",
                    "--betas=[0.9, 0.95, 'a']", "--name=a b", "--empty=", "--ratio=16:9"))
        << "null is left out: no argument can say it";
}

TEST(Command, EveryMacroOfArgumentsWritesThemInItsOwnWay) {
    const auto words = [](const std::string& macro) {
        auto all =
            firstWords("program: t.py\ncommand: [python, \"${program}\", \"" + macro +
                       "\"]\nparameters:\n  lr: {value: 0.1}\n  on: {value: true}\n  off: {value: false}\n");
        all.erase(all.begin(), all.begin() + 2);
        return all;
    };
    EXPECT_THAT(words("${args}"), ElementsAre("--lr=0.1", "--on=True", "--off=False"));
    EXPECT_THAT(words("${args_no_equals}"), ElementsAre("--lr", "0.1", "--on", "True", "--off", "False"));
    EXPECT_THAT(words("${args_no_hyphens}"), ElementsAre("lr=0.1", "on=True", "off=False"));
    EXPECT_THAT(words("${args_no_boolean_flags}"), ElementsAre("--lr=0.1", "--on"));
    EXPECT_THAT(words("${args_append_hydra}"), ElementsAre("+lr=0.1", "+on=True", "+off=False"));
    EXPECT_THAT(words("${args_override_hydra}"), ElementsAre("++lr=0.1", "++on=True", "++off=False"));
    EXPECT_THAT(words("${args_json}"), ElementsAre(R"({"lr": 0.1, "on": true, "off": false})"));
}

TEST(Command, AFileOfArgumentsLiesInTheRunsFolder) {
    const Sweep sweep = parseSweep(
        "program: t.py\ncommand: [python, \"${program}\", --config, \"${args_json_file}\"]\n"
        "parameters:\n  lr: {value: 1e-4}\n  none: {value: null}\n  text: {value: \"ä\"}\n",
        "sweep.yaml");
    const auto command = renderCommand(sweep, expand(sweep).front());
    EXPECT_EQ(inShell(command.words.back(), "DAILIES_RUN_DIR='/runs/a b'"), "/runs/a b/parameters.json");
    ASSERT_EQ(command.files.size(), 1u);
    EXPECT_EQ(command.files.at("parameters.json"),
              "{\"lr\": 0.0001, \"none\": null, \"text\": \"\\u00e4\"}\n");
}

TEST(Command, NestedParametersAreOneDictOrDotted) {
    const std::string yaml = R"(program: t.py
command: [python, "${program}", "${args}"]
parameters:
  seed: {value: 1}
  optimizer:
    parameters:
      lr: {values: [0.1, 1e-2]}
      schedule: {parameters: {name: {value: cosine}, warmup: {value: 10}}}
)";
    EXPECT_THAT(firstWords(yaml),
                ElementsAre("python", "t.py", "--seed=1",
                            "--optimizer={'lr': 0.1, 'schedule': {'name': 'cosine', 'warmup': 10}}"));
    EXPECT_THAT(firstWords(yaml + "nested: dotted\n"),
                ElementsAre("python", "t.py", "--seed=1", "--optimizer.lr=0.1",
                            "--optimizer.schedule.name=cosine", "--optimizer.schedule.warmup=10"));
    for (const std::string& nested : {std::string(), std::string("nested: dotted\n")}) {
        const Sweep sweep = parseSweep(yaml + nested, "sweep.yaml");
        const Sweep again = parseSweep(toYaml(sweep), "sweep.yaml");
        EXPECT_EQ(wordsOf(again, expand(again).back()), wordsOf(sweep, expand(sweep).back()));
    }
}

TEST(Command, VariablesAreThoseOfTheNodeAndUnsetOnesKeepTheirName) {
    const Sweep sweep = parseSweep(
        "program: t.py\ncommand: [python, \"${program}\", \"--out=${envvar:OUT_DIR}/x\", "
        "\"${envvar:NOT_SET}\", \"$HOME\"]\n",
        "sweep.yaml");
    const auto words = renderCommand(sweep, expand(sweep).front()).words;
    EXPECT_EQ(shownWord(words[2]), "--out=${envvar:OUT_DIR}/x");
    EXPECT_EQ(inShell(words[2], "OUT_DIR='a b'"), "--out=a b/x");
    EXPECT_EQ(inShell(words[3], ""), "NOT_SET");
    EXPECT_EQ(inShell(words[4], ""), "$HOME") << "no shell reads the words";
}

TEST(Command, NoValueIsReadByAShell) {
    const std::string hostile = "'; touch /tmp/x; echo \"$HOME\" `id` ${envvar:HOME}\n*";
    const Sweep sweep =
        parseSweep("program: t.py\nparameters:\n  s: {value: " + Json(hostile).dump() + "}\n", "sweep.yaml");
    const auto words = renderCommand(sweep, expand(sweep).front()).words;
    EXPECT_EQ(inShell(words.back(), ""), "--s=" + hostile);
}

TEST(Command, WhatCannotStartIsRefusedWithWhatToWrite) {
    EXPECT_THAT(
        refusal("command: [\"${args_no_boolean_flags}\"]\nparameters: {lr: {value: 1}}\n"),
        AllOf(HasSubstr("line 1"), HasSubstr("where the program should be"), HasSubstr("${program}")));
    EXPECT_THAT(refusal("program: t.py\ncommand: [python, \"${program}\", \"${arg}\"]\n"),
                AllOf(HasSubstr("found ${arg}"), HasSubstr("did you mean ${args}?")));
    EXPECT_THAT(refusal("command: [\"${env}\", \"${program}\"]\n"), HasSubstr("program: train.py"));
    EXPECT_THAT(refusal("command: python train.py\n"), HasSubstr("a list of words"));
    EXPECT_THAT(refusal("command: []\n"), HasSubstr("a list of words"));
    EXPECT_THAT(refusal("command: [\"${env}\"]\n"), HasSubstr("no program"));
    EXPECT_THAT(refusal("program: t.py\nparameters: {\"a b\": {value: 1}}\n"),
                HasSubstr("no name of an argument"));
    EXPECT_THAT(refusal("program: t.py\nconfig: {steps: 3}\n"), HasSubstr("parameters that have a value"));
    EXPECT_THAT(refusal("parameters: {seed: {value: 1}}\nnested: dotted\n"), HasSubstr("without a program"));
    EXPECT_THAT(refusal("program: t.py\ncode: {remote: x}\n"), HasSubstr("local, cluster, git"));
    EXPECT_THAT(refusal("program: t.py\ncode: {ref: v1}\n"), HasSubstr("{git: ADDRESS, ref: NAME}"));
    EXPECT_THAT(refusal("program: t.py\ncode: {local: a, folder: b}\n"), HasSubstr("{local: FOLDER}"));
    EXPECT_THAT(refusal("program: t.py\ncode: {git: here}\n"), HasSubstr("the address of a repository"));
    EXPECT_THAT(refusal("program: t.py\ncode: git+https://token@host/a/b\n"), HasSubstr("password or token"));
}

TEST(Command, WhatWandbDoesInSilenceIsSaid) {
    const std::string front = "program: t.py\ncommand: [python, \"${program}\", ";
    EXPECT_THAT(noticesOf(front + "\"--config=${args_json_file}\"]\nparameters: {lr: {value: 1}}\n"),
                Contains(HasSubstr("whole word")));
    EXPECT_THAT(noticesOf(front + "\"${envvar:home}\"]\n"), Contains(HasSubstr("capitals")));
    EXPECT_THAT(noticesOf(front + "$HOME/data]\n"), Contains(HasSubstr("no shell")));
    EXPECT_THAT(noticesOf(front + "--fast]\nparameters: {lr: {value: 1}}\n"),
                Contains(HasSubstr("passes no parameters")));
    EXPECT_THAT(noticesOf(front + "\"${args}\"]\nparameters: {lr: {value: 1}}\n"), IsEmpty());
}

TEST(Command, ASweepOfTheTrainerItselfIsOneWhateverItsFileCallsIt) {
    std::vector<std::string> notices;
    const Sweep sweep =
        parseSweep("program: /opt/dailies-train\nparameters: {seed: {value: 1}}\n", "s.yaml", &notices);
    EXPECT_FALSE(sweep.program);
    EXPECT_THAT(notices, Contains(HasSubstr("no effect")));
}

TEST(Command, WhatIsInstalledNeedsNoFolder) {
    const auto installed = [](const std::string& command) {
        return isInstalled(*parseSweep("command: [" + command + "]\n", "sweep.yaml").program);
    };
    for (const char* yes : {"rl_zoo3, train, \"${args}\"", "python, -m, rl_zoo3.train, --rate, 0.5",
                            "tune, run, --config=/data/base.yaml", "tool, \"--out=${run_dir}/x.json\""})
        EXPECT_TRUE(installed(yes)) << yes;
    for (const char* no : {"python, train.py", "bash, run.sh", "accelerate, launch, src/train",
                           "tool, --config=base.yaml", "tool, --config, configs/base"})
        EXPECT_FALSE(installed(no)) << no;
    EXPECT_FALSE(isInstalled(*parseSweep("program: train\n", "sweep.yaml").program));
}

TEST(Command, TheProgramAndItsCodeSurviveBeingWritten) {
    const Sweep sweep = parseSweep(
        "program: t.py\ncommand: [accelerate, launch, \"${program}\", 1, \"true\", \"${args}\"]\n"
        "code: {cluster: ~/src/my trainer}\nnested: dotted\nparameters: {a-b.c: {values: [1, x, null, "
        "true]}}\n",
        "sweep.yaml");
    const Sweep again = parseSweep(toYaml(sweep), "sweep.yaml");
    EXPECT_EQ(again.program, sweep.program);
    EXPECT_EQ(again.program->code.folder, "~/src/my trainer");
    EXPECT_EQ(toYaml(again), toYaml(sweep));
    for (const char* code : {"{git: 'https://h/o/n', ref: v1, folder: src}", "git+https://h/o/n",
                             "{cluster: /w/code/0f/src, commit: '0f', repository: 'https://h/o/n'}"}) {
        const Sweep first = parseSweep("program: t.py\ncode: " + std::string(code), "sweep.yaml");
        EXPECT_EQ(parseSweep(toYaml(first), "sweep.yaml").program, first.program) << code;
        EXPECT_EQ(first.program->code.repository, "https://h/o/n");
    }
    const auto runs = expand(again);
    ASSERT_EQ(runs.size(), 4u);
    EXPECT_EQ(wordsOf(again, runs[2]), wordsOf(sweep, expand(sweep)[2]));
}

TEST(Command, AWordIsQuotedOnlyWhereAShellWouldReadItOtherwise) {
    EXPECT_EQ(commandLineWord("--lr=1e-4"), "--lr=1e-4");
    EXPECT_EQ(commandLineWord("it is"), "'it is'");
    EXPECT_EQ(commandLineWord("${envvar:USER}"), "'${envvar:USER}'");
    EXPECT_EQ(commandLineWord("--o={'lr': 0.1}"), "\"--o={'lr': 0.1}\"");
    EXPECT_EQ(commandLineWord("it's $5"), "'it'\\''s $5'");
    EXPECT_EQ(commandLineWord(""), "''");
}

TEST(PythonText, IsWhatPythonWrites) {
    EXPECT_EQ(pythonText(Json(1e-5)), "1e-05");
    EXPECT_EQ(pythonText(Json(1.0)), "1.0");
    EXPECT_EQ(pythonText(Json(1e16)), "1e+16");
    EXPECT_EQ(pythonText(Json(123456789012345.0)), "123456789012345.0");
    EXPECT_EQ(pythonText(Json(0.0001)), "0.0001");
    EXPECT_EQ(pythonText(Json(-0.0)), "-0.0");
    EXPECT_EQ(pythonText(Json(nullptr)), "None");
    EXPECT_EQ(pythonText(Json::parse(R"({"name": "it's", "q": "\"'", "betas": [0.9, 1], "on": true})")),
              R"({'name': "it's", 'q': '"\'', 'betas': [0.9, 1], 'on': True})");
    EXPECT_EQ(pythonJson(Json::parse(R"({"a": [1e-05, null, true], "b": "x"})")),
              R"({"a": [1e-05, null, true], "b": "x"})");
}

}  // namespace
}  // namespace dailies::sweep
