#include "tests/support/demo_store.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/tracking/store.h"
#include "core/video/clip_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <tuple>

namespace dailies::test {

namespace {

constexpr std::int64_t kLogEvery = 10;
constexpr double kMillisPerStep = 150;
const std::vector<std::string> kPrompts{"red square right", "blue circle down",   "green triangle left",
                                        "white circle up",  "yellow square down", "magenta triangle right"};

struct Rgb {
    double r, g, b;
};

Rgb colourOf(const std::string& name) {
    if (name == "red") return {0.93, 0.27, 0.27};
    if (name == "blue") return {0.25, 0.5, 0.98};
    if (name == "green") return {0.2, 0.8, 0.4};
    if (name == "yellow") return {0.98, 0.8, 0.2};
    if (name == "magenta") return {0.85, 0.3, 0.9};
    return {0.95, 0.95, 0.95};
}

/// How deep inside the shape a point is, 0 at its edge; `radius` is half its extent.
double inside(const std::string& shape, double x, double y, double radius) {
    if (shape == "square") return radius * 0.85 - std::max(std::abs(x), std::abs(y));
    if (shape == "triangle") return std::min(radius * 0.75 - y, (y + radius) * 0.5 - std::abs(x));
    return radius - std::hypot(x, y);
}

/// A number in [0, 1) that depends on nothing but its arguments.
double noise(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (h ^ h >> 15) / 4294967296.0;
}

struct DemoRun {
    std::string id;
    std::string name;
    double learningRate;
    double skill;  ///< the quality that it reaches
    double speed;  ///< how fast
    std::int64_t lastStep;

    double quality(std::int64_t step) const {
        return skill * (1 - std::exp(-speed * static_cast<double>(step) / 400));
    }
};

std::vector<DemoRun> demoRuns(const DemoOptions& options) {
    const std::int64_t steps = std::max(options.samples, 1) * std::int64_t{options.sampleEvery};
    std::vector<DemoRun> runs;
    for (int i = 0; i < options.runs; ++i) {
        const double place = options.runs == 1 ? 0.3 : static_cast<double>(i) / (options.runs - 1);
        char rounded[32];  // two digits, as people choose learning rates
        std::snprintf(rounded, sizeof rounded, "%.1e", 3e-4 * std::pow(150.0, place));
        const double learningRate = std::strtod(rounded, nullptr);
        std::string id;
        for (std::uint32_t word = 0; word < 4; ++word) {
            char hex[9];
            std::snprintf(hex, sizeof hex, "%08x", static_cast<unsigned>(noise(i + 1, word, 5) * 0xffffffff));
            id += hex;
        }
        const double distance = std::abs(place - 0.33);
        runs.push_back({id, "lr=" + shortNumber(learningRate), learningRate,
                        std::max(0.05, 1.0 - 2.7 * distance * distance), 1.6 - distance, steps});
    }
    return runs;
}

std::vector<video::Frame> clipFrames(const std::string& prompt, const DemoOptions& options, double quality,
                                     std::uint32_t seed) {
    std::vector<video::Frame> frames;
    for (int f = 0; f < options.frames; ++f)
        frames.push_back({options.size, options.size,
                          shapePicture(prompt, f, options.frames, options.size, quality, seed)});
    return frames;
}

}  // namespace

std::vector<std::uint8_t> shapePicture(const std::string& prompt, int frame, int frames, int size,
                                       double quality, std::uint32_t noiseSeed) {
    const auto words = split(prompt, ' ');
    const Rgb colour = colourOf(words.at(0));
    const std::string& shape = words.at(1);
    const std::string& direction = words.at(2);
    const double path = (static_cast<double>(frame) / std::max(frames - 1, 1) - 0.5) * 0.5 * size;
    const double dx = direction == "right" ? path : direction == "left" ? -path : 0;
    const double dy = direction == "down" ? path : direction == "up" ? -path : 0;
    const double softness = 1 + 5 * (1 - quality);

    std::vector<std::uint8_t> rgb;
    rgb.reserve(std::size_t{3} * size * size);
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            const double depth =
                inside(shape, x + 0.5 - size / 2.0 - dx, y + 0.5 - size / 2.0 - dy, size * 0.22) / softness;
            const double cover = std::clamp(depth + 0.5, 0.0, 1.0) * std::clamp(quality * 1.3, 0.0, 1.0);
            const auto mix = [&](double channel, std::uint32_t salt) {
                const double speckle = noise(noiseSeed * 31 + frame, y * 4096u + x, salt);
                const double value =
                    cover * channel + (1 - cover) * 0.09 + (speckle - 0.5) * 0.9 * (1 - quality);
                return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
            };
            rgb.insert(rgb.end(), {mix(colour.r, 1), mix(colour.g, 2), mix(colour.b, 3)});
        }
    }
    return rgb;
}

