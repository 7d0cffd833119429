#include "core/base/files.h"
#include "core/base/process.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/store.h"
#include "tests/app/own_program_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

// A program of the user's own, launched by its W&B sweep file on a real Slurm over a real sshd.

namespace {

using namespace dailies;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

using OwnProgram = test::OwnProgram;

namespace fs = std::filesystem;

/// It never ends unless it is asked to, or goes on from what it wrote then.
constexpr const char* kAsked = R"(import os, signal, sys, time
folder, way = sys.argv[1:3]
step = 0
def save(code):
    with open(os.path.join(folder, "checkpoint-%d" % step), "w") as out:
        out.write(str(step))
    if code is not None:
        sys.exit(code)
if way == "dailies":
    import dailies
if "--from" in sys.argv:
    if way == "dailies":
        dailies.log(int(open(sys.argv[sys.argv.index("--from") + 1]).read()), loss=0.5)
    print("goes on at", int(open(sys.argv[sys.argv.index("--from") + 1]).read()), flush=True)
    sys.exit(0)
if way in ("USR1", "TERM"):
    signal.signal(getattr(signal, "SIG" + way), lambda *_: save(1))
if way == "none":
    save(None)
while True:
    time.sleep(0.05)
    step += 1
    if way == "dailies":
        dailies.log(step, loss=step)
        if dailies.should_stop():
            save(0)
    if way == "file" and os.path.exists(os.path.join(folder, "save_quit")):
        save(0)
)";

TEST_F(OwnProgram, ASweepFileThatNamesOneIsLaunchedAsItIs) {
    const auto answer = launch({(code() / "sweep.yaml").string()});
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("Uploading the code of train.py (3 files"));
    const Json runs = Json::parse(answer.out);
    ASSERT_EQ(runs.size(), 4u);
    for (const Json& run : runs) {
        EXPECT_EQ(run.at("status"), "FINISHED") << run.dump(2);
        EXPECT_EQ(run.at("tags").at("dailies.program"), "train.py");
        EXPECT_GE(run.at("end_time").get<std::int64_t>(), run.at("start_time").get<std::int64_t>());
    }
    const Json run = runOf(runs, "min_snr_gamma", "3");
    const Json seen = Json::parse(readFile(folderOf(run) / "seen.json"));
    EXPECT_EQ(seen.at("argv").at(0), "train.py");
    EXPECT_EQ(seen.at("argv").at(1), "--name");
    EXPECT_NE(seen.at("argv").at(2), "USER");
    EXPECT_EQ(seen.at("argv").at(3), "--min_snr_gamma=3");
    EXPECT_EQ(seen.at("argv").at(4), "--lr=1e-5") << "as the file spells it";
    EXPECT_EQ(seen.at("wandb"), folderOf(run).string());
    EXPECT_THAT(s_dailies->run({"logs", run.at("run_id")}).out, HasSubstr("trains with --min_snr_gamma=3"));
}

TEST_F(OwnProgram, WhatEndsWithAnotherExitCodeFailedAndSaysSo) {
    write("train.py", "import sys\nsys.exit(3 if '--min_snr_gamma=2' in sys.argv else 0)\n");
    const auto answer = launch({(code() / "sweep.yaml").string()});
    EXPECT_EQ(answer.status, 1);
    const Json runs = Json::parse(answer.out);
    const Json failed = runOf(runs, "min_snr_gamma", "2");
    EXPECT_EQ(failed.at("status"), "FAILED");
    EXPECT_THAT(failed.at("tags").at("dailies.reason").get<std::string>(), HasSubstr("exit code 3"));
    EXPECT_EQ(runOf(runs, "min_snr_gamma", "1").at("status"), "FINISHED");
}

