// resources/python/dailies.py as programs use it: real Python processes, and what they leave in events.jsonl.
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/events/event_log.h"
#include "remote/job_script/templates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace dailies::remote {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

namespace fs = std::filesystem;

class PythonModule : public testing::Test {
protected:
    PythonModule() {
        writeFileAtomically(m_folder.path() / "dailies.py", std::string(kPythonModule));
        fs::create_directories(run());
    }

    fs::path run() const { return m_folder.path() / "run"; }
    fs::path events() const { return run() / "events.jsonl"; }

    using Variables = std::map<std::string, std::string>;

    std::string command(const std::string& program, const Variables& variables = {}) const {
        std::string line = "cd " + shellQuote(m_folder.path().string()) +
                           " && unset RANK SLURM_PROCID SLURM_JOB_ID && PYTHONDONTWRITEBYTECODE=1 "
                           "DAILIES_RUN_DIR=" +
                           shellQuote(run().string());
        for (const auto& [name, value] : variables) line += " " + name + "=" + shellQuote(value);
        return line + " python3 -c " + shellQuote("import dailies\n" + program);
    }
    ProcessResult python(const std::string& program, const Variables& variables = {}) const {
        return runProcess({"sh", "-c", command(program, variables)}, {});
    }
    static Variables job(const std::string& id, int restarts = 0) {
        return {{"SLURM_JOB_ID", id}, {"SLURM_RESTART_COUNT", std::to_string(restarts)}};
    }

    events::ParsedChunk read() const { return events::parseChunk(readFile(events())); }
    /// "start resume 4 metrics 5 …"
    std::vector<std::string> told() const {
        std::vector<std::string> lines;
        for (const auto& event : read().events) {
            if (std::holds_alternative<events::Start>(event.payload))
                lines.push_back("start " + std::to_string(event.attempt));
            if (const auto* resume = std::get_if<events::Resume>(&event.payload))
                lines.push_back("resume " + std::to_string(resume->fromStep));
            if (const auto* metrics = std::get_if<events::Metrics>(&event.payload))
                lines.push_back("step " + std::to_string(metrics->step));
            if (const auto* clip = std::get_if<events::Clip>(&event.payload))
                lines.push_back("clip " + clip->path);
        }
        return lines;
    }

    TemporaryFolder m_folder{"python module"};
};

TEST_F(PythonModule, LogsWhateverCountsAsANumber) {
    const auto result = python(
        "class Tensor:\n    def __float__(self): return 0.5\n"
        "dailies.log(3, {'val/loss': 1, 'group': {'a': {'b': 2.5}}}, lr=1e-4, t=Tensor(), on=True, "
        "none=None,\n"
        "            worst=float('inf'), bad=float('nan'), text='x', rows=[1, 2])\n"
        "dailies.log(4, text='y')\ndailies.log('four', a=1)\n");
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const auto all = read();
    EXPECT_THAT(all.malformed, IsEmpty());
    ASSERT_THAT(all.events, SizeIs(2)) << readFile(events());
    const auto& metrics = std::get<events::Metrics>(all.events[1].payload);
    EXPECT_EQ(metrics.step, 3);
    ASSERT_THAT(metrics.values, SizeIs(7));
    EXPECT_EQ(metrics.values.at("val/loss"), 1);
    EXPECT_EQ(metrics.values.at("group.a.b"), 2.5);
    EXPECT_EQ(metrics.values.at("lr"), 1e-4);
    EXPECT_EQ(metrics.values.at("t"), 0.5);
    EXPECT_EQ(metrics.values.at("on"), 1);
    EXPECT_EQ(metrics.values.at("worst"), INFINITY);
    EXPECT_TRUE(std::isnan(metrics.values.at("bad")));
    EXPECT_THAT(result.err, HasSubstr("dailies: the metric text is no number: str"));
    EXPECT_THAT(result.err, HasSubstr("dailies: the metric rows is no number: list"));
    EXPECT_THAT(result.err, HasSubstr("dailies: a step is no whole number: 'four'"));
    EXPECT_EQ(result.err.find("text is"), result.err.rfind("text is")) << "once";
}

