#include "remote/launch/sampling_launch.h"

#include "core/tracking/sampled_run.h"
#include "core/tracking/sampling_settings.h"
#include "remote/launch/sampling_memory.h"
#include "remote/launch/source_runs.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

/// A run with two checkpoints on the sandbox, trained and sampled by a script that does as dailies-train
/// does.
class SamplingAgain : public SandboxTest {
protected:
    SamplingAgain() {
        const std::vector<std::uint8_t> grey(std::size_t{3} * 32 * 32, 128);
        video::writeClip(m_files.path() / "clip.mp4", {{32, 32, grey}, {32, 32, grey}}, {});
        trainer(
            "if [ \"$1\" = train ]; then\n"
            "    for step in 5 9; do\n"
            "        mkdir -p \"$run/checkpoints/step-$step\"; echo '{}' "
            ">\"$run/checkpoints/step-$step/manifest.json\"\n"
            "        metric $step 0.$step\n"
            "        emit "
            "\"\\\"type\\\":\\\"checkpoint\\\",\\\"step\\\":$step,\\\"path\\\":\\\"checkpoints/"
            "step-$step\\\","
            "\\\"bytes\\\":2\"\n"
            "    done\n"
            "elif [ \"$1\" = sample ]; then\n"
            "    grep -q 'red square' \"$3\" || exit 9\n"
            "    echo \"$OF_THE_SWEEP\" >\"$run/of-the-sweep\"\n"
            "    mkdir -p \"$run/clips\"; cp " +
            (m_files.path() / "clip.mp4").string() +
            " \"$run/clips/a.mp4\"\n"
            "    emit "
            "'\"type\":\"clip\",\"step\":9,\"prompt\":\"red square\",\"seed\":1,\"path\":\"clips/a.mp4\","
            "\"frames\":2,\"height\":32,\"width\":32,\"fps\":8'\n"
            "    emit '\"type\":\"metrics\",\"step\":9,\"values\":{\"seconds_per_clip\":2}'\n"
            "fi\nfinish");
    }

    std::string trainedRun(Cluster& cluster, const std::string& conditioning = "none",
                           const std::map<std::string, std::string>& variables = {}) {
        return trainedWith(cluster, {{"model.conditioning", conditioning}}, variables);
    }
    std::string trainedWith(Cluster& cluster, const Json& config,
                            const std::map<std::string, std::string>& variables = {}) {
        sweep::Sweep sweep;
        sweep.environment.variables = variables;
        sweep.name = sweep.experiment = "source";
        for (const auto& [key, value] : config.items()) {
            sweep::Parameter parameter;
            parameter.key = key;
            parameter.kind = sweep::Parameter::Kind::Values;
            parameter.values = {value};
            sweep.parameters.push_back(parameter);
        }
        sweep.resources.memory = "100M";
        sweep.resources.timeLimit = "0:10:00";
        const LaunchPlan sent = planLaunch(sweep, s_profile, cluster.workspace(),
                                           {"test", (m_files.path() / "trainer").string()});
        launch(cluster, sent, m_store);
        Follower follower(cluster, m_store, mirror());
        followToTheEnd(follower);
        EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
        return sent.runIds.front();
    }

    SamplingRequest request(const std::string& runId) const {
        SamplingRequest wanted;
        wanted.runIds = {runId};
        wanted.job.prompts = {"red square"};
        wanted.job.guidance = {1, 3};
        wanted.resources = singleProcessResources(m_store, wanted.runIds);
        return wanted;
    }

    SamplingPlan planned(Cluster& cluster, const SamplingRequest& wanted) {
        return planSampling(m_store, wanted, existingCheckpoints(cluster, chooseCheckpoints(m_store, wanted)),
                            s_profile, cluster.workspace(), {"test", (m_files.path() / "trainer").string()});
    }
};