TEST_F(OwnProgram, ASweepWhoseFirstRunsFailAlikeIsHeldWithTheirLastLines) {
    write("train.py",
          "import time\ntime.sleep(1)\nprint('loads the model')\nraise KeyError('no such layer')\n");
    const std::string sweep =
        write("sweep.yaml",
              "program: train.py\ncommand: [python3, \"${program}\", \"${args}\"]\n"
              "name: broken\nparameters: {seed: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}\n"
              "resources: {memory: 100M, parallel_runs: 1}\n");
    const auto answer = launch({sweep});
    EXPECT_EQ(answer.status, 1);
    EXPECT_THAT(answer.err, HasSubstr("broken: its first 3 runs failed alike. The other "));
    EXPECT_THAT(answer.err, HasSubstr("on hold: cancel the sweep, or release job "));
    EXPECT_THAT(answer.err, AllOf(HasSubstr("exit code 1"), HasSubstr("Their logs end with:"),
                                  HasSubstr("KeyError: 'no such layer'")));
    const Json runs = Json::parse(answer.out);
    const auto waiting =
        std::ranges::count_if(runs, [](const Json& run) { return run.at("status") == "SCHEDULED"; });
    EXPECT_GE(waiting, 3) << answer.err;

    // who releases them has decided: the same failure does not hold them again
    const std::string job = Json(runs[0].at("tags").at("dailies.job")).get<std::string>();
    s_dailies->shell("SLURM_CONF=" + shellQuote((s_home->path() / "s/slurm.conf").string()) +
                     " scontrol release " + job.substr(0, job.find('_')));
    const auto followed = s_dailies->run({"follow", "--cluster", "sandbox"});
    EXPECT_EQ(followed.status, 0) << followed.err;
    EXPECT_EQ(followed.err.find("failed alike"), std::string::npos);
    for (const Json& run : s_dailies->json({"runs"}))
        if (run.at("tags").value("dailies.sweep", "") == runs[0].at("tags").at("dailies.sweep")) {
            EXPECT_EQ(run.at("status"), "FAILED");
        }
}

TEST_F(OwnProgram, AProgramThatIsNotThereIsNamed) {
    write("sweep.yaml",
          "program: train.py\ncommand: [no-such-interpreter, \"${program}\"]\n"
          "resources: {memory: 100M}\n");
    const auto answer = launch({(code() / "sweep.yaml").string()});
    EXPECT_EQ(answer.status, 1);
    const Json run = Json::parse(answer.out).at(0);
    EXPECT_EQ(run.at("status"), "FAILED");
    EXPECT_THAT(run.at("tags").at("dailies.reason").get<std::string>(), HasSubstr("was not found"));
    EXPECT_THAT(s_dailies->run({"logs", run.at("run_id")}).out,
                HasSubstr("no-such-interpreter was not found"));
}

TEST_F(OwnProgram, ADryRunShowsTheWordsAndNeedsNoConnection) {
    const Json plan = Json::parse(s_dailies
                                      ->run({"launch", (code() / "sweep.yaml").string(), "--cluster",
                                             "sandbox", "--dry-run", "--format", "json"})
                                      .out);
    ASSERT_EQ(plan.at("runs").size(), 4u);
    EXPECT_EQ(plan.at("runs").at(2).at("command"),
              Json({"python3", "train.py", "--name", "${envvar:USER}", "--min_snr_gamma=2", "--lr=1e-5"}));
    EXPECT_EQ(plan.at("runs").at(2).at("params").at("min_snr_gamma"), 2);
    EXPECT_THAT(
        s_dailies->run({"launch", (code() / "sweep.yaml").string(), "--cluster", "sandbox", "--dry-run"}).out,
        AllOf(HasSubstr("python3 train.py --name '${envvar:USER}' --min_snr_gamma=0 --lr=1e-5"),
              HasSubstr("--min_snr_gamma=3"), HasSubstr("${command[@]}")));
    const auto beside = s_dailies->shell("cd " + shellQuote(code().string()) + " && " +
                                         s_dailies->command({"launch", "sweep.yaml", "--cluster", "sandbox",
                                                             "--dry-run", "--format", "json"}));
    EXPECT_EQ(beside.status, 0) << beside.err;
}

