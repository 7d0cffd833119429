#include "core/log/redactor.h"

#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace dailies::log {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(RedactorTest, SecretsAreTakenOut) {
    const Redactor redact{std::vector<std::string>()};
    struct Case {
        std::string text, secret, rest;
    };
    const std::string slack = "T0000CANARY/B0000CANARY/XXXXcanaryXXXX";
    for (const auto& [text, secret, rest] : std::vector<Case>{
             {"posting to https://hooks.slack.com/services/" + slack + " failed", slack, "hooks.slack.com"},
             {"https://discord.com/api/webhooks/123456789/canary-Token_1", "canary-Token_1", "discord.com"},
             {"https://lab.webhook.office.com/webhookb2/aa-bb/canary", "canary", "office.com"},
             {"https://chat.example.org/hooks/canary123", "canary123", "chat.example.org"},
             {"https://api.telegram.org/bot123456:canary/sendMessage", "canary", "api.telegram.org"},
             {"https://user:canary@mlflow.example.org/x", "canary", "mlflow.example.org/x"},
             {"http://host/x?token=canary&y=1", "canary", "y=1"},
             {"HF_TOKEN=canary-value python", "canary-value", "python"},
             {"export WANDB_API_KEY='canary value' MASTER_PORT=1", "canary value", "MASTER_PORT=1"},
             {R"({"password": "canary", "name": "x"})", "canary", R"("name": "x")"},
             {"dailies publish --token canary --to x", "canary", "--to x"},
             {"Authorization: Bearer canary", "canary", "Authorization"},
             {"clone with hf_abcdefghijklmnopqrstuv here", "hf_abcdefghijklmnopqrstuv", "here"},
             {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abc", "***"},
             {"AWS AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE", "AWS"},
             {"key:\n-----BEGIN OPENSSH PRIVATE KEY-----\nY2FuYXJ5\n-----END OPENSSH PRIVATE KEY-----\nafter",
              "Y2FuYXJ5", "after"},
             {"-----BEGIN RSA PRIVATE KEY-----\nY2FuYXJ5", "Y2FuYXJ5", "***"},
             {"cat: b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHI", "AAAAACmFlczI1Ni1jdHI", "cat"},
         }) {
        EXPECT_THAT(redact(text), Not(HasSubstr(secret))) << text;
        EXPECT_THAT(redact(text), HasSubstr(rest)) << text;
    }
}

TEST(RedactorTest, WhatIsNoSecretStays) {
    const Redactor redact{std::vector<std::string>()};
    for (const std::string text :
         {"connected to lab by publickey in 0.2 s", "data.max_tokens=512 tokenizer: causal-vae",
          "Password for me@login.example.org", "the key /home/me/.ssh/id_ed25519 is not used",
          "https://mlflow.example.org:5000/api/2.0/mlflow/runs/search?max_results=10",
          "SHA256:uNiVztksCsDhcc0u9e8BrrQXVUpKZIDTMczCvj3tD2s", "sbatch: job 4711 is sweep 2ad6b61c",
          "ssh -o ControlPath=none -J jump@host lab"})
        EXPECT_EQ(redact(text), text);
}

TEST(RedactorTest, TheValuesOfThisProcesssSecretVariablesAreHiddenEverywhere) {
    ::setenv("CANARY_API_TOKEN", "plain words", 1);
    ::setenv("CANARY_TOKEN_PATH", "/home/me/token", 1);
    ::setenv("CANARY_SECRET", "1", 1);
    const auto secrets = secretsOfEnvironment();
    EXPECT_THAT(secrets, Contains("plain words"));
    EXPECT_THAT(secrets, Not(Contains("/home/me/token")));
    EXPECT_THAT(secrets, Not(Contains("1")));
    EXPECT_EQ(Redactor(secrets)("it said plain words, 1."), "it said ***, 1.");
    for (const auto* name : {"CANARY_API_TOKEN", "CANARY_TOKEN_PATH", "CANARY_SECRET"}) ::unsetenv(name);
}

TEST(RedactorTest, NoTextTakesLong) {
    const Redactor redact{std::vector<std::string>()};
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string text :
         {"://", "token", "hook https://a/", "-----BEGIN ", "bearer ", "a/", "eyJ"}) {
        std::string long_ = text;
        while (long_.size() < 100'000) long_ += text;
        EXPECT_LE(redact(long_).size(), 2 * Redactor::kLongest);
    }
    redact("https://" + std::string(100'000, 'a'));
    redact("token=" + std::string(100'000, 'a'));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace dailies::log
