#include "tests/architecture/source_tree.h"
#include "tests/support/folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

// A library per room, linked to the rooms that it includes and to no others: what a program links is then
// what its parts need, and a room that begins to use another one says so.

namespace {

using namespace dailies::architecture;
namespace fs = std::filesystem;

struct Library {
    std::set<std::string> sources;   ///< from the root of the checkout
    std::set<std::string> links;     ///< as its CMakeLists.txt names them
    std::set<std::string> passesOn;  ///< of these, what whoever links it is linked to, too
};

using Libraries = std::map<std::string, Library>;

/// What tests/architecture/CMakeLists.txt wrote down when this build was configured.
Libraries configuredLibraries() {
    Libraries found;
    std::ifstream file(fs::path(DAILIES_BINARY_FOLDER).parent_path() / "tests/architecture/targets.txt");
    Library* library = nullptr;
    for (std::string kind, word; file >> kind && std::getline(file >> std::ws, word);) {
        if (kind == "target") {
            library = &found[word];
        } else if (kind == "source") {
            const auto path = fs::path(word).lexically_relative(DAILIES_SOURCE_FOLDER).generic_string();
            if (path.ends_with(".cpp") && !path.starts_with("..") && !path.starts_with("build/"))
                library->sources.insert(path);
        } else {
            (kind == "LINK" ? library->links : library->passesOn).insert(word);
        }
    }
    std::erase_if(found, [](const auto& entry) { return entry.second.sources.empty(); });
    return found;
}

std::string withoutExtension(const std::string& file) {
    return fs::path(file).replace_extension().generic_string();
}

/// Which library a file belongs to: that of the source beside it, else those of its folder.
class Owners {
public:
    explicit Owners(const Libraries& libraries) {
        for (const auto& [name, library] : libraries)
            for (const auto& source : library.sources) {
                m_ofSource[withoutExtension(source)].insert(name);
                m_ofFolder[fs::path(source).parent_path().generic_string()].insert(name);
            }
    }

    std::set<std::string> of(const std::string& file) const {
        if (const auto found = m_ofSource.find(withoutExtension(file)); found != m_ofSource.end())
            return found->second;
        for (auto folder = fs::path(file).parent_path(); !folder.empty(); folder = folder.parent_path())
            if (const auto found = m_ofFolder.find(folder.generic_string()); found != m_ofFolder.end())
                return found->second;
        return {};
    }

private:
    std::map<std::string, std::set<std::string>> m_ofSource, m_ofFolder;
};

/// All that a library is linked to: its own links, and what these pass on.
std::set<std::string> linkedTo(const Libraries& libraries, const std::string& name) {
    std::set<std::string> seen{name};
    std::set<std::string> next = libraries.at(name).links;
    while (!next.empty()) {
        const auto link = next.extract(next.begin()).value();
        if (!libraries.contains(link) || !seen.insert(link).second) continue;
        const auto& passedOn = libraries.at(link).passesOn;
        next.insert(passedOn.begin(), passedOn.end());
    }
    return seen;
}

bool meet(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& element) { return b.contains(element); });
}

std::string joined(const std::set<std::string>& names, const std::string& by = " or ") {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : by) + name;
    return text;
}

}  // namespace

TEST(LibraryRules, SourcesLieBelowTheirCMakeLists) {
    const std::regex upward(R"((^|[\s("])\.\./)");
    for (const auto& name : trackedFiles(".")) {
        if (!name.ends_with("CMakeLists.txt")) continue;
        std::ifstream file(fs::path(DAILIES_SOURCE_FOLDER) / name);
        std::string text;
        for (int line = 1; std::getline(file, text); ++line)
            EXPECT_FALSE(std::regex_search(text, upward))
                << name << ":" << line
                << " takes a file of another folder: link that folder's library instead";
    }
}

TEST(LibraryRules, EachLibraryIsOfOneRoom) {
    const auto libraries = configuredLibraries();
    ASSERT_GT(libraries.size(), 10U) << "this build has not described its targets";
    for (const auto& [name, library] : libraries) {
        std::set<std::string> rooms;
        // The trainer's libraries are batches of rooms: parsing LibTorch's headers costs more than our own
        // code.
        for (const auto& source : library.sources)
            if (!source.starts_with("trainer/") && !source.starts_with("app/")) rooms.insert(roomOf(source));
        EXPECT_LE(rooms.size(), 1U) << name << " is made of " << joined(rooms, " and ");
    }
}

TEST(LibraryRules, RoomsIncludeOnlyWhatTheirLibrariesLink) {
    const auto libraries = configuredLibraries();
    const Owners owners(libraries);
    std::map<std::string, std::set<std::string>> linked;
    for (const auto& [name, library] : libraries) linked[name] = linkedTo(libraries, name);
    for (const std::string folder : {"app", "ui", "remote", "core", "trainer"})
        for (const auto& include : includesBelow(folder)) {
            if (!include.ours) continue;
            const auto users = owners.of(include.file), used = owners.of(include.header);
            if (users.empty() || used.empty()) continue;  // a part that this build leaves out
            EXPECT_TRUE(std::any_of(users.begin(), users.end(),
                                    [&](const auto& user) { return meet(linked[user], used); }))
                << include.file << ":" << include.line << " includes " << include.header << ", but "
                << joined(users) << " does not link " << joined(used);
        }
}

TEST(LibraryRules, LibrariesLinkOnlyWhatTheirRoomsInclude) {
    const auto libraries = configuredLibraries();
    const Owners owners(libraries);
    std::map<std::string, std::set<std::string>> included;  // rooms, by library
    for (const std::string folder : {"app", "ui", "remote", "core", "trainer"})
        for (const auto& include : includesBelow(folder)) {
            if (!include.ours) continue;
            for (const auto& user : owners.of(include.file)) included[user].insert(roomOf(include.header));
        }
    for (const auto& [name, library] : libraries)
        for (const auto& link : library.links) {
            if (!libraries.contains(link)) continue;
            std::set<std::string> rooms;
            for (const auto& source : libraries.at(link).sources) rooms.insert(roomOf(source));
            EXPECT_TRUE(meet(included[name], rooms))
                << name << " links " << link << " and includes none of it";
        }
}