TEST_F(PythonModule, OutsideOfARunDoesNothing) {
    const auto result = python(
        "dailies.log(1, loss=1)\ndailies.clip('no.mp4')\nprint(dailies.config(), dailies.should_stop())\n",
        {{"DAILIES_RUN_DIR", ""}});
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(result.out, "{} False\n");
    EXPECT_EQ(result.err, "");
}

TEST_F(PythonModule, OfSeveralRanksOnlyTheFirstWrites) {
    for (const char* rank : {"0", "1", "7"}) python("dailies.log(1, loss=1)\n", {{"RANK", rank}});
    python("dailies.log(1, loss=1)\n", {{"SLURM_PROCID", "1"}});
    EXPECT_THAT(told(), ElementsAre("start 1", "step 1"));
}

TEST_F(PythonModule, AFurtherJobReplacesWhatWasLoggedFromItsFirstStepOn) {
    python("for step in range(1, 4): dailies.log(step, loss=1)\n", job("4"));
    writeFileAtomically(events(), readFile(events()) + R"({"seq": 5, "att)");  // a kill in the middle
    python("for step in range(3, 5): dailies.log(step, loss=1)\n", job("4", 1));
    EXPECT_THAT(told(), ElementsAre("start 1", "step 1", "step 2", "step 3", "start 2", "resume 2", "step 3",
                                    "step 4"));
    EXPECT_THAT(read().malformed, SizeIs(1));
    for (std::size_t i = 1; i < read().events.size(); ++i)
        EXPECT_GT(read().events[i].seq, read().events[i - 1].seq);
}

TEST_F(PythonModule, AnEvaluationInTheSameJobIsNoFurtherAttempt) {
    python("for step in range(1, 4): dailies.log(step, loss=1)\n", job("4"));
    python("dailies.log(2, {'eval/fvd': 100})\n", job("4"));
    EXPECT_THAT(told(), ElementsAre("start 1", "step 1", "step 2", "step 3", "step 2"));
}

TEST_F(PythonModule, ByHandARunThatIsBegunAgainReplacesWhatItRepeats) {
    python("for step in range(1, 4): dailies.log(step, loss=1)\n");
    python("dailies.log(4, loss=1)\n");
    python("dailies.log(2, loss=1)\n");
    EXPECT_THAT(told(), ElementsAre("start 1", "step 1", "step 2", "step 3", "step 4", "resume 1", "step 2"));
}

TEST_F(PythonModule, TwoProcessesLoseNothingOfEachOther) {
    const auto named = [&](const std::string& name) {
        return command("for step in range(500): dailies.log(step, " + name + "=step)\n", job("4"));
    };
    const auto result = runProcess({"sh", "-c", "(" + named("a") + ") & (" + named("b") + ") & wait"}, {});
    EXPECT_EQ(result.err, "");
    const auto all = read();
    EXPECT_THAT(all.malformed, IsEmpty());
    ASSERT_THAT(all.events, SizeIs(1001));
    for (std::size_t i = 0; i < all.events.size(); ++i)
        ASSERT_EQ(all.events[i].seq, static_cast<std::int64_t>(i) + 1);
}

TEST_F(PythonModule, AForkAndAThreadWriteWholeLines) {
    const auto result = python(
        "import os, threading\ndailies.log(0, a=0)\nchild = os.fork()\n"
        "def many():\n    for step in range(200): dailies.log(step, a=1)\n"
        "threads = [threading.Thread(target=many) for _ in range(2)]\n"
        "for thread in threads: thread.start()\nfor thread in threads: thread.join()\n"
        "if child: os.wait()\n",
        job("4"));
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(read().malformed, IsEmpty());
    EXPECT_THAT(read().events, SizeIs(802));
}

TEST_F(PythonModule, AClipOutsideOfTheRunIsCopiedIntoIt) {
    writeFileAtomically(m_folder.path() / "é 1.mp4", "video");
    writeFileAtomically(run() / "samples" / "b.gif", "video");
    const auto result = python(
        "dailies.clip('\\u00e9 1.mp4', prompt='a \\u2028 cat', seed=7, step=12)\n"
        "dailies.clip('run/samples/b.gif')\ndailies.clip('not there.mp4')\n");
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_THAT(told(), ElementsAre("start 1", "clip clips/00000012-é 1.mp4", "clip samples/b.gif"));
    const auto all = read();
    const auto& clip = std::get<events::Clip>(all.events[1].payload);
    EXPECT_EQ(clip.prompt, "a \u2028 cat");
    EXPECT_EQ(clip.seed, 7);
    EXPECT_EQ(clip.step, 12);
    EXPECT_EQ(readFile(run() / "clips" / "00000012-é 1.mp4"), "video");
    EXPECT_EQ(std::get<events::Clip>(all.events[2].payload).prompt, "b");
    EXPECT_THAT(result.err, HasSubstr("the clip not there.mp4 could not be logged: there is no such file"));
}