TEST_F(SamplingAgain, MakesARunOfEachGuidanceWhoseClipsArrive) {
    Cluster cluster = connect();
    const auto source = trainedRun(cluster);
    const auto sampling = planned(cluster, request(source));
    ASSERT_EQ(sampling.runs.size(), 2u);
    EXPECT_EQ(sampling.clips, 2);
    EXPECT_FALSE(estimateSampling(m_store, sampling, sweep::Resources{}).known);
    launchSampling(cluster, sampling, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (const auto& run : sampling.runs) {
        const auto ended = *m_store.run(run.id);
        EXPECT_EQ(ended.status, RunStatus::Finished) << ended.name;
        EXPECT_EQ(ended.tags.at(tag::kSampledRun), source);
        EXPECT_EQ(ended.tags.at(tag::kSampledStep), "9");
        const auto clips = m_store.clips({run.id});
        ASSERT_EQ(clips.size(), 1u);
        EXPECT_TRUE(fs::exists(clips[0].localPath));
    }
    const auto estimate = estimateSampling(m_store, planned(cluster, request(source)), sweep::Resources{});
    EXPECT_TRUE(estimate.known);
    EXPECT_THAT(estimate.basis, HasSubstr("of the same runs"));
    EXPECT_GT(estimate.seconds, 1);
}

TEST_F(SamplingAgain, RunsInTheEnvironmentThatItsRunWasTrainedIn) {
    Cluster cluster = connect();
    const auto source = trainedRun(cluster, "none", {{"OF_THE_SWEEP", "a fabric of its own"}});
    const auto sampling = planned(cluster, request(source));
    launchSampling(cluster, sampling, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (const auto& run : sampling.runs) {
        EXPECT_EQ(m_store.run(run.id)->status, RunStatus::Finished);
        EXPECT_EQ(readFile(fs::path(cluster.runFolder(run.id)) / "of-the-sweep"), "a fabric of its own\n");
    }
    EXPECT_EQ(trainingEnvironment(m_store, {sampling.runs[0].id}).variables.at("OF_THE_SWEEP"),
              "a fabric of its own")
        << "what scores its clips runs there, too";
    try {
        trainingEnvironment(m_store, {source, trainedRun(cluster)});
        FAIL() << "no job has two environments";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), HasSubstr("were trained in different environments"));
    }
}