TEST_F(OwnProgram, ADryRunShowsTheLauncherWithItsVariables) {
    write("sweep.yaml",
          "program: train.py\nstart: accelerate\nresume: diffusers\nparameters: {lr: {value: 1e-5}}\n"
          "resources: {nodes: 2, ranks_per_node: 4, gpus_per_node: 4}\n");
    const Json plan = Json::parse(s_dailies
                                      ->run({"launch", (code() / "sweep.yaml").string(), "--cluster",
                                             "sandbox", "--dry-run", "--format", "json"})
                                      .out);
    EXPECT_EQ(plan.at("runs").at(0).at("command"),
              Json({"accelerate", "launch", "--num_machines=2", "--num_processes=8",
                    "--machine_rank=${envvar:SLURM_NODEID}", "--main_process_ip=${envvar:MASTER_ADDR}",
                    "--main_process_port=${envvar:MASTER_PORT}", "--rdzv_backend=c10d", "train.py",
                    "--lr=1e-5", "--resume_from_checkpoint=latest"}));
}

TEST_F(OwnProgram, ItsCurvesAreReadFromWhateverItWrites) {
    write("train.py", R"(import json, os, sys, time
folder, kind = os.environ["DAILIES_RUN_DIR"], sys.argv[-1]
if kind == "--kind=lines":
    with open(os.path.join(folder, "metrics.jsonl"), "a") as out:
        for step in range(1, 6):
            out.write(json.dumps({"step": step, "train/loss": 1 / step, "none": None}) + chr(10))
            print("step", step, "loss:", 1 / step)
            out.flush()
            time.sleep(0.2)
elif kind == "--kind=csv":
    os.makedirs(os.path.join(folder, "lightning_logs/version_0"))
    with open(os.path.join(folder, "lightning_logs/version_0/metrics.csv"), "w") as out:
        out.write("epoch,step,train/loss\n" + "".join(f"0,{step},{1 / step}\n" for step in range(1, 6)))
elif kind == "--kind=mlflow":
    run = os.path.join(os.environ["MLFLOW_TRACKING_URI"][5:], "0", "c" * 32)
    os.makedirs(run + "/metrics/train"); os.makedirs(run + "/params")
    open(run + "/params/optimizer", "w").write("adamw")
    open(run + "/params/output_dir", "w").write(folder + "/out")
    for step in range(1, 6):
        open(run + "/metrics/train/loss", "a").write(f"{1700000000000 + step} {1 / step} {step}\n")
else:
    for step in range(1, 6):
        print({"train/loss": 1 / step, "epoch": 0.1, "step": step})
)");
    const std::string sweep =
        write("sweep.yaml",
              "program: train.py\ncommand: [python3, \"${program}\", \"${args}\"]\n"
              "name: kinds\nparameters: {kind: {values: [lines, csv, mlflow, output]}}\n"
              "resources: {memory: 100M, parallel_runs: 4}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json runs = Json::parse(answer.out);
    for (const char* kind : {"lines", "csv", "mlflow", "output"}) {
        const Json run = runOf(runs, "kind", kind);
        const Json points = s_dailies->json({"metrics", run.at("run_id"), "train/loss"}).at("points");
        ASSERT_EQ(points.size(), 5u) << kind << " " << run.dump(2);
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_EQ(points[i].at("step"), static_cast<std::int64_t>(i) + 1) << kind;
            EXPECT_EQ(points[i].at("value"), 1.0 / static_cast<double>(i + 1)) << kind;
        }
        EXPECT_EQ(run.at("metrics").at("train/loss"), 0.2) << kind;
        EXPECT_FALSE(run.at("metrics").contains("loss")) << "of the output, which says the same: " << kind;
    }
    EXPECT_EQ(runOf(runs, "kind", "mlflow").at("params").at("optimizer"), "adamw");
    EXPECT_EQ(runOf(runs, "kind", "mlflow").at("params").at("output_dir"), "${run_dir}/out")
        << "the same for every run";
}

