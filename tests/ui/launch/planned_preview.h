#pragma once

#include "tests/ui/wait_until.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/sweep_form.h"

#include <gtest/gtest.h>

#include <optional>

namespace dailies::ui {

inline remote::ClusterProfile someCluster() {
    remote::ClusterProfile profile;
    profile.name = "sandbox";
    profile.host = "127.0.0.1";
    profile.workspace = "/scratch/dailies";
    return profile;
}

/// Waits until the preview shows what the form holds.
inline void plan(LaunchPreview& preview, const SweepForm& form,
                 const std::optional<remote::slurm::ClusterFacts>& facts = {}) {
    preview.display(form.sweep(), someCluster(), someCluster().workspace, facts, form.problems());
    ASSERT_TRUE(waitUntil([&] { return preview.isSettled(); }));
}

}  // namespace dailies::ui