TEST_F(SamplingAgain, SendsTheImageThatClipsBeginWith) {
    Cluster cluster = connect();
    const auto image = m_files.path() / "it's a first frame.png";
    writeFileAtomically(image, "pixels");
    const auto wantedOf = [&](const std::string& source, const fs::path& file) {
        auto wanted = request(source);
        wanted.job.given_files = {file.string()};
        return wanted;
    };
    const auto source = trainedRun(cluster, "frames");
    const auto sampling = planned(cluster, wantedOf(source, image));
    launchSampling(cluster, sampling, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (const auto& run : sampling.runs) {
        const auto config = parseJson(readFile(cluster.runFolder(run.id) + "/config.json"), "config");
        ASSERT_EQ(config.at("given_files").size(), 1u);
        EXPECT_EQ(readFile(config.at("given_files").at(0).get<std::string>()), "pixels");
    }

    const auto refusal = [&](const SamplingRequest& wanted) -> std::string {
        try {
            planned(cluster, wanted);
        } catch (const InputError& error) {
            return error.full();
        }
        return "not refused";
    };
    EXPECT_THAT(refusal(wantedOf(source, m_files.path() / "gone.png")), HasSubstr("There is no file"));
    EXPECT_THAT(refusal(wantedOf(trainedRun(cluster, "none"), image)),
                HasSubstr("was not trained with frame conditioning"));

    const auto toVideo = trainedWith(cluster, {{"model.conditioning", "image"},
                                               {"model.patch_frames", 1},
                                               {"model.patch_size", 1},
                                               {"data.frames", 5},
                                               {"tokenizer.kind", "wan_vae"},
                                               {"tokenizer.weights", "/models/vae"}});
    EXPECT_EQ(refusal(wantedOf(toVideo, image)), "not refused");
    EXPECT_THAT(refusal(request(toVideo)),
                AllOf(HasSubstr("begins with an image"), HasSubstr("Name a picture to start from")));

    auto ending = wantedOf(toVideo, image);
    ending.job.last_files = {image.string()};
    EXPECT_THAT(refusal(ending), HasSubstr("was not trained to end with an image"));
    const auto betweenTwo = trainedWith(cluster, {{"model.conditioning", "first_last"},
                                                  {"model.patch_frames", 1},
                                                  {"model.patch_size", 1},
                                                  {"data.frames", 9},
                                                  {"tokenizer.kind", "wan_vae"},
                                                  {"tokenizer.weights", "/models/vae"}});
    EXPECT_THAT(refusal(wantedOf(betweenTwo, image)),
                AllOf(HasSubstr("ends with an image"), HasSubstr("Name a picture to end with")));
    ending = wantedOf(betweenTwo, image);
    ending.job.last_files = {image.string()};
    const auto sent = planned(cluster, ending);
    EXPECT_THAT(sent.document.at("sampling").at("last_files").at(0).get<std::string>(), HasSubstr("/last/"));
    EXPECT_EQ(sent.conditioningFiles.size(), 2U);
}

TEST_F(SamplingAgain, ACharacterIsAnimatedByFilesWhereTheCheckpointCannotMakeItUp) {
    Cluster cluster = connect();
    const Json animate = {{"model.family", "animate"}, {"model.patch_frames", 1}};
    const auto refusal = [&](const SamplingRequest& wanted) -> std::string {
        try {
            planned(cluster, wanted);
        } catch (const InputError& error) {
            return error.full();
        }
        return "not refused";
    };
    auto figures = animate;
    figures["data.source"] = "figures";
    EXPECT_EQ(refusal(request(trainedWith(cluster, figures))), "not refused");
    auto clips = animate;
    clips.update({{"data.source", "folder"}, {"data.folder", "/d"}, {"data.poses", "/p"}});
    auto wanted = request(trainedWith(cluster, clips));
    EXPECT_THAT(refusal(wanted), AllOf(HasSubstr("checkpoints do not hold its data"),
                                       HasSubstr("Name a reference picture, one for all prompts")));
    const auto image = m_files.path() / "anna.png";
    writeFileAtomically(image, "pixels");
    wanted.job.reference_files = {image.string()};
    EXPECT_THAT(refusal(wanted), HasSubstr("Name a video of drawn poses"));
    wanted.job.pose_files = {image.string()};
    EXPECT_EQ(refusal(wanted), "not refused");
    wanted.job.reference_pose_files = {image.string()};
    EXPECT_THAT(refusal(wanted), HasSubstr("does not read the poses of reference pictures"));
    wanted.job.align_poses = true;
    EXPECT_THAT(refusal(wanted), HasSubstr("anna.png holds no key points"));
    const auto points = m_files.path() / "points.json";
    writeFileAtomically(points, "[]");
    wanted.job.pose_files = wanted.job.reference_pose_files = {points.string()};
    EXPECT_EQ(refusal(wanted), "not refused");
    wanted.job.reference_pose_files.clear();
    EXPECT_THAT(refusal(wanted), HasSubstr("reference whose pose nobody names"));
    wanted.job.align_poses.reset();
    wanted.job.pose_files = wanted.job.reference_pose_files = {image.string()};

    clips.update({{"model.family", "unianimate"},
                  {"model.conditioning", "image"},
                  {"model.patch_size", 1},
                  {"data.frames", 5},
                  {"tokenizer.kind", "wan_vae"},
                  {"tokenizer.weights", "/models/vae"}});
    wanted.runIds = request(trainedWith(cluster, clips)).runIds;
    EXPECT_EQ(refusal(wanted), "not refused");
    wanted.job.reference_pose_files.clear();
    EXPECT_THAT(refusal(wanted), HasSubstr("Name the drawn pose of the reference picture"));
}

TEST_F(SamplingAgain, OfChampSendsTheDrawingsOfAFolder) {
    Cluster cluster = connect();
    auto wanted = request(trainedWith(cluster, {{"model.family", "animate"},
                                                {"model.patch_frames", 1},
                                                {"model.guidance_types", {"depth", "dwpose"}},
                                                {"data.source", "figures"}}));
    const auto motion = m_files.path() / "motion";
    for (const char* name : {"dwpose/0000.png", "dwpose/0001.png", "images/0000.png"}) {
        std::filesystem::create_directories((motion / name).parent_path());
        writeFileAtomically(motion / name, "pixels");
    }
    wanted.job.pose_files = {motion.string()};
    try {
        planned(cluster, wanted);
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), AllOf(HasSubstr("no drawing of the type depth in " + motion.string()),
                                        HasSubstr("Name a folder that holds depth, dwpose")));
    }
    writeFileAtomically(motion / "depth.mp4", "pixels");
    const auto sampling = planned(cluster, wanted);
    const auto there = sampling.document.at("sampling").at("pose_files").at(0).get<std::string>();
    std::vector<std::string> sent;
    for (const auto& file : sampling.conditioningFiles) sent.push_back(file.remote);
    EXPECT_THAT(sent, testing::ElementsAre(there + "/depth.mp4", there + "/dwpose/0000.png",
                                           there + "/dwpose/0001.png"));
    wanted.job.pose_files = {(motion / "images").string()};
    EXPECT_THROW(planned(cluster, wanted), InputError);
    auto posed = request(trainedWith(
        cluster, {{"model.family", "animate"}, {"model.patch_frames", 1}, {"data.source", "figures"}}));
    posed.job.pose_files = {motion.string()};
    EXPECT_THROW(planned(cluster, posed), InputError) << "which reads a video";
}

