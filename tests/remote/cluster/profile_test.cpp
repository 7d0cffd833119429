#include "remote/cluster/profile.h"

#include "core/base/error.h"
#include "core/base/files.h"

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

TEST_F(Profiles, OneThatCouldNotBeReadBackIsNotWritten) {
    ClusterProfiles profiles(m_file);
    ClusterProfile bad = example();
    bad.pollSeconds = 0;
    EXPECT_THROW(profiles.put(bad), InputError);
    EXPECT_FALSE(std::filesystem::exists(m_file));
}

}  // namespace
}  // namespace dailies::remote
