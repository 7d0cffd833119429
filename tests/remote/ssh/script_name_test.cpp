#include "remote/ssh/script_name.h"

#include <gtest/gtest.h>

namespace dailies::remote::ssh {
namespace {

TEST(ScriptName, IsTheFirstLineThatDoesSomething) {
    EXPECT_EQ(scriptName("readlink -- '/a/job'\necho done\n"), "readlink -- '/a/job'");
    EXPECT_EQ(scriptName("set -e\numask 022\nexport LC_ALL=C\n\nmkdir -p -- '/a'\n"), "mkdir -p -- '/a'");
    EXPECT_EQ(scriptName("put() {\n"), "put() {");
    EXPECT_EQ(scriptName(""), "");
    EXPECT_EQ(scriptName(std::string(1000, 'a')).size(), 120u);
}

TEST(ScriptName, HasNoValueOfWhatAScriptSets) {
    EXPECT_EQ(scriptName("HF_TOKEN=canary python train.py\n"), "HF_TOKEN=…");
    EXPECT_EQ(scriptName("export SOME=canary\ntrue\n"), "true");
    EXPECT_EQ(scriptName("export SOME=canary\n"), "export SOME=…");
    EXPECT_EQ(scriptName("export SOME='two\ncanary'\ntrue\n"), "export SOME=…");
    EXPECT_EQ(scriptName("env SOME=canary true\n"), "env SOME=…");
    EXPECT_EQ(scriptName("cd /x; SOME=canary true\n"), "cd /x; SOME=…");
    EXPECT_EQ(scriptName("sbatch --parsable <<'END_1'\ncanary\nEND_1\n"), "sbatch --parsable <<'END_1'");
}

TEST(ScriptName, OfAnAnswerThatIsKeptIsWhatIsAsked) {
    EXPECT_EQ(scriptName("rows=$(squeue -h -r -j 12)\n"), "squeue -h -r -j 12)");
}

TEST(ScriptName, AScriptMayBringItsOwn) {
    const auto script = nameComment("squeue -h") + "export PATH='/a'\nsqueue -h\n";
    EXPECT_EQ(scriptName(script), "squeue -h");
    EXPECT_EQ(nameComment("two\nlines"), "# two lines\n") << "the second is no command";
}

}  // namespace
}  // namespace dailies::remote::ssh
