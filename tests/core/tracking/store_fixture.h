#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/tracking/store.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dailies::tracking {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What `work` fails with, its remedy included.
inline std::string messageOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.full();
    }
    return "nothing was thrown";
}

inline Run aRun(const std::string& name = "lr=0.01") {
    Run run;
    run.id = newId();
    run.name = name;
    run.experiment = "moving-shapes";
    run.startMs = 1'000;
    run.params = {{"optimizer.lr", "0.01"}};
    run.tags = {{tag::kCluster, "sandbox"}};
    return run;
}

/// A folder for a store, and short words for its events.
class StoreTest : public testing::Test {
protected:
    std::filesystem::path file() const { return m_folder.path() / "dailies.db"; }

    events::Event at(std::int64_t attempt, events::Payload payload) {
        ++m_seq;
        return {m_seq, attempt, 1'700'000'000.0 + static_cast<double>(m_seq), std::move(payload)};
    }
    events::Event metrics(std::int64_t attempt, std::int64_t step, std::map<std::string, double> values) {
        return at(attempt, events::Metrics{step, std::move(values)});
    }
    events::Event clip(std::int64_t attempt, std::int64_t step,
                       const std::string& prompt = "red square left") {
        const std::string folder = "clips/step-" + std::to_string(step) + "/";
        return at(attempt, events::Clip{step, prompt, 1, folder + prompt + ".mp4", 8, 32, 32, 8.0, 0.5});
    }

    TemporaryFolder m_folder{"store"};
    std::int64_t m_seq = 0;
};

inline std::vector<std::int64_t> steps(const std::vector<MetricPoint>& points) {
    std::vector<std::int64_t> found;
    for (const auto& point : points) found.push_back(point.step);
    return found;
}

}  // namespace dailies::tracking