TEST_F(OwnProgram, WhatNoReaderKnowsIsReadByTheRulesOfTheSweepFile) {
    write("train.py", R"(import os
folder = os.environ["DAILIES_RUN_DIR"]
for step in (100, 200):
    print("=>", step, "|| L", 1 / step, "|| psnr(val) 30")
os.makedirs(folder + "/vis/100")
open(folder + "/vis/100/a_red_fox.s7.mp4", "w").write("no video")
open(folder + "/metrics.jsonl", "w").write('{"step": 1, "lr": 0.5}' + chr(10))
)");
    const std::string sweep =
        write("sweep.yaml",
              "program: train.py\ncommand: [python3, \"${program}\"]\n"
              "name: ruled\nresources: {memory: 100M}\n"
              "sources:\n"
              "  output: '=> (?P<step>\\d+)|\\|\\| (?P<name>\\w+)\\S* (?P<value>\\S+)'\n"
              "  clips: vis/{step}/{prompt}.s{seed}.mp4\n");
    const auto dry = s_dailies->run({"launch", sweep, "--cluster", "sandbox", "--dry-run"});
    EXPECT_THAT(dry.out, AllOf(HasSubstr("=> (?P<step>"), HasSubstr("vis/{step}/{prompt}.s{seed}.mp4")));
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto check = [](const std::string& run) {
        const tracking::Store store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
        ASSERT_EQ(store.history(run, "L").size(), 2u) << run;
        EXPECT_EQ(store.history(run, "L")[1].step, 200);
        EXPECT_EQ(store.history(run, "L")[1].value, 1.0 / 200);
        EXPECT_EQ(store.history(run, "psnr").size(), 2u);
        EXPECT_EQ(store.history(run, "lr").size(), 1u) << "of its tracker";
        const auto clips = store.clips({run});
        ASSERT_EQ(clips.size(), 1u);
        EXPECT_EQ(clips[0].step, 100);
        EXPECT_EQ(clips[0].prompt, "a red fox");
        EXPECT_EQ(clips[0].seed, 7);
    };
    const auto run = Json::parse(answer.out).at(0).at("run_id").get<std::string>();
    check(run);
    const auto again = s_dailies->run({"launch", "--again", run, "--wait", "--format", "json"});
    ASSERT_EQ(again.status, 0) << again.err;
    check(Json::parse(again.out).at(0).at("run_id").get<std::string>());
}

TEST_F(OwnProgram, ASweepStopsItsWorstRunsByHowOftenTheyLogged) {
    write("train.py", R"(import sys, time
rate = float(sys.argv[-1].split("=")[1])
time.sleep(3 if rate > 1 else 0)
for step in range(0, 4000 if rate > 1 else 1000, 100):
    print({"loss": rate, "step": step})
    time.sleep(1 if rate > 1 else 0.05)
)");
    const std::string sweep = write("sweep.yaml",
                                    "program: train.py\ncommand: [python3, \"${program}\", \"${args}\"]\n"
                                    "name: stopped\nmetric: {name: loss, goal: minimize}\n"
                                    "early_terminate: {type: asha, min_iter: 3, eta: 2}\n"
                                    "parameters: {rate: {values: [0.1, 0.2, 0.9, 5]}}\n"
                                    "resources: {memory: 100M, parallel_runs: 4}\n");
    const auto answer = launch({sweep});
    const Json runs = Json::parse(answer.out);
    const Json worst = runOf(runs, "rate", "5");
    EXPECT_EQ(worst.at("status"), "KILLED") << answer.err;
    EXPECT_THAT(worst.at("tags").value("dailies.stopped_why", ""), HasSubstr("Stopped early"));
    EXPECT_EQ(runOf(runs, "rate", "0.1").at("status"), "FINISHED");
    EXPECT_EQ(answer.status, 0) << answer.err;
}

