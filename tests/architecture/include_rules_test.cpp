#include "tests/support/folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

// app → ui → remote → core ← trainer: a folder may include what lies further along its arrows, and nothing
// back.

namespace {

namespace fs = std::filesystem;

struct Rule {
    std::set<std::string>
        mayInclude;  ///< of our own top-level folders (core/… by its sub-folder where that matters)
    std::vector<std::string> mustNotUse;  ///< beginnings of library headers
};

const std::vector<std::string> kQt = {"Q", "Qt"};
const std::vector<std::string> kTorch = {"torch/", "ATen/", "c10/"};
const std::vector<std::string> kSsh = {"libssh/"};
const std::vector<std::string> kSqlite = {"sqlite3.h", "SQLiteCpp/"};

std::vector<std::string> all(std::initializer_list<std::vector<std::string>> lists) {
    std::vector<std::string> joined;
    for (const auto& list : lists) joined.insert(joined.end(), list.begin(), list.end());
    return joined;
}

const std::map<std::string, Rule> kRules = {
    {"app", {{"app", "ui", "remote", "core"}, all({kTorch, kSsh, kSqlite})}},
    {"ui", {{"ui", "remote", "core"}, all({kTorch, kSsh, kSqlite})}},
    {"remote", {{"remote", "core"}, all({kQt, kTorch, kSqlite})}},
    {"core", {{"core"}, all({kQt, kTorch, kSsh})}},
    {"trainer",
     {{"trainer", "core/base", "core/config", "core/digest", "core/events", "core/planner",
       "core/preflight", "core/video"},
      all({kQt, kSsh, kSqlite})}},
};

struct Include {
    std::string file, header;
    bool ours;
    int line;
};

std::vector<Include> includesBelow(const std::string& folder) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
    std::vector<Include> found;
    const fs::path root = DAILIES_SOURCE_FOLDER;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const auto extension = entry.path().extension();
        if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
        std::ifstream file(entry.path());
        std::string text;
        for (int line = 1; std::getline(file, text); ++line) {
            std::smatch match;
            if (std::regex_search(text, match, kInclude))
                found.push_back(
                    {fs::relative(entry.path(), root).string(), match[2], match[1] == "\"", line});
        }
    }
    return found;
}

bool isQtHeader(const std::string& header) {
    return header.starts_with("Qt") || (header.size() > 1 && header[0] == 'Q' && std::isupper(header[1]));
}

bool forbidden(const Include& include, const Rule& rule) {
    if (include.ours)
        return std::none_of(rule.mayInclude.begin(), rule.mayInclude.end(),
                            [&](const auto& folder) { return include.header.starts_with(folder + "/"); });
    return std::any_of(rule.mustNotUse.begin(), rule.mustNotUse.end(), [&](const auto& beginning) {
        return beginning[0] == 'Q' ? isQtHeader(include.header) : include.header.starts_with(beginning);
    });
}

}  // namespace

TEST(IncludeRules, NoIncludeCrossesALineTheWrongWay) {
    for (const auto& [folder, rule] : kRules) {
        const auto includes = includesBelow(folder);
        EXPECT_FALSE(includes.empty()) << folder << " was not found";
        for (const auto& include : includes)
            EXPECT_FALSE(forbidden(include, rule))
                << include.file << ":" << include.line << " includes " << include.header << ", which "
                << folder << "/ may not use";
    }
}

TEST(IncludeRules, TheTopLevelHoldsOnlyTheAgreedFolders) {
    const std::set<std::string> agreed = {
        "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "app", "build", "core", "out",
        "remote",         "resources",         "tests",   "trainer",   "ui"};
    for (const auto& entry : fs::directory_iterator(DAILIES_SOURCE_FOLDER)) {
        const auto name = entry.path().filename().string();
        EXPECT_TRUE(name.starts_with(".") || agreed.contains(name))
            << name << " stands beside the agreed folders";
    }
}
