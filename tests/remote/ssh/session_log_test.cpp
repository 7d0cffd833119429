// What the log says of a real session at its most detailed, and what it must never say: canaries stand for
// every secret that passes through one.
#include "core/log/log.h"
#include "tests/remote/ssh/prompter.h"
#include "tests/remote/ssh/ssh_server.h"

namespace dailies::remote::ssh {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class SessionLogTest : public testing::Test {
protected:
    void SetUp() override { ::unsetenv("SSH_AUTH_SOCK"); }

    fs::path path(const std::string& name) const { return scratch.path() / name; }
    log::LogFile logFile() const { return {.path = path("state") / "dailies.log"}; }
    std::string logged() const {
        log::flush();
        return log::lastLines(logFile(), 10'000);
    }
    Endpoint endpoint(const SshServer& server, const fs::path& key) const {
        writeFileAtomically(path("known_hosts"), server.knownHost());
        writeFileAtomically(path("config"),
                            "Host lab\n  HostName 127.0.0.1\n  Port " + std::to_string(server.port()) +
                                "\n  UserKnownHostsFile " + path("known_hosts").string() +
                                "\n  IdentitiesOnly yes\n  IdentityFile " + key.string() + "\n");
        return {.host = "lab", .configFile = path("config")};
    }

    TemporaryFolder scratch{"ssh-log"};
    ScriptedPrompter prompter;
};

TEST_F(SessionLogTest, SaysHowItConnectedWhatRanAndWhatWasCarried) {
    const auto key = makeKey(path("key"));
    const SshServer server(path("lab"), {key});
    const log::Writer writer(log::Level::Debug, logFile());
    writeFileAtomically(path("clip.mp4"), noise(100'000));
    {
        Session session(endpoint(server, key), prompter);
        session.run("exit 3");
        session.upload(path("clip.mp4"), path("there.mp4").string());
        session.download(path("there.mp4").string(), path("back.mp4"));
        EXPECT_ANY_THROW(session.download(path("none.mp4").string(), path("none.mp4")));
        server.killSessions();
        EXPECT_ANY_THROW(session.run("true"));
    }
    const auto text = logged();
    for (const auto* part :
         {"info ssh: connecting to lab", "debug ssh: lab is ", "debug ssh: offering the key ",
          "info ssh: sign-in to lab: publickey accepted", "info ssh: connected to lab in 0.",
          "info ssh: command on lab ended with status 3 in 0.", ": exit 3\n", "/there.mp4: 100 kB in 0.",
          "/none.mp4: 0 bytes in 0.", ", then it broke off", "warning ssh: lab is lost",
          "info ssh: disconnected from lab, which was lost"})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(SessionLogTest, SaysWhyASignInFailed) {
    const auto key = makeKey(path("key")), other = makeKey(path("other"));
    const SshServer server(path("lab"), {other});
    const log::Writer writer(log::Level::Info, logFile());
    EXPECT_THROW(Session(endpoint(server, key), prompter), SessionError);
    EXPECT_THAT(logged(), HasSubstr("sign-in to lab: publickey refused"));
    EXPECT_THAT(logged(), HasSubstr("error ssh: lab not connected after 0."));
    EXPECT_THAT(logged(), Not(HasSubstr(" debug ")));
}

TEST_F(SessionLogTest, HoldsNoSecretOfASession) {
    const std::string passphrase = "canary-passphrase", password = "canary-password",
                      token = "hf_CanaryCanaryCanary0123456789",
                      wandb = "ca4a71ca4a71ca4a71ca4a71ca4a71ca4a71ca4a",
                      slack = "https://hooks.slack.com/services/T0CANARY/B0CANARY/canaryWebhook",
                      discord = "https://discord.com/api/webhooks/1234/canaryDiscord",
                      content = "canary-content", output = "canary-output", plain = "canary-plain-value";
    ::setenv("HF_TOKEN", token.c_str(), 1);
    ::setenv("WANDB_API_KEY", wandb.c_str(), 1);
    const auto key = makeKey(path("key"), passphrase);
    const SshServer server(path("lab"), {key}, "PasswordAuthentication yes\n");
    const log::Writer writer(log::Level::Debug, logFile());
    {
        prompter.answers = {passphrase + "-mistyped", passphrase};
        Session session(endpoint(server, key), prompter);
        ASSERT_EQ(prompter.questions.size(), 2u) << "the passphrase was used";
        for (const auto& script :
             {"HF_TOKEN=" + token + " true\n", "export WANDB_API_KEY=" + wandb + "\ntrue\n",
              "export ANYTHING='" + plain + "'\nfalse\n", "echo " + token + "\n", "echo " + wandb + "\n",
              "curl -s -H 'Authorization: Bearer " + plain + "' http://127.0.0.1:1/ || exit 7\n",
              "true " + slack + "\n", "true " + discord + "; exit 3\n",
              "cat <<'END'\n" + content + "\nEND\nexit 4\n", "echo out\necho " + output + " >&2; exit 5\n",
              "cat " + shellQuote(key.string()) + "\nexit 6\n", readFile(key)})
            session.run(script);
        session.write(path("file").string(), content);
        EXPECT_EQ(session.readAll(path("file").string()), content);
        session.upload(key, path("uploaded").string());
        session.download(path("uploaded").string(), path("downloaded"));
        // Texts that such secrets come in by way of messages.
        log::error("window", Error("Posting to " + slack + " failed.", "Try " + discord + ".").full());
        log::error("qt", readFile(key));
        log::info("program", "started: dailies publish --to https://me:" + password + "@mlflow.example.org");
    }
    const auto stranger = makeKey(path("stranger"));
    prompter.answers.clear();
    prompter.answer = password;
    EXPECT_THROW(Session(endpoint(server, stranger), prompter), SessionError);
    EXPECT_EQ(prompter.questions.back().substr(0, 12), "Password for") << "the password was used";

    const auto text = logged();
    EXPECT_THAT(text, HasSubstr("sign-in to lab: publickey accepted"));
    EXPECT_THAT(text, HasSubstr("sign-in to lab: password refused"));
    EXPECT_THAT(text, HasSubstr("ended with status 7"));
    for (const auto& secret :
         {passphrase, password, token, wandb, std::string("T0CANARY"), std::string("canaryWebhook"),
          std::string("canaryDiscord"), content, output, plain, std::string("canary")})
        EXPECT_THAT(text, Not(HasSubstr(secret)));
    for (const auto& line : split(readFile(key), '\n')) {
        if (line.size() > 30) {
            EXPECT_THAT(text, Not(HasSubstr(line)));
        }
    }
    ::unsetenv("HF_TOKEN");
    ::unsetenv("WANDB_API_KEY");
}

}  // namespace
}  // namespace dailies::remote::ssh
