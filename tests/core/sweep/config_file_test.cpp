#include "core/sweep/config_file.h"

#include "core/base/error.h"
#include "core/sweep/command.h"
#include "core/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dailies::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kToml = R"(# diffusion-pipe
output_dir = '/data/out'
epochs = 1000
warmup = 10

[model]
type = 'wan'
dtype = 'bfloat16'

[optimizer]
type = 'adamw_optimi'
lr = 2e-5
betas = [0.9, 0.99]

[[directory]]
path = '/data/a'
num_repeats = 1

[[directory]]
path = '/data/b'
num_repeats = 5
)";

constexpr const char* kYaml = R"(base: &base {lr: 1.0e-4, name: "123"}
optim:
  <<: *base
other: *base
answer: "yes"
when: 2024-01-02
stages:
  - {steps: 10}
  - {steps: 20}
text: |
  two
  lines
)";

TEST(ConfigFile, TomlGetsTheValuesAtTheirPlaces) {
    const auto text = renderConfigFile({"a.toml", kToml}, {{"optimizer.lr", 1e-5},
                                                           {"epochs", 3},
                                                           {"model.dtype", "float8"},
                                                           {"directory.1.num_repeats", 7},
                                                           {"optimizer.betas", {0.8, 0.9}},
                                                           {"adapter.rank", 32},
                                                           {"adapter.use_rs", true},
                                                           {"warmup", nullptr}});
    EXPECT_THAT(text,
                AllOf(HasSubstr("epochs = 3"), HasSubstr("lr = 1e-05"), HasSubstr("type = 'wan'"),
                      HasSubstr("dtype = 'float8'"), HasSubstr("rank = 32"), HasSubstr("use_rs = true")));
    EXPECT_THAT(text, AllOf(HasSubstr("num_repeats = 1"), HasSubstr("num_repeats = 7"),
                            HasSubstr("betas = [ 0.8"), Not(HasSubstr("warmup")), Not(HasSubstr("2e-5"))));
    EXPECT_EQ(renderConfigFile({"a.toml", text}, Json::object()), text);
}

TEST(ConfigFile, YamlKeepsWhatIsTextAndMakesNumbersThatPythonReads) {
    const auto text = renderConfigFile({"a.yaml", kYaml}, {{"optim.lr", 1e-5},
                                                           {"stages.1.steps", 30},
                                                           {"fresh.deep.name", "1e-4"},
                                                           {"fresh.on", false},
                                                           {"answer", nullptr}});
    EXPECT_THAT(text, HasSubstr("lr: 1.0e-05"));
    EXPECT_THAT(text, HasSubstr("other:\n  lr: 1.0e-4\n  name: \"123\"")) << "the anchor's own stays";
    EXPECT_THAT(text, AllOf(HasSubstr("steps: 30"), HasSubstr("steps: 10"), HasSubstr("name: \"1e-4\""),
                            HasSubstr("on: false"), HasSubstr("when: 2024-01-02"), Not(HasSubstr("answer")),
                            HasSubstr("two\\nlines\\n")));
}

TEST(ConfigFile, JsonKeepsItsOrder) {
    EXPECT_EQ(renderConfigFile({"a.json", R"({"b": {"y": 1, "x": [1, 2]}, "a": null})"},
                               {{"b.x.1", 5}, {"b.z.w", "é"}, {"a", nullptr}}),
              "{\n  \"b\": {\n    \"y\": 1,\n    \"x\": [\n      1,\n      5\n    ],\n    \"z\": {\n      "
              "\"w\": \"é\"\n"
              "    }\n  }\n}\n");
}

TEST(ConfigFile, SaysWhichKeysItHasNot) {
    EXPECT_THAT(keysMissingIn({"a.toml", kToml}, {"epochs", "optimizer.lrr", "optimizer.lr",
                                                  "directory.2.path", "directory.0.path"}),
                ElementsAre("optimizer.lrr", "directory.2.path"));
    EXPECT_THAT(keysMissingIn({"a.yml", kYaml}, {"stages.0.steps", "optim.b", "other.lr"}),
                ElementsAre("optim.b"));
    EXPECT_THAT(keysMissingIn({"a.json", "{\"a\": {\"b\": null}}"}, {"a.b", "a.c"}), ElementsAre("a.c"));
}

