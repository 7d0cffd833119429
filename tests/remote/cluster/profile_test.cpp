#include "remote/cluster/profile.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "remote/cluster/profile_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace dailies::remote {
namespace {

using testing::HasSubstr;

ClusterProfile example() {
    ClusterProfile profile;
    profile.name = "hopper";
    profile.host = "login.example.org";
    profile.port = 2222;
    profile.workspace = "~/dailies";
    profile.environment.modules = {"cuda/12.4"};
    profile.environment.container = {"/images/torch.sif", "pyxis", {"/data:/data:ro"}};
    profile.environment.fabric = "infiniband";
    profile.gpuHourPrice = 2.5;
    profile.currency = "EUR";
    profile.setup = {"module load cuda", "source 'my venv'/bin/activate"};
    return profile;
}

class Profiles : public testing::Test {
protected:
    TemporaryFolder m_folder;
    std::filesystem::path m_file = m_folder.path() / "config" / "clusters.json";
};

TEST_F(Profiles, AreReadBackAsTheyWerePut) {
    ClusterProfiles(m_file).put(example());
    EXPECT_EQ(ClusterProfiles(m_file).get("hopper"), example());
}

TEST_F(Profiles, AreRefusedUnderNamesThatNoFolderOrCommandLineCanHave) {
    ClusterProfiles profiles(m_file);
    for (const char* name :
         {"", " ", "my lab", "a/b", "../lab", "-lab", "--help", ".lab", "lab\n", "\x1b[2J"}) {
        ClusterProfile wrong = example();
        wrong.name = name;
        EXPECT_THROW(profiles.put(wrong), InputError) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(m_file)) << "nothing was written";
    for (const char* name : {"lab", "hopper-2", "login.example.org", "2nd_lab"}) {
        ClusterProfile right = example();
        right.name = name;
        EXPECT_NO_THROW(profiles.put(right)) << name;
    }
}

TEST_F(Profiles, ReplaceOneOfTheSameNameAndCanBeRemoved) {
    ClusterProfiles profiles(m_file);
    profiles.put(example());
    ClusterProfile changed = example();
    changed.partition = "gpu";
    profiles.put(changed);
    ASSERT_EQ(ClusterProfiles(m_file).all().size(), 1u);
    EXPECT_EQ(ClusterProfiles(m_file).get("hopper").partition, "gpu");
    profiles.remove("hopper");
    EXPECT_TRUE(ClusterProfiles(m_file).all().empty());
}

TEST_F(Profiles, AreForTheirOwnerAlone) {
    ClusterProfiles(m_file).put(example());
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(m_file).permissions() & perms::mask,
              perms::owner_read | perms::owner_write);
}

TEST_F(Profiles, AnUnknownNameIsAnsweredWithTheKnownOnes) {
    ClusterProfiles profiles(m_file);
    profiles.put(example());
    try {
        profiles.get("hoper");
        FAIL() << "an unknown cluster was found";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), HasSubstr("Did you mean 'hopper'"));
    }
}

TEST_F(Profiles, AMalformedFileIsNamedAndLeftAlone) {
    std::filesystem::create_directories(m_file.parent_path());
    for (const char* text :
         {"{", "[]", "{\"clusters\": 3}", "{\"clusters\": [{\"name\": \"a\", \"port\": \"ssh\"}]}",
          "{\"clusters\": [{\"host\": \"h\"}]}", "{\"clusters\": [{\"name\": \"a\", \"port\": 70000}]}"}) {
        std::ofstream(m_file) << text;
        try {
            ClusterProfiles profiles(m_file);
            FAIL() << text;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr(m_file.string())) << text;
        }
        EXPECT_EQ(readFile(m_file), text);
    }
}

TEST_F(Profiles, AHostOrAUserThatReadsAsAnOptionIsRefusedWhenItIsAdded) {
    ClusterProfiles profiles(m_file);
    for (const char* name : {"-oProxyCommand=touch pwned", "-J", "a b", "$(id)"}) {
        ClusterProfile bad = example();
        bad.host = name;
        EXPECT_THROW(profiles.put(bad), InputError) << name;
        bad = example();
        bad.user = name;
        EXPECT_THROW(profiles.put(bad), InputError) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(m_file));
}

TEST_F(Profiles, AHostThatCannotBeOneIsRefusedWithWhatIsAccepted) {
    ClusterProfiles profiles(m_file);
    for (const char* host :
         {"",           " ",         "host:99999", "host:22",       "[::1]",  "[::1]:22", "%h",   "lab%eth0",
          "ada@lab",    "ssh://lab", "lab/x",      "a..b",          ".",      ".lab",     "lab*", "!lab",
          "10.0.0.256", "::1::",     "fe80::1%",   "fe80::1%$(id)", "lab\\x", "lab\n"}) {
        ClusterProfile bad = example();
        bad.host = host;
        try {
            profiles.put(bad);
            ADD_FAILURE() << host;
        } catch (const InputError& error) {
            EXPECT_THAT(error.full(),
                        HasSubstr("A host name, an address or a Host of ~/.ssh/config is accepted"))
                << host;
        }
    }
    EXPECT_FALSE(std::filesystem::exists(m_file));
    for (const char* host : {"lab", "login.example.org", "login.example.org.", "gpu_1", "node-7", "10.0.0.1",
                             "::1", "fe80::1%eth0", "2001:db8::1", "münchen.example", "c++lab", "7"}) {
        ClusterProfile good = example();
        good.host = host;
        EXPECT_NO_THROW(profiles.put(good)) << host;
    }
}

TEST_F(Profiles, AHostWithAPortOrAUserSaysWhereTheseGo) {
    ClusterProfile bad = example();
    bad.host = "ada@lab:99999";
    try {
        throwIfInvalid(bad);
        FAIL() << "it was accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.remedy(), testing::AllOf(HasSubstr("--port), 1 to 65535"), HasSubstr("--user")));
    }
}

TEST_F(Profiles, ChangesNameEachKeyWithBothOfItsValues) {
    EXPECT_TRUE(changes(example(), example()).empty());
    ClusterProfile changed = example();
    changed.port = 0;
    changed.user = "ada\x1b";
    changed.setup = {};
    changed.environment.modules = {"cuda/12.4", "gcc"};
    changed.environment.container = {};
    changed.readUserConfig = false;
    const auto text = toText(changes(example(), changed));
    for (const char* part :
         {"port 2222 → none", "user none → ada", "module load cuda; source 'my venv'/bin/activate → none",
          "environment.modules cuda/12.4 → cuda/12.4; gcc",
          "environment.container.image /images/torch.sif → none", "read_user_config true → false"})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(text, testing::Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, testing::Not(HasSubstr("workspace")));
}

TEST_F(Profiles, OneThatCouldNotBeReadBackIsNotWritten) {
    ClusterProfiles profiles(m_file);
    ClusterProfile bad = example();
    bad.pollSeconds = 0;
    EXPECT_THROW(profiles.put(bad), InputError);
    EXPECT_FALSE(std::filesystem::exists(m_file));
}

}  // namespace
}  // namespace dailies::remote
