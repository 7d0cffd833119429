#include "tests/architecture/source_tree.h"
#include "tests/support/folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

// app → ui → remote → core ← trainer: a folder may include what lies further along its arrows, and nothing
// back. The rooms of each of these folders (one level down) include one another in one direction, too.

namespace {

namespace fs = std::filesystem;
using namespace dailies::architecture;

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
     {{"trainer", "core/base", "core/captioning", "core/config", "core/curation", "core/digest",
       "core/events", "core/http", "core/objects", "core/planner", "core/preflight", "core/video"},
      all({kQt, kSsh, kSqlite})}},
};

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