namespace {

/// A clip is encoded once a process: tests make the same store again and again, and encoding is most of the
/// time that it takes. Returns the path written, as `video::writeClip` does.
std::filesystem::path writeDemoClip(const std::filesystem::path& file, const std::string& prompt,
                                    const DemoOptions& options, double quality, std::uint32_t seed) {
    struct Encoded {
        std::string suffix, bytes;
    };
    using Key = std::tuple<std::string, int, int, int, double, double, std::uint32_t>;
    static std::map<Key, Encoded> encodedClips;
    const auto [at, isNew] = encodedClips.try_emplace(
        {prompt, options.frames, options.size, options.scale, options.fps, quality, seed});
    auto& encoded = at->second;
    if (isNew) {
        const auto written = video::writeClip(file, clipFrames(prompt, options, quality, seed),
                                              {.fps = options.fps, .scale = options.scale});
        encoded = {written.string().substr(file.string().size()), readFile(written)};
        return written;
    }
    const std::filesystem::path again = file.string() + encoded.suffix;
    std::ofstream(again, std::ios::binary) << encoded.bytes;
    return again;
}

/// Writes the events of one run into the store, and its clips beside it.
class RunWriter {
public:
    RunWriter(tracking::Store& store, const DemoRun& run, const DemoOptions& options,
              std::filesystem::path folder)
        : m_store(store), m_run(run), m_options(options), m_folder(std::move(folder)) {}

