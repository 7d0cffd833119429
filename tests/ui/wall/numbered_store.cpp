#include "tests/ui/wall/numbered_store.h"

#include "core/base/text.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"

namespace dailies::ui {

namespace {

const std::vector<std::string> kPrompts{"a cat", "a dog"};

std::string clipPath(int prompt, int step) {
    return "clips/step-" + std::to_string(step) + "/" + std::to_string(prompt) + ".mp4";
}

void addClip(tracking::Store& store, const NumberedStore& numbered, int run, int prompt, int step,
             int firstNumber, std::int64_t seq) {
    const std::string& id = numbered.runIds[static_cast<std::size_t>(run)];
    std::vector<video::Frame> frames;
    for (int frame = 0; frame < NumberedStore::kFrames; ++frame)
        frames.push_back(video::numberedFrame(firstNumber + frame, 64, 64));
    const auto file = clipFile(numbered, run, prompt, step);
    video::writeClip(file, frames, {.fps = 24});

    events::Clip clip;
    clip.step = step;
    clip.prompt = kPrompts[static_cast<std::size_t>(prompt)];
    clip.seed = 7;
    clip.path = clipPath(prompt, step);
    clip.frames = NumberedStore::kFrames;
    clip.width = clip.height = 64;
    clip.fps = 24;
    clip.adherence = run == 0 ? 0.25 : 1;
    store.ingest(id, {events::Event{seq, 1, 1000, clip}}, seq);
    store.setClipLocalPath(id, clip.path, file.string());
}

}  // namespace

std::filesystem::path clipFile(const NumberedStore& store, int run, int prompt, int step) {
    return store.file.parent_path() / store.runIds[static_cast<std::size_t>(run)] / clipPath(prompt, step);
}

NumberedStore makeNumberedStore(const std::filesystem::path& folder, int lastStepOfSecondRun) {
    NumberedStore numbered{folder / "dailies.db", {std::string(32, 'a'), std::string(32, 'b')}};
    tracking::Store store(numbered.file);
    tracking::SweepRecord sweep;
    sweep.id = std::string(32, 'c');
    sweep.name = "numbers";
    sweep.experimentId = store.ensureExperiment("numbers");
    sweep.yaml =
        "name: numbers\nmethod: grid\nmetric: {name: loss, goal: minimize}\n"
        "parameters:\n  optimizer.lr: {values: [0.001, 0.01]}\n";
    sweep.createdMs = 1000;
    std::vector<tracking::Run> runs(2);
    for (std::size_t run = 0; run < 2; ++run) {
        runs[run].id = numbered.runIds[run];
        runs[run].name = run == 0 ? "lr=0.001" : "lr=0.01";
        runs[run].experimentId = sweep.experimentId;
        runs[run].params = {{"optimizer.lr", run == 0 ? "0.001" : "0.01"},
                            {"steps", "400"},
                            {"model.init", "/workspace/runs/" + runs[run].id + "/init"}};
        runs[run].tags = {{tracking::tag::kSweep, sweep.id}};
        runs[run].startMs = 1000;
    }
    store.createSweep(sweep, runs);

    for (int run = 0; run < 2; ++run) {
        std::int64_t seq = 1;
        const double loss = run == 0 ? 0.5 : 0.1;  // the second is the better
        store.ingest(
            numbered.runIds[static_cast<std::size_t>(run)],
            {events::Event{seq, 1, 1000, events::Metrics{300, {{"loss", loss}, {"adherence", 1 - loss}}}}},
            seq);
        for (int prompt = 0; prompt < 2; ++prompt)
            for (int step = 0; step < 3; ++step)
                if (run == 0 || NumberedStore::kSteps[step] <= lastStepOfSecondRun)
                    addClip(store, numbered, run, prompt, NumberedStore::kSteps[step],
                            NumberedStore::numberOf(run, prompt, step, 0), ++seq);
    }
    return numbered;
}

void addClipOf(const NumberedStore& numbered, const std::string& runId, const std::string& prompt) {
    tracking::Store store(numbered.file);
    events::Clip clip;
    clip.step = 300;
    clip.prompt = prompt;
    clip.seed = 7;
    clip.path = clipPath(0, 300);
    clip.frames = NumberedStore::kFrames;
    clip.width = clip.height = 64;
    clip.fps = 24;
    const auto seq = store.ingestState(runId).lastSeq + 1;
    store.ingest(runId, {events::Event{seq, 1, 1000, clip}}, seq);
    store.setClipLocalPath(runId, clip.path, clipFile(numbered, 0, 0, 300).string());
}

void addResample(const NumberedStore& numbered, int run, char id,
                 const std::map<std::string, std::string>& params, int step) {
    tracking::Store store(numbered.file);
    tracking::Run resample;
    resample.id = std::string(32, id);
    resample.name = "resample";
    resample.experimentId = store.ensureExperiment("numbers");
    resample.startMs = 2000;
    for (const auto& [key, value] : params) resample.params[key] = value;
    resample.tags = {{tracking::tag::kSampledRun, numbered.runIds[static_cast<std::size_t>(run)]},
                     {tracking::tag::kSampledStep, std::to_string(step)}};
    store.createRun(resample);
    NumberedStore added{numbered.file, {resample.id}};
    for (int prompt = 0; prompt < 2; ++prompt)
        addClip(store, added, 0, prompt, step, 210 + prompt * 4, prompt + 1);
}

void addLaterClips(const NumberedStore& numbered, const std::vector<int>& runs) {
    tracking::Store store(numbered.file);
    for (const int run : runs)
        for (int prompt = 0; prompt < 2; ++prompt)
            addClip(store, numbered, run, prompt, 400, 200 + run * 8 + prompt * 4,
                    store.ingestState(numbered.runIds[static_cast<std::size_t>(run)]).lastSeq + 1);
}

}  // namespace dailies::ui