TEST_F(OwnProgram, TheVideosThatItWritesBecomeClips) {
    write("train.py", R"(import os, subprocess, time
folder = os.environ["DAILIES_RUN_DIR"]
def film(name, frames):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=8", "-frames:v", str(frames),
                    "-pix_fmt", "yuv420p" if name.endswith("mp4") else "rgb8", path], check=True)
film("sample/lora_000100_02_20260102030405_7.mp4", 8)
film("validation/step_200/a cat runs-3.gif", 4)
open(os.path.join(folder, "broken_step_300.mp4"), "w").write("no video")
)");
    const std::string sweep = write("sweep.yaml",
                                    "program: train.py\ncommand: [python3, \"${program}\"]\n"
                                    "name: films\nresources: {memory: 300M}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto run = Json::parse(answer.out).at(0).at("run_id").get<std::string>();
    const tracking::Store store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
    const auto clips = store.clips({run});
    ASSERT_EQ(clips.size(), 3u);
    EXPECT_EQ(clips[0].step, 100);
    EXPECT_EQ(clips[0].prompt, "sample 2");
    EXPECT_EQ(clips[0].seed, 7);
    EXPECT_EQ(std::tuple(clips[0].frames, clips[0].width, clips[0].height), std::tuple(8, 64, 48));
    EXPECT_EQ(clips[1].step, 200);
    EXPECT_EQ(clips[1].prompt, "a cat runs");
    EXPECT_EQ(clips[1].frames, 4);
    for (int i : {0, 1}) EXPECT_TRUE(fs::exists(clips[static_cast<std::size_t>(i)].localPath)) << i;
    EXPECT_EQ(clips[2].localPath, "");
    std::string told;
    for (const auto& message : store.messages(run)) told += message.text + "\n";
    EXPECT_THAT(told, HasSubstr("The clip broken_step_300.mp4 cannot be shown"));
}

TEST_F(OwnProgram, EachCheckpointIsSampledByAJobOfItsOwn) {
    write("train.py", R"(import os, sys, time
folder = os.environ["DAILIES_RUN_DIR"]
def save(step, text):
    os.makedirs(os.path.join(folder, "checkpoint-%d" % step))
    with open(os.path.join(folder, "checkpoint-%d" % step, "weights"), "w") as out:
        out.write(text)
save(100, "good")
save(200, "bad")
sampled = os.path.join(folder, "checkpoint_samples/step_100.txt")
begin = time.time()
while not os.path.exists(sampled) and time.time() < begin + 150:
    time.sleep(0.1)
print("was sampled while it trained:", os.path.exists(sampled), flush=True)
save(300, "good")
)");
    write("generate.py", R"(import os, subprocess, sys
checkpoint, clips, step = sys.argv[1:4]
text = open(os.path.join(checkpoint, "weights")).read()
print("samples", text, "on", os.environ["SLURM_CPUS_PER_TASK"], "cores in", os.getcwd(), flush=True)
if text == "bad":
    sys.exit(3)
subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=8", "-frames:v", "4", "-pix_fmt", "yuv420p",
                os.path.join(clips, "a cat runs-7.mp4")], check=True)
)");
    const std::string sweep = write("sweep.yaml", R"(program: train.py
command: [python3, "${program}"]
name: sampled
parameters: {lr: {value: 1e-5}}
sample_checkpoints:
  command: [python3, generate.py, "${checkpoint}", "${clips}", "${step}"]
  checkpoints: checkpoint-*
  resources: {memory: 200M, time_limit: "0:02:00"}
resources: {memory: 100M, time_limit: "0:05:00"}
)");
    const auto words = s_dailies->run({"launch", sweep, "--cluster", "sandbox", "--dry-run"});
    EXPECT_THAT(words.out, HasSubstr("Each checkpoint (checkpoint-*) is sampled by\n  python3 generate.py "
                                     "'${checkpoint}' '${clips}' '${step}'"));
    const Json plan = s_dailies->json({"launch", sweep, "--cluster", "sandbox", "--dry-run"});
    EXPECT_EQ(plan.at("sample_checkpoints"),
              Json({{"checkpoints", "checkpoint-*"},
                    {"command", {"python3", "generate.py", "${checkpoint}", "${clips}", "${step}"}}}));

    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json run = Json::parse(answer.out).at(0);
    const auto id = run.at("run_id").get<std::string>();
    const auto folder = folderOf(run);
    std::string log;
    for (const auto& entry : fs::directory_iterator(folder / "logs")) log += readFile(entry.path());
    EXPECT_THAT(log, HasSubstr("was sampled while it trained: True"));
    const tracking::Store store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
    const auto clips = store.clips({id});
    ASSERT_EQ(clips.size(), 2u) << log << answer.err;
    EXPECT_EQ(clips[0].step, 100);
    EXPECT_EQ(clips[1].step, 300) << "what was written last is sampled when the run has ended";
    for (const auto& clip : clips) {
        EXPECT_EQ(clip.prompt, "a cat runs");
        EXPECT_EQ(clip.seed, 7);
        EXPECT_TRUE(fs::exists(clip.localPath));
    }
    EXPECT_THAT(readFile(folder / "checkpoint_samples/step_100.txt"), HasSubstr("samples good on 1 cores"));
    EXPECT_EQ(run.at("status"), "FINISHED") << "of samples that fail it is not the run that failed";
    std::string told;
    for (const auto& message : store.messages(id)) told += message.text + "\n";
    EXPECT_THAT(told,
                HasSubstr("The checkpoint of step 200 was not sampled: the command ended with exit code 3; "
                          "checkpoint_samples/step_200.txt in the run's folder says why."));
    EXPECT_THAT(answer.err, HasSubstr("The checkpoint of step 200 was not sampled"));
    EXPECT_EQ(tracking::tagOf(*store.run(id), "dailies.samples"), "2 sampled, 1 failed, 0 waiting");
}