TEST_F(PythonModule, SaysWhatAClipWasMadeFromAndWhatIsKnownOfItsFrames) {
    writeFileAtomically(run() / "a.mp4", "video");
    writeFileAtomically(run() / "dance.mp4", "poses");
    writeFileAtomically(m_folder.path() / "anna" / "reference.png", "anna");
    writeFileAtomically(m_folder.path() / "ben" / "reference.png", "ben");
    const auto result = python(
        "for who in ('anna', 'ben', 'anna'):\n"
        "    dailies.clip('run/a.mp4', inputs={'reference': who + '/reference.png', 'poses': "
        "'run/dance.mp4'},\n"
        "                 per_frame={'pose_error': [0.5, None, 1], 'bad': ['x']})\n"
        "dailies.clip('run/a.mp4', inputs={'depth': 'gone.mp4'})\n");
    EXPECT_EQ(result.exitCode, 0) << result.err;
    std::vector<events::Clip> clips;
    for (const auto& event : read().events)
        if (const auto* clip = std::get_if<events::Clip>(&event.payload)) clips.push_back(*clip);
    ASSERT_THAT(clips, SizeIs(4));
    EXPECT_EQ(clips[0].inputs.at("poses"), "dance.mp4") << "where it lies";
    const auto anna = clips[0].inputs.at("reference"), ben = clips[1].inputs.at("reference");
    EXPECT_EQ(readFile(run() / anna), "anna");
    EXPECT_EQ(readFile(run() / ben), "ben") << "of the same name, and another picture";
    EXPECT_EQ(clips[2].inputs.at("reference"), anna) << "copied once";
    ASSERT_THAT(clips[0].perFrame, SizeIs(1));
    const auto& errors = clips[0].perFrame.at("pose_error");
    ASSERT_THAT(errors, SizeIs(3));
    EXPECT_EQ(errors[0], 0.5);
    EXPECT_TRUE(std::isnan(errors[1]));
    EXPECT_TRUE(clips[3].inputs.empty());
    EXPECT_THAT(result.err, AllOf(HasSubstr("gone.mp4"), HasSubstr("bad of a clip is no list of numbers")));
}

TEST_F(PythonModule, KnowsItsParametersAndWhenToStop) {
    writeFileAtomically(run() / "config.json", R"({"lr": 1e-4, "optimizer": {"name": "adamw"}})");
    const std::string ask = "print(dailies.config()['optimizer']['name'], dailies.should_stop())\n";
    EXPECT_EQ(python(ask).out, "adamw False\n");
    writeFileAtomically(run() / "dailies.stop", "");
    EXPECT_EQ(python(ask).out, "adamw True\n");
}

TEST_F(PythonModule, AFullDiskIsToldOnceAndEndsNothing) {
    const auto result = python(
        "import resource\n"
        "def allow(size): resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))\n"
        "dailies.log(1, a=1)\nallow(350)\n"
        "for step in range(2, 6): dailies.log(step, a=1)\n"
        "allow(resource.RLIM_INFINITY)\ndailies.log(6, a=1)\nprint('goes on')\n");
    EXPECT_EQ(result.out, "goes on\n");
    EXPECT_THAT(result.err, HasSubstr("dailies: events.jsonl could not be written"));
    EXPECT_EQ(result.err.find("dailies: "), result.err.rfind("dailies: "));
    EXPECT_EQ(told().back(), "step 6") << "there is room again";
    EXPECT_THAT(told(), Not(testing::Contains("step 5")));
}

TEST_F(PythonModule, ARunFolderThatIsGoneEndsNothing) {
    const auto result =
        python("dailies.log(1, a=1)\nprint('goes on')\n", {{"DAILIES_RUN_DIR", "/no/such/folder"}});
    EXPECT_EQ(result.out, "goes on\n");
    EXPECT_THAT(result.err, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace dailies::remote
