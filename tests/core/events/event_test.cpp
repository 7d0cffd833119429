#include "core/events/event.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace dailies::events {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Through the codec and back; the line must be one line.
Event roundTrip(const Event& event) {
    const std::string line = encode(event);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    auto read = decode(line);
    EXPECT_TRUE(read) << line;
    return read ? *read : Event{};
}

const std::vector<std::string> kHostileTexts = {"",
                                                "plain",
                                                "two\nlines\r\n",
                                                "\"quoted\" \\ backslash",
                                                std::string("nul \0 inside", 12),
                                                "\x1b[31mred",
                                                "日本語 🎬",
                                                "</script>",
                                                "{\"seq\":9}",
                                                std::string(100'000, 'x')};

TEST(Event, EveryTypeComesBackAsItWas) {
    const auto start = roundTrip({1, 2, 1.5, Start{"0.1", "node1", 4, "12_3", 1, {{"parameters", 240'000}}}});
    EXPECT_EQ(start.seq, 1);
    EXPECT_EQ(start.attempt, 2);
    EXPECT_EQ(start.time, 1.5);
    EXPECT_EQ(std::get<Start>(start.payload).job, "12_3");
    EXPECT_EQ(std::get<Start>(start.payload).ranks, 4);
    EXPECT_EQ(std::get<Start>(start.payload).restarts, 1);
    EXPECT_EQ(std::get<Start>(start.payload).facts["parameters"], 240'000);

    EXPECT_EQ(std::get<Resume>(roundTrip({1, 1, 0, Resume{300}}).payload).fromStep, 300);

    Certificate certificate;
    certificate.proven = true;
    certificate.lossError = 2e-8;
    certificate.gradientError = std::numeric_limits<double>::infinity();
    certificate.weight = "blocks.1.qkv.weight";
    certificate.lossTolerance = certificate.gradientTolerance = 1e-5;
    certificate.ranks = 4;
    certificate.layout = "dp 2 × cp 2 (Ulysses 2), zero3 over 4 ranks";
    certificate.recompute = "full";
    certificate.precision = "fp32";
    certificate.blocks = 2;
    certificate.clips = 8;
    certificate.seconds = 1.75;
    EXPECT_EQ(std::get<Certificate>(roundTrip({1, 1, 0, certificate}).payload), certificate);

    const auto clip = std::get<Clip>(
        roundTrip({1, 1, 0, Clip{400, "red square", 7, "clips/a.mp4", 8, 32, 64, 8.5, 0.75}}).payload);
    EXPECT_EQ(clip.step, 400);
    EXPECT_EQ(clip.seed, 7);
    EXPECT_EQ(clip.path, "clips/a.mp4");
    EXPECT_EQ(clip.frames, 8);
    EXPECT_EQ(clip.height, 32);
    EXPECT_EQ(clip.width, 64);
    EXPECT_EQ(clip.fps, 8.5);
    EXPECT_EQ(clip.adherence, 0.75);
    EXPECT_FALSE(std::get<Clip>(roundTrip({1, 1, 0, Clip{}}).payload).adherence);
    Clip made;
    made.inputs = {{"reference", "clips/inputs/a.mp4"}};
    made.perFrame = {{"flicker", {std::nan(""), 0.25}}};
    const auto read = std::get<Clip>(roundTrip({1, 1, 0, made}).payload);
    EXPECT_EQ(read.inputs, made.inputs);
    EXPECT_TRUE(std::isnan(read.perFrame.at("flicker").at(0)));
    EXPECT_EQ(read.perFrame.at("flicker").at(1), 0.25);

    const auto score = std::get<Score>(
        roundTrip({1, 1, 0, Score{"run", 5, "clips/a.mp4", "clip", {{"score/clip", 0.5}}, "too short"}})
            .payload);
    EXPECT_EQ(score.run, "run");
    EXPECT_EQ(score.step, 5);
    EXPECT_EQ(score.path, "clips/a.mp4");
    EXPECT_EQ(score.scorer, "clip");
    EXPECT_EQ(score.values.at("score/clip"), 0.5);
    EXPECT_EQ(score.problem, "too short");

    EXPECT_EQ(std::get<Checkpoint>(roundTrip({1, 1, 0, Checkpoint{5, "p", 99}}).payload).bytes, 99);
    EXPECT_EQ(std::get<Health>(roundTrip({1, 1, 0, Health{"disk_full", "t", 5}}).payload).step, 5);
    EXPECT_FALSE(std::get<Health>(roundTrip({1, 1, 0, Health{"disk_full", "t", {}}}).payload).step);
    EXPECT_EQ(std::get<Message>(roundTrip({1, 1, 0, Message{"warning", "t"}}).payload).level, "warning");
    EXPECT_EQ(std::get<End>(roundTrip({1, 1, 0, End{"stopped", 9, "why"}}).payload).reason, "why");
}

TEST(Certificate, IsOneLineThatSaysHowFarTheLayoutIsFromOneProcess) {
    Certificate certificate;
    certificate.proven = true;
    certificate.lossError = 2.3e-8;
    certificate.gradientError = 3e-12;
    certificate.weight = "blocks.1.qkv.weight";
    certificate.lossTolerance = certificate.gradientTolerance = 1e-5;
    certificate.ranks = 4;
    certificate.layout = "dp 2 × cp 2 (Ulysses 2), zero3 over 4 ranks";
    certificate.recompute = "none";
    certificate.precision = "fp32";
    certificate.blocks = 2;
    certificate.clips = 8;
    certificate.seconds = 1.75;
    EXPECT_EQ(
        textOf(certificate),
        "Layout verified: loss 2e-8, gradients 3e-12 of one process, 4 ranks, dp 2 × cp 2 (Ulysses 2), zero3 "
        "over 4 ranks, 1.8 s");
    certificate.proven = false;
    certificate.recompute = "full";
    certificate.lossError = 0;
    certificate.gradientError = 0.51;
    EXPECT_EQ(textOf(certificate),
              "Layout verification failed: loss 0, gradients 0.51 (blocks.1.qkv.weight) of one process, 4 "
              "ranks, dp 2 × cp 2 "
              "(Ulysses 2), zero3 over 4 ranks, recompute full, 1.8 s");
    EXPECT_NE(detailsOf(certificate)
                  .find("gradient of blocks.1.qkv.weight, which is furthest off, by 0.51 of its "
                        "norm (up to 1e-5)"),
              std::string::npos)
        << detailsOf(certificate);
}

TEST(Event, MetricsKeepEveryBitOfTheirValues) {
    std::mt19937_64 random(9);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 2'000; ++i) {
        const double value = normal(random) * std::pow(10.0, static_cast<double>(i % 600 - 300));
        const auto read = std::get<Metrics>(roundTrip({1, 1, 0, Metrics{i, {{"loss", value}}}}).payload);
        ASSERT_EQ(read.values.at("loss"), value);
    }
    const auto read = std::get<Metrics>(
        roundTrip({1, 1, 0, Metrics{1, {{"a", std::nan("")}, {"b", kInfinity}, {"c", -kInfinity}}}}).payload);
    EXPECT_TRUE(std::isnan(read.values.at("a")));
    EXPECT_EQ(read.values.at("b"), kInfinity);
    EXPECT_EQ(read.values.at("c"), -kInfinity);
}

TEST(Event, HostileTextsComeBackAsTheyWere) {
    for (const auto& text : kHostileTexts) {
        EXPECT_EQ(std::get<Message>(roundTrip({1, 1, 0, Message{"info", text}}).payload).text, text);
        EXPECT_EQ(
            std::get<Clip>(roundTrip({1, 1, 0, Clip{1, text, 1, text, 8, 32, 32, 8.0, {}}}).payload).prompt,
            text);
        EXPECT_EQ(
            std::get<Metrics>(roundTrip({1, 1, 0, Metrics{1, {{text, 1.0}}}}).payload).values.count(text),
            1u);
    }
}

TEST(Event, ABadByteInATextDoesNotLoseTheEvent) {
    EXPECT_EQ(std::get<Message>(roundTrip({1, 1, 0,
                                           Message{"info",
                                                   "a\xff"
                                                   "b"}})
                                    .payload)
                  .text,
              "a\xef\xbf\xbd"
              "b");
}

TEST(Event, WhatANewerTrainerAddsIsPassedOver) {
    EXPECT_FALSE(decode(R"({"seq":1,"attempt":1,"time":0,"type":"hologram","depth":3})"));
    EXPECT_EQ(
        std::get<Resume>(
            decode(R"({"seq":1,"attempt":1,"time":0,"type":"resume","from_step":5,"mood":"good"})")->payload)
            .fromStep,
        5);
}

TEST(Event, WhatIsNoEventIsRefused) {
    for (const char* line :
         {"", "{", "null", "[]", "5", "{}", R"({"type":"resume","from_step":5})",
          R"({"seq":1,"attempt":1,"time":0,"type":5})", R"({"seq":1,"attempt":1,"time":0,"type":"resume"})",
          R"({"seq":1,"attempt":1,"time":0,"type":"resume","from_step":"five"})",
          R"({"seq":1,"attempt":1,"time":0,"type":"metrics","step":1,"values":{"loss":"high"}})",
          R"({"seq":1,"attempt":1,"time":0,"type":"metrics","step":1,"values":{"loss":null}})",
          R"({"seq":1,"attempt":1,"time":0,"type":"start","job":7})"})
        EXPECT_THROW(decode(line), InputError) << line;
}

TEST(Event, EveryPieceOfALineIsRefusedAndNeverMisread) {
    const std::string line = encode({12, 1, 1e9, Metrics{100, {{"loss", 0.123456789}, {"lr", 1e-4}}}});
    for (std::size_t length = 0; length < line.size(); ++length)
        EXPECT_THROW(decode(std::string_view(line).substr(0, length)), InputError) << length;
}

}  // namespace
}  // namespace dailies::events