TEST_F(SamplingAgain, OfAnAdapterMakesARunOfEachStrength) {
    Cluster cluster = connect();
    auto wanted = request(
        trainedWith(cluster, {{"model.init", "/models/wan"}, {"lora.rank", 4}, {"model.family", "wan"}}));
    wanted.job.guidance.clear();
    wanted.job.strength = {0, 0.5, 1};
    const auto sampling = planned(cluster, wanted);
    ASSERT_EQ(sampling.runs.size(), 3u);
    EXPECT_THAT(sampling.runs[1].name, HasSubstr("strength 0.5"));
    EXPECT_EQ(sampling.runs[1].params.at("sampling.strength"), "0.5");
    EXPECT_NE(tracking::samplingOf(sampling.runs[0], 9), tracking::samplingOf(sampling.runs[1], 9))
        << "clips of other settings";
    EXPECT_EQ(tracking::samplingOf(sampling.runs[2], 9).strength, "1");

    wanted.runIds = {trainedRun(cluster)};
    try {
        planned(cluster, wanted);
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), HasSubstr("trained no adapter (LoRA)"));
    }
}

TEST_F(SamplingAgain, WhatCannotFitIsRefusedBeforeItIsSent) {
    Cluster cluster = connect();
    auto wanted = request(trainedRun(cluster));
    EXPECT_EQ(wanted.resources.memory, "100M") << "as its training, which was a script's here";
    const auto check = [&] { return checkSamplingMemory(m_store, wanted, s_profile, &cluster.facts()); };
    EXPECT_EQ(check().verdict, planner::FitVerdict::tooLarge);
    EXPECT_THAT(check().text, testing::AllOf(HasSubstr("Sampling needs about"), HasSubstr("--mem 100M")));
    EXPECT_THAT(check().remedy, HasSubstr("resources.memory"));
    EXPECT_THROW(throwIfTooLarge(check()), InputError);
    wanted.resources.memory = "400M";
    EXPECT_EQ(check().verdict, planner::FitVerdict::fits) << check().text;
    EXPECT_EQ(checkSamplingMemory(m_store, wanted, s_profile, nullptr).text, check().text);
}

TEST_F(SamplingAgain, AClientThatDiesBeforeSbatchIsMadeGoodByTheNext) {
    Cluster cluster = connect();
    const auto sampling = planned(cluster, request(trainedRun(cluster)));
    ASSERT_NO_FATAL_FAILURE(
        dieBeforeSbatch([&](Cluster& own, tracking::Store& store, const Progress& progress) {
            launchSampling(own, sampling, store, progress);
        }));
    EXPECT_EQ(resumeLaunches(cluster, m_store), std::vector{sampling.id});
    EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (const auto& run : sampling.runs) EXPECT_EQ(m_store.run(run.id)->status, RunStatus::Finished);
}

TEST_F(SamplingAgain, ChoosesTheCheckpointsThatAPersonMeans) {
    Cluster cluster = connect();
    const auto source = trainedRun(cluster);
    const auto steps = [&](const std::string& choice) {
        auto wanted = request(source);
        wanted.checkpoints = parseCheckpointChoice(choice);
        std::vector<std::int64_t> found;
        for (const auto& checkpoint : chooseCheckpoints(m_store, wanted)) found.push_back(checkpoint.step);
        return found;
    };
    EXPECT_THAT(steps("last"), testing::ElementsAre(9));
    EXPECT_THAT(steps("all"), testing::ElementsAre(5, 9));
    EXPECT_THAT(steps("5"), testing::ElementsAre(5));
    try {
        steps("best");
        FAIL() << "the sweep has no metric";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("has no metric to rank its checkpoints by"));
    }
    auto wanted = request(source);
    wanted.checkpoints = parseCheckpointChoice("all");
    auto all = chooseCheckpoints(m_store, wanted);
    fs::remove_all(all[0].folder);
    const auto there = existingCheckpoints(cluster, all);
    ASSERT_EQ(there.size(), 1u);
    EXPECT_EQ(there[0].step, 9) << "the run had removed the older one";
    all.pop_back();
    EXPECT_THROW(existingCheckpoints(cluster, all), InputError);
}

}  // namespace
}  // namespace dailies::remote
