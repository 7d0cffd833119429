// The tracking store for the interop tests' scripts: `interop_store write FILE` makes one with everything
// that could be read wrongly; `interop_store dump FILE` prints what a store holds, read-only, as one JSON
// document.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/judging/judgement_records.h"
#include "core/tracking/store.h"

#include <cmath>
#include <iostream>
#include <limits>

namespace {

using namespace dailies;
using tracking::Store;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class EventSource {
public:
    events::Event operator()(std::int64_t attempt, events::Payload payload) {
        ++m_seq;
        return {m_seq, attempt, 1'700'000'000.0 + 0.25 * static_cast<double>(m_seq), std::move(payload)};
    }

private:
    std::int64_t m_seq = 0;
};

tracking::Run aRun(const std::string& id, const std::string& name) {
    tracking::Run run;
    run.id = id;
    run.name = name;
    run.experiment = "moving-shapes";
    run.startMs = 1'700'000'000'000;
    return run;
}

void write(const std::filesystem::path& file) {
    Store store(file);
    const std::string longId(32, 'a'), oddId(32, 'b'), resumedId(32, 'c'), waitingId(32, 'd');

    tracking::Run longRun = aRun(longId, "lr=0.01");
    longRun.params = {
        {"optimizer.lr", "0.01"}, {"data.folder", ""}, {"sampling.prompts", std::string(7'000, 'p')}};
    store.createRun(longRun);
    EventSource event;
    std::vector<events::Event> batch = {
        event(1, events::Start{"0.1", "node1", 2, "12_0", 0, {{"parameters", 240'000}}})};
    for (int step = 1; step <= 5'000; ++step)
        batch.push_back(event(
            1, events::Metrics{
                   step, {{"loss", 1.0 / step + 1e-9 * std::sin(step)}, {"train/grad norm", step * 0.1}}}));
    batch.push_back(event(
        1, events::Clip{5'000, "red square left", 1, "clips/step-000005000/red-1.mp4", 8, 32, 32, 8.0, 1.0}));
    batch.push_back(event(1, events::End{"finished", 5'000, ""}));
    store.ingest(longId, batch, 1);
    // MLflow lists what lies in a run's artifact folder; its player is not under test, so any bytes do
    writeFileAtomically(file.string() + ".files/" + longId + "/clips/step-000005000/red-1.mp4", "clip");
    for (const int stars : {5, 4})  // the second one takes the first one's place
        judging::record(
            store,
            {{longId, "clips/step-000005000/red-1.mp4"}, "ana", 1'700'002'000'000, judging::Stars{stars}});

    tracking::Run odd = aRun(oddId, "прогон — 走る 🎬");
    odd.params = {{"prompt", "quote ' \" back\\slash\nline two"}};
    odd.tags = {{"mlflow.note.content", "# Заметка"}, {"broken", "bad \xff byte"}};
    store.createRun(odd);
    EventSource oddEvent;
    store.ingest(oddId,
                 {oddEvent(1, events::Metrics{0, {{"loss", std::nan("")}, {"a", kInfinity}}}),
                  oddEvent(1, events::Metrics{1, {{"loss", -kInfinity}, {"a", -0.0}}}),
                  oddEvent(1, events::Metrics{2, {{"loss", 1e-310}, {"a", 1e308}}}),
                  oddEvent(1, events::Metrics{3, {{"loss", std::nan("")}, {"a", 0.1 + 0.2}}}),
                  oddEvent(1, events::End{"failed", 3, "loss is not finite"})},
                 1);

    store.createRun(aRun(resumedId, "resumed"));
    EventSource resumed;
    batch = {resumed(1, events::Start{})};
    for (int step = 1; step <= 300; ++step)
        batch.push_back(resumed(1, events::Metrics{step, {{"loss", 1.0 * step}}}));
    batch.push_back(resumed(2, events::Start{}));
    batch.push_back(resumed(2, events::Resume{200}));
    for (int step = 201; step <= 250; ++step)
        batch.push_back(resumed(2, events::Metrics{step, {{"loss", -1.0 * step}}}));
    store.ingest(resumedId, batch, 1);

    store.createRun(aRun(waitingId, "waiting"));
}

Json dump(const std::filesystem::path& file) {
    const Store store(file, Store::Mode::ReadOnly);
    Json runs = Json::array();
    for (const auto& run : store.runs()) {
        Json metrics = Json::object(), latest = Json::object();
        for (const auto& key : store.metricKeys({run.id})) {
            Json& points = metrics[key] = Json::array();
            for (const auto& point : store.history(run.id, key))
                points.push_back({point.step, point.timestampMs, numberToJson(point.value)});
        }
        for (const auto& [key, point] : run.metrics)
            latest[key] = {point.step, point.timestampMs, numberToJson(point.value)};
        runs.push_back({{"id", run.id},
                        {"name", run.name},
                        {"experiment", run.experiment},
                        {"status", tracking::toText(run.status)},
                        {"start", run.startMs},
                        {"end", run.endMs ? Json(*run.endMs) : Json()},
                        {"params", run.params},
                        {"tags", run.tags},
                        {"metrics", metrics},
                        {"latest", latest}});
    }
    return {{"runs", runs}};
}

/// Opens a file of MLflow's own for writing: it gets Dailies' tables, its curves' copy, a tag and a point.
void adopt(const std::filesystem::path& file) {
    Store store(file);
    store.prepareCurves();
    for (const auto& run : store.runs()) {
        store.setTag(run.id, "adopted", "yes");
        EventSource event;
        store.ingest(run.id, {event(1, events::Metrics{7, {{"ours", 0.5}}})}, 1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string verb = argc == 3 ? argv[1] : "";
    if (verb != "write" && verb != "dump" && verb != "adopt") {
        std::cerr << "usage: interop_store write|dump|adopt FILE\n";
        return 2;
    }
    try {
        if (verb == "write")
            write(argv[2]);
        else if (verb == "adopt")
            adopt(argv[2]);
        else
            std::cout << dump(argv[2]).dump() << "\n";
    } catch (const Error& error) {
        std::cerr << error.full() << "\n";
        return 1;
    }
}