TEST_F(OwnProgram, WhatItTellsThroughDailiesPyIsThere) {
    write("train.py", R"(import os, subprocess, dailies
for step in range(1, 6):
    dailies.log(step, {"val/loss": 1 / step}, rate=dailies.config()["lr"])
    print("step:", step, "loss:", 7.0)
os.makedirs("/tmp/dailies-py-%d" % os.getpid())
path = "/tmp/dailies-py-%d/any name.mp4" % os.getpid()
subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=8", "-frames:v", "8", path], check=True)
dailies.clip(path, prompt="a cat, running", seed=7, step=5)
)");
    const std::string sweep = write("sweep.yaml",
                                    "program: train.py\ncommand: [python3, \"${program}\"]\nname: tells\n"
                                    "parameters: {lr: {value: 1e-4}}\nresources: {memory: 300M}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json run = Json::parse(answer.out).at(0);
    EXPECT_EQ(run.at("status"), "FINISHED");
    EXPECT_EQ(run.at("metrics").at("val/loss"), 0.2);
    EXPECT_EQ(run.at("metrics").at("rate"), 1e-4);
    EXPECT_FALSE(run.at("metrics").contains("loss")) << "its output is left to people";
    const tracking::Store store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
    EXPECT_EQ(store.history(run.at("run_id"), "val/loss").size(), 5u);
    const auto clips = store.clips({run.at("run_id").get<std::string>()});
    ASSERT_EQ(clips.size(), 1u);
    EXPECT_EQ(clips[0].prompt, "a cat, running");
    EXPECT_EQ(std::tuple(clips[0].step, clips[0].seed, clips[0].frames), std::tuple(5, 7, 8));
    EXPECT_TRUE(fs::exists(clips[0].localPath));
}

TEST_F(OwnProgram, ATaskForEachRankOnTwoNodesKnowsItsPlace) {
    write("train.py",
          "import os\nfolder = os.environ['DAILIES_RUN_DIR']\n"
          "with open(os.path.join(folder, 'rank-' + os.environ['RANK']), 'w') as out:\n"
          "    out.write(' '.join(os.environ[name] for name in ('WORLD_SIZE', 'LOCAL_RANK', "
          "'LOCAL_WORLD_SIZE', "
          "'SLURM_NODEID')))\n"
          "print(os.environ['MASTER_ADDR'], os.environ['MASTER_PORT'])\n");
    const std::string sweep =
        write("sweep.yaml",
              "program: train.py\ncommand: [python3, \"${program}\"]\nname: ranks\nstart: tasks\n"
              "resources: {memory: 100M, nodes: 2, ranks_per_node: 1}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto folder = folderOf(Json::parse(answer.out).at(0));
    EXPECT_EQ(readFile(folder / "rank-0"), "2 0 1 0");
    EXPECT_EQ(readFile(folder / "rank-1"), "2 0 1 1");
}

TEST_F(OwnProgram, NearItsTimeLimitItWritesACheckpointAndGoesOnAsTheSameRun) {
    write("train.py", kAsked);
    struct Way {
        std::string name, stop;
        int exitCode;  ///< of the first attempt
    };
    const std::vector<Way> ways = {{"USR1", "{signal: USR1, lead: 57}", 1},
                                   {"TERM", "{signal: TERM, lead: 57}", 1},
                                   {"file", "{file: save_quit, lead: 57}", 0},
                                   {"dailies", "{file: dailies.stop, lead: 57}", 0},
                                   {"none", "none", 143}};
    std::string all;  // at once, for Slurm looks at time limits twice a minute
    for (const Way& way : ways) {
        const std::string sweep = write(
            way.name + ".yaml",
            "program: train.py\ncommand: [python3, \"${program}\", \"${run_dir}\", " + way.name + "]\n" +
                "resume: {arguments: [--from, \"${checkpoint}\"], checkpoints: \"checkpoint-*\", stop: " +
                way.stop + "}\nresources: {memory: 100M, time_limit: \"0:01:00\"}\n");
        const std::string path = (m_folder.path() / way.name).string();
        all += s_dailies->command({"launch", sweep, "--cluster", "sandbox", "--format", "json", "--wait",
                                   "--store", path + ".db"}) +
               " >" + shellQuote(path + ".json") + " & ";
    }
    const auto answer = s_dailies->shell(all + "wait");
    for (const Way& way : ways) {
        const Json runs = Json::parse(readFile(m_folder.path() / (way.name + ".json")));
        ASSERT_EQ(runs.size(), 1u) << way.name;
        EXPECT_EQ(runs[0].at("status"), "FINISHED") << way.name << answer.err;
        const auto folder = folderOf(runs[0]);
        EXPECT_THAT(readFile(folder / "attempts.tsv"),
                    testing::MatchesRegex("start\t[0-9_]+\t0\t[^\n]*\nend\t[0-9_]+\t0\t[^\n]*\t" +
                                          std::to_string(way.exitCode) +
                                          "\nstart\t[0-9_]+\t1\t[^\n]*\nend\t[0-9_]+\t1\t[^\n]*\t0\n"))
            << way.name << ": one run, two attempts";
        std::string log;
        for (const auto& entry : fs::directory_iterator(folder / "logs")) log += readFile(entry.path());
        EXPECT_THAT(log, AllOf(HasSubstr("the time limit is near; the run goes on in a requeued job"),
                               HasSubstr("dailies: goes on from " + folder.string() + "/checkpoint-"),
                               HasSubstr("goes on at ")))
            << way.name;
        if (way.name != "dailies") continue;
        const tracking::Store store(m_folder.path() / "dailies.db", tracking::Store::Mode::ReadOnly);
        const auto points = store.history(runs[0].at("run_id"), "loss");
        ASSERT_GT(points.size(), 2u);
        for (std::size_t i = 0; i < points.size(); ++i)
            EXPECT_EQ(points[i].step, static_cast<std::int64_t>(i) + 1) << "one curve";
        EXPECT_EQ(points.back().value, 0.5) << "the step at which it was stopped, of the further attempt";
    }
}

}  // namespace
