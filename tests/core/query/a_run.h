#pragma once

#include "core/tracking/store.h"

#include <string>
#include <utility>
#include <vector>

namespace dailies::test {

/// A finished run with one metric, a few params and tags, for filters to find.
inline tracking::Run aRun(const std::string& id = "0123456789abcdef0123456789abcdef") {
    tracking::Run run;
    run.id = id;
    run.name = "lr=0.01";
    run.experiment = "moving-shapes";
    run.status = tracking::RunStatus::Finished;
    run.startMs = 1'700'000'000'000;
    run.endMs = 1'700'000'060'000;
    run.user = "ada";
    run.params = {{"optimizer.lr", "1e-2"},
                  {"optimizer.name", "AdamW"},
                  {"steps", "2000"},
                  {"data folder", "/data/a_b"}};
    run.metrics = {{"loss", {100, 0, 0.25}}, {"val/loss", {100, 0, 0.5}}};
    run.tags = {{"dailies.sweep_name", "lr sweep"}, {"dailies.task", "3"}, {"mlflow.runName", "lr=0.01"}};
    return run;
}

}  // namespace dailies::test
