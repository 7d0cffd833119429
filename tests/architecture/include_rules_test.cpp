#include "tests/support/folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

// app → ui → remote → core ← trainer: a folder may include what lies further along its arrows, and nothing
// back. The rooms of each of these folders (one level down) include one another in one direction, too.

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
     {{"trainer", "core/base", "core/config", "core/digest", "core/events", "core/planner", "core/preflight",
       "core/video"},
      all({kQt, kSsh, kSqlite})}},
};

struct Include {
    std::string file, header;
    bool ours;
    int line;
};

/// The files below a folder that git tracks: what an editor or a build left there does not count.
std::vector<std::string> trackedFiles(const std::string& folder) {
    const std::string command = std::string("git -C '") + DAILIES_SOURCE_FOLDER + "' ls-files " + folder;
    std::vector<std::string> files;
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
    std::string name;
    for (int c = 0; output && (c = std::fgetc(output.get())) != EOF;) {
        if (c != '\n') {
            name += static_cast<char>(c);
            continue;
        }
        files.push_back(std::exchange(name, {}));
    }
    return files;
}

std::vector<Include> includesBelow(const std::string& folder) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
    std::vector<Include> found;
    const fs::path root = DAILIES_SOURCE_FOLDER;
    for (const auto& name : trackedFiles(folder)) {
        const auto extension = fs::path(name).extension();
        if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
        std::ifstream file(root / name);
        std::string text;
        for (int line = 1; std::getline(file, text); ++line) {
            std::smatch match;
            if (text.find("include") != std::string::npos && std::regex_search(text, match, kInclude))
                found.push_back({name, match[2], match[1] == "\"", line});
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

/// "trainer/models" of "trainer/models/layers/linear.h"; empty for a file that lies in no room.
std::string roomOf(const std::string& file) {
    const auto first = file.find('/');
    const auto second = first == std::string::npos ? first : file.find('/', first + 1);
    return second == std::string::npos ? "" : file.substr(0, second);
}

using Rooms = std::map<std::string, std::map<std::string, Include>>;

/// A way from `room` back to it, as the includes that make it; empty: there is none.
std::vector<Include> circle(const Rooms& rooms, const std::string& start, const std::string& room,
                            std::set<std::string>& seen) {
    if (const auto arrows = rooms.find(room); arrows != rooms.end())
        for (const auto& [next, include] : arrows->second) {
            if (next == start) return {include};
            if (!seen.insert(next).second) continue;
            if (auto rest = circle(rooms, start, next, seen); !rest.empty()) {
                rest.insert(rest.begin(), include);
                return rest;
            }
        }
    return {};
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

TEST(IncludeRules, RoomsIncludeOneAnotherInOneDirection) {
    Rooms rooms;
    for (const auto& [folder, rule] : kRules) {
        const std::string top = folder + "/";
        for (const auto& include : includesBelow(folder)) {
            const auto from = roomOf(include.file), to = roomOf(include.header);
            if (!from.empty() && to.starts_with(top) && from != to) rooms[from].emplace(to, include);
        }
    }
    EXPECT_GT(rooms.size(), 30U);
    for (const auto& [room, arrows] : rooms) {
        std::set<std::string> seen;
        std::string way;
        for (const auto& include : circle(rooms, room, room, seen))
            way += "\n  " + include.file + ":" + std::to_string(include.line) + " includes " + include.header;
        EXPECT_EQ(way, "") << room << " includes itself by way of other rooms";
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
