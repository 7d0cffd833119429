#pragma once

#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Models that make clips of images: a folder for the encoders beside them, pictures of one brightness, and
/// runs sampled again.
class ImageToVideoTest : public testing::Test {
protected:
    ImageToVideoTest(int width, int height, std::string prompt)
        : m_width(width), m_height(height), m_prompt(std::move(prompt)) {}

    std::string picture(const char* name, std::uint8_t value) const {
        const auto path = file(name);
        const auto bytes = static_cast<std::size_t>(m_width) * static_cast<std::size_t>(m_height) * 3;
        video::writeClip(path, {{m_width, m_height, std::vector<std::uint8_t>(bytes, value)}}, {.fps = 8});
        return path;
    }
    std::string file(const char* name) const { return (models.path() / name).string(); }
    /// The exit status of sampling the run's newest checkpoint into a folder.
    int sample(const char* into, const TrainingRun& run, const std::vector<std::string>& words) const {
        std::filesystem::create_directories(file(into));
        const auto checkpoint = run.path() / run.all<events::Checkpoint>().back().path;
        std::vector<std::string> all = {
            "sample",  "--run-dir", file(into), "--checkpoint", checkpoint.string(),
            "--steps", "2",         "--prompt", m_prompt};
        all.insert(all.end(), words.begin(), words.end());
        return TrainerProcess(all, file("output.txt")).wait();
    }
    std::string output() const { return readFile(file("output.txt")); }
    std::filesystem::path clipOf(const char* into) const {
        auto name = m_prompt;
        std::ranges::replace(name, ' ', '-');
        return models.path() / into / "clips/step-000000012" / (name + "-1.mp4");
    }

    TemporaryFolder models;

private:
    int m_width, m_height;
    std::string m_prompt;
};

}  // namespace dailies::trainer
