#include "remote/trainer_install/trainer_install.h"

#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;

class Installing : public SandboxTest {
protected:
    Installing() {
        m_profile = s_profile;
        m_profile.torchDir = (m_files.path() / "torch").string();
        writeFileAtomically(m_files.path() / "torch/TorchConfig.cmake", "");
    }
    static SourceBundle bundle(const std::string& main) {
        return bundleFiles({{"CMakeLists.txt",
                             "cmake_minimum_required(VERSION 3.18)\nproject(t CXX)\n"
                             "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "
                             "${CMAKE_BINARY_DIR}/bin)\nadd_executable(dailies-train main.cpp)\n"},
                            {"main.cpp", main}});
    }
    ClusterProfile m_profile;
};

TEST_F(Installing, BuildsOnceAndIsFoundAgain) {
    Cluster cluster(m_profile, m_prompter);
    const SourceBundle sources = bundle("int main() { return 0; }\n");
    std::vector<std::string> said;
    const InstalledTrainer built =
        ensureTrainer(cluster, sources, [&](const std::string& line) { said.push_back(line); });
    EXPECT_EQ(built.hash, sources.hash);
    EXPECT_EQ(cluster.session().run(built.program).exitCode, 0);
    EXPECT_THAT(said, testing::Contains(HasSubstr("Uploading the trainer")));
    said.clear();
    EXPECT_EQ(ensureTrainer(cluster, sources, [&](const std::string& line) { said.push_back(line); }).program,
              built.program);
    EXPECT_TRUE(said.empty());
}

TEST_F(Installing, ABuildThatFailsShowsTheCompilersWordsAndCanBeTriedAgain) {
    Cluster cluster(m_profile, m_prompter);
    const SourceBundle sources = bundle("int main() { return undeclared; }\n");
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            ensureTrainer(cluster, sources);
            FAIL() << "it cannot be built";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("'undeclared' was not declared"));
            EXPECT_THAT(error.remedy(), HasSubstr(sources.hash + "/build.log"));
        }
    }
}

TEST_F(Installing, ADeadBuildersLockDoesNotBlockForEver) {
    Cluster cluster(m_profile, m_prompter);
    const SourceBundle sources = bundle("int main() {}\n");
    cluster.session().run("mkdir -p '" + cluster.workspace() + "/trainer/" + sources.hash +
                          "/lock' && touch -d '1 hour ago' '" + cluster.workspace() + "/trainer/" +
                          sources.hash + "/lock'\n");
    EXPECT_EQ(ensureTrainer(cluster, sources).hash, sources.hash);
}

TEST_F(Installing, AMissingPyTorchIsSaidBeforeAnythingIsBuilt) {
    m_profile.torchDir = "/nonexistent";
    Cluster cluster(m_profile, m_prompter);
    const SourceBundle sources = bundle("int main() { return 1; }\n");
    try {
        ensureTrainer(cluster, sources);
        FAIL() << "there is no PyTorch";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("/nonexistent/TorchConfig.cmake"));
        EXPECT_THAT(error.remedy(), HasSubstr("torch_dir"));
    }
    EXPECT_FALSE(cluster.session().stat(cluster.workspace() + "/trainer/" + sources.hash + "/source.tar"));
}

}  // namespace
}  // namespace dailies::remote