    void start(int job) {
        m_job = "42_" + std::to_string(job);
        events::Start start;
        start.trainer = "0.1.0";
        start.host = "node1";
        start.job = m_job;
        start.facts = Json{{"parameters", 238'000}, {"device", "cpu"}, {"torch", "2.13.0"}};
        add(0, start);
        putAttempt("RUNNING", 0);
    }

    /// Metrics up to `lastStep` and the clips on the way; those of the last `missing` samplings have not
    /// arrived.
    void train(std::int64_t lastStep, int missing = 0) {
        for (std::int64_t step = kLogEvery; step <= lastStep; step += kLogEvery) {
            const double wobble = noise(seed(), static_cast<std::uint32_t>(step), 9) - 0.5;
            const double loss = 0.08 + 0.9 * std::exp(-static_cast<double>(step) / 180) +
                                0.5 * (1 - m_run.quality(step)) + 0.06 * wobble;
            std::map<std::string, double> values{
                {"loss", loss},
                {"lr", m_run.learningRate * std::min(1.0, static_cast<double>(step) / 100)},
                {"grad_norm", 0.4 + 2 * loss + 0.3 * wobble},
                {"samples_per_second", 210 + 12 * wobble}};
            if (m_options.samples > 0 && step % m_options.sampleEvery == 0)
                values["adherence"] = meanAdherence(step);
            add(step, events::Metrics{step, values});
            if (m_options.samples > 0 && step % m_options.sampleEvery == 0)
                sample(step, step > lastStep - std::int64_t{missing} * m_options.sampleEvery);
        }
    }

    void say(const std::string& level, const std::string& text) {
        add(m_lastStep, events::Message{level, text});
    }

    void end(const std::string& status, const std::string& reason = {}) {
        add(m_lastStep, events::Checkpoint{m_lastStep, "checkpoints/step-" + padded(m_lastStep), 2'900'000});
        add(m_lastStep, events::End{status, m_lastStep, reason});
        putAttempt(status == "finished" ? "COMPLETED" : "FAILED", millisAt(m_lastStep));
    }

    void commit() {
        m_store.ingest(m_run.id, m_events, static_cast<std::int64_t>(m_events.size()) * 100);
        for (const auto& [path, local] : m_arrived) m_store.setClipLocalPath(m_run.id, path, local.string());
    }

    /// Damages the newest clip of the run, as a broken transfer would.
    void damageNewestClip() { writeFileAtomically(m_arrived.back().second, "not a video any more"); }

private:
    void putAttempt(const std::string& state, std::int64_t endMs) {
        tracking::Attempt attempt;
        attempt.runId = m_run.id;
        attempt.job = m_job;
        attempt.state = state;
        attempt.node = "node1";
        attempt.startMs = m_options.startMs;
        attempt.endMs = endMs;
        m_store.putAttempt(attempt);
    }

    std::uint32_t seed() const { return static_cast<std::uint32_t>(m_run.learningRate * 1e7); }
    std::int64_t millisAt(std::int64_t step) const {
        return m_options.startMs + static_cast<std::int64_t>(kMillisPerStep * static_cast<double>(step));
    }
    static std::string padded(std::int64_t step) {
        char text[32];
        std::snprintf(text, sizeof text, "%09lld", static_cast<long long>(step));
        return text;
    }

    double promptQuality(std::int64_t step, int prompt) const {
        return std::clamp(m_run.quality(step) * (1 - 0.08 * prompt), 0.0, 1.0);
    }
    double adherence(std::int64_t step, int prompt) const {
        return std::round(std::min(1.0, promptQuality(step, prompt) * 1.25) * 3) /
               3;  // colour, shape, direction
    }
    double meanAdherence(std::int64_t step) const {
        double sum = 0;
        for (int p = 0; p < m_options.prompts; ++p) sum += adherence(step, p);
        return sum / m_options.prompts;
    }

    void sample(std::int64_t step, bool missing) {
        for (int p = 0; p < m_options.prompts; ++p) {
            const std::string& prompt = kPrompts[static_cast<std::size_t>(p)];
            std::string name = prompt;
            std::replace(name.begin(), name.end(), ' ', '-');
            events::Clip clip;
            clip.step = step;
            clip.prompt = prompt;
            clip.seed = 1234;
            clip.fps = m_options.fps;
            clip.path = "clips/step-" + padded(step) + "/" + name + "-1234.mp4";
            clip.frames = m_options.frames;
            clip.width = clip.height = std::int64_t{m_options.size} * m_options.scale;
            clip.adherence = adherence(step, p);
            add(step, clip);
            if (missing) continue;
            const auto file = m_folder / m_run.id / clip.path;
            std::filesystem::create_directories(file.parent_path());
            m_arrived.emplace_back(clip.path, writeDemoClip(file, prompt, m_options, promptQuality(step, p),
                                                            seed() + static_cast<std::uint32_t>(p)));
        }
    }

    void add(std::int64_t step, events::Payload payload) {
        m_lastStep = step;
        const auto seq = static_cast<std::int64_t>(m_events.size()) + 1;
        m_events.push_back({seq, 1, static_cast<double>(millisAt(step)) / 1000, std::move(payload)});
    }

    tracking::Store& m_store;
    const DemoRun& m_run;
    const DemoOptions& m_options;
    std::filesystem::path m_folder;
    std::string m_job;
    std::vector<events::Event> m_events;
    std::vector<std::pair<std::string, std::filesystem::path>> m_arrived;
    std::int64_t m_lastStep = 0;
};

tracking::Run record(const DemoRun& run, const DemoOptions& options, const std::string& sweepId,
                     std::int64_t experiment) {
    tracking::Run result;
    result.id = run.id;
    result.name = run.name;
    result.experimentId = experiment;
    result.experiment = "moving-shapes";
    result.startMs = options.startMs;
    result.params = {{"optimizer.lr", shortNumber(run.learningRate)},
                     {"model.family", "dit"},
                     {"steps", std::to_string(run.lastStep)},
                     {"seed", "1"}};
    result.tags = {{tracking::tag::kSweep, sweepId},
                   {tracking::tag::kSweepName, "shapes-lr"},
                   {tracking::tag::kCluster, "sandbox"},
                   {tracking::tag::kSlurmState, "PENDING"}};
    return result;
}

std::string sweepYaml(const std::vector<DemoRun>& runs) {
    std::vector<std::string> values;
    for (const DemoRun& run : runs) values.push_back(shortNumber(run.learningRate));
    return "name: shapes-lr\nexperiment: moving-shapes\nmethod: grid\nmetric: {name: adherence, goal: "
           "maximize}\n"
           "parameters:\n  optimizer.lr: {values: [" +
           join(values, ", ") + "]}\n";
}

}  // namespace

DemoStore makeDemoStore(const std::filesystem::path& folder, const DemoOptions& options) {
    const std::vector<DemoRun> runs = demoRuns(options);
    DemoStore demo{folder / "dailies.db", "5eeb" + std::string(28, '0'), {}};
    tracking::Store store(demo.file);
    const std::int64_t experiment = store.ensureExperiment("moving-shapes");

    std::vector<tracking::Run> records;
    for (const DemoRun& run : runs) {
        records.push_back(record(run, options, demo.sweepId, experiment));
        demo.runIds.push_back(run.id);
    }
    tracking::SweepRecord sweep;
    sweep.id = demo.sweepId;
    sweep.name = "shapes-lr";
    sweep.cluster = "sandbox";
    sweep.experimentId = experiment;
    sweep.yaml = sweepYaml(runs);
    sweep.script = "#!/bin/bash\nsrun dailies-train train --config config.json\n";
    sweep.createdMs = options.startMs;
    store.createSweep(sweep, records);
    store.setSweepJob(demo.sweepId, "42");

    const int last = static_cast<int>(runs.size()) - 1;
    for (int i = 0; i <= last; ++i) {
        const bool waits = options.mixedStates && i == 0 && last >= 3;
        const bool fails = options.mixedStates && i == last && last >= 1;
        const bool goesOn = options.mixedStates && i == (last + 1) / 2;
        if (waits) {
            store.setTag(runs[0].id, tracking::tag::kReason,
                         "Waiting for its turn: two runs at once (JobArrayTaskLimit).");
            continue;
        }
        RunWriter writer(store, runs[static_cast<std::size_t>(i)], options, folder / "mirror");
        writer.start(i);
        const std::int64_t steps = runs[static_cast<std::size_t>(i)].lastStep;
        const std::int64_t half = steps / 2 / options.sampleEvery * options.sampleEvery;
        if (goesOn) {
            writer.train(half, 1);
        } else if (fails) {
            writer.train(half);
            writer.say("warning",
                       "loss is not finite at step " + std::to_string(half) + "; the update was skipped");
            writer.end("failed", "The loss stayed non-finite for 20 steps. Lower optimizer.lr.");
            if (options.samples > 1) writer.damageNewestClip();
        } else {
            writer.train(steps);
            writer.say("info", "saved the final checkpoint");
            writer.end("finished");
        }
        writer.commit();
    }
    return demo;
}

}  // namespace dailies::test
