#include "remote/trainer_install/source_bundle.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(SourceBundle, TheSameFilesGiveTheSameBytes) {
    const std::map<std::string, std::string> files{{"a/b.cpp", "int b;"}, {"CMakeLists.txt", "project(x)"}};
    EXPECT_EQ(bundleFiles(files).tar, bundleFiles(files).tar);
    EXPECT_EQ(bundleFiles(files).hash, bundleFiles(files).hash);
    EXPECT_EQ(bundleFiles(files).hash.size(), 16u);
}

TEST(SourceBundle, AnyChangeOfNameOrContentIsAnotherVersion) {
    const std::string hash = bundleFiles({{"a", "bc"}}).hash;
    EXPECT_NE(hash, bundleFiles({{"ab", "c"}}).hash);
    EXPECT_NE(hash, bundleFiles({{"a", "bd"}}).hash);
    EXPECT_NE(hash, bundleFiles({{"a", "bc"}, {"d", ""}}).hash);
}

TEST(SourceBundle, IsUnpackedByTarToTheSameFiles) {
    const TemporaryFolder folder;
    const std::string odd(1000, 'x');
    writeFileAtomically(folder.path() / "b.tar", bundleFiles({{"src/it's.h", odd}, {"empty", ""}}).tar);
    const std::string command = "cd '" + folder.path().string() + "' && tar -xf b.tar";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(readFile(folder.path() / "src/it's.h"), odd);
    EXPECT_EQ(readFile(folder.path() / "empty"), "");
}

TEST(SourceBundle, RefusesNamesThatLeaveTheFolder) {
    for (const char* name : {"/etc/passwd", "../up", "a/../../up", "", "a//b/.."})
        EXPECT_THROW(bundleFiles({{name, "x"}}), Error) << name;
}

TEST(SourceBundle, HoldsWhatTheTrainerNeedsAndNothingOfTheDesktop) {
    const SourceBundle bundle = makeSourceBundle();
    EXPECT_EQ(bundle.tar, makeSourceBundle().tar);
    for (const char* part : {"CMakeLists.txt", "core/base/json.cpp", "core/config/schema.cpp",
                             "trainer/CMakeLists.txt", "bundled/nlohmann/json.hpp"})
        EXPECT_THAT(bundle.tar, HasSubstr(std::string(part) + std::string(1, '\0'))) << part;
    for (const char* part :
         {"ui/CMakeLists.txt", "remote/CMakeLists.txt", "core/tracking/store.h", "tests/CMakeLists.txt"})
        EXPECT_EQ(bundle.tar.find(std::string(part) + std::string(1, '\0')), std::string::npos) << part;
}

TEST(SourceBundle, HoldsEveryHeaderThatItIncludes) {
    const TemporaryFolder folder;
    writeFileAtomically(folder.path() / "b.tar", makeSourceBundle().tar);
    ASSERT_EQ(std::system(("cd '" + folder.path().string() + "' && tar -xf b.tar").c_str()), 0);
    int includes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        const auto name = entry.path().lexically_relative(folder.path()).string();
        if (!entry.is_regular_file() || name.starts_with("bundled/")) continue;
        std::istringstream lines(readFile(entry.path()));
        for (std::string line; std::getline(lines, line);) {
            const std::string include = "#include \"";
            if (!line.starts_with(include)) continue;
            const auto header = line.substr(include.size(), line.find('"', include.size()) - include.size());
            EXPECT_TRUE(fs::exists(folder.path() / header)) << name << " includes " << header;
            ++includes;
        }
    }
    EXPECT_GT(includes, 1000);
}

TEST(SourceBundle, AnIncompleteSourceFolderIsNamed) {
    const TemporaryFolder folder;
    ::setenv("DAILIES_SOURCE", folder.path().c_str(), 1);
    try {
        makeSourceBundle();
        FAIL() << "an empty folder was bundled";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(folder.path().string()));
    }
    ::unsetenv("DAILIES_SOURCE");
}

}  // namespace
}  // namespace dailies::remote