std::string configFileRefusal(const ConfigFile& file, const Json& values = Json::object()) {
    try {
        return renderConfigFile(file, values);
    } catch (const InputError& error) {
        return std::string("refused: ") + error.what();
    }
}

TEST(ConfigFile, WhatIsNoneIsRefusedWithItsPlace) {
    EXPECT_THAT(configFileRefusal({"x.toml", "a = 1\nb = = 2\n"}),
                AllOf(HasSubstr("refused: x.toml, line 2: ")));
    EXPECT_THAT(configFileRefusal({"x.yaml", "a: 1\nb: [1\n"}), HasSubstr("refused: x.yaml, line "));
    EXPECT_THAT(configFileRefusal({"x.yaml", "- 1\n"}), HasSubstr("found no mapping"));
    EXPECT_THAT(configFileRefusal({"x.json", "{"}), HasSubstr("refused: x.json"));
    for (const char* name : {"x.toml", "x.yaml", "x.json"}) {
        const std::string text = name[2] == 't' ? "a = 'b'\n" : name[2] == 'y' ? "a: b\n" : "{\"a\": \"b\"}";
        EXPECT_THAT(configFileRefusal({name, text}, {{"a.lr", 1}}),
                    HasSubstr("a.lr: a is no table and no list"))
            << name;
    }
    EXPECT_THAT(configFileProblem({"x.ini"}),
                HasSubstr("expected a file that ends in .toml, .yaml or .json"));
    EXPECT_EQ(configFileProblem({"a/b.yml"}), "");
}

constexpr const char* kSweep =
    "program: train.py\nconfig_file: examples/wan.toml\ncommand: [deepspeed, \"${program}\", --deepspeed, "
    "\"--config=${config_file}\"]\nparameters:\n  optimizer.lr: {values: [1e-5, 1e-4]}\n  output_dir: "
    "{value: "
    "\"${run_dir}\"}\n  adaptor.rank: {value: 8}\n";

TEST(ConfigFile, IsWrittenForEachRunAndNamedInItsCommand) {
    Sweep sweep = parseSweep(kSweep, "sweep.yaml");
    const auto runs = expand(sweep);
    EXPECT_THAT(renderCommand(sweep, runs[0]).files, IsEmpty()) << "not read yet";
    sweep.program->configFile->text = kToml;
    const auto command = renderCommand(sweep, runs[1]);
    EXPECT_THAT(shownWords(command.words),
                ElementsAre("deepspeed", "train.py", "--deepspeed", "--config=${run_dir}/config_file.toml"));
    EXPECT_THAT(command.files.at("config_file.toml"),
                AllOf(HasSubstr("lr = 1e-04"), HasSubstr("output_dir = '${run_dir}'")));
    EXPECT_THAT(configFileNotices(sweep),
                ElementsAre("config_file: examples/wan.toml has no adaptor.rank; it is added there."));
    const Sweep again = parseSweep(toYaml(sweep), "again");
    EXPECT_EQ(again.program, sweep.program) << "recorded with its content";
}

TEST(ConfigFile, AndItsMacroBelongTogether) {
    std::vector<std::string> notices;
    parseSweep("program: t.py\nconfig_file: a.json\n", "s", &notices);
    EXPECT_THAT(notices, testing::Contains(HasSubstr("config_file has no effect")));
    EXPECT_THROW(parseSweep("program: t.py\ncommand: [python, t.py, \"${config_file}\"]\n", "s"), InputError);
    EXPECT_THROW(parseSweep("program: t.py\nconfig_file: a.ini\n", "s"), InputError);
    EXPECT_THROW(parseSweep("config_file: a.json\nparameters: {steps: {value: 1}}\n", "s"), InputError);
}

}  // namespace
}  // namespace dailies::sweep
