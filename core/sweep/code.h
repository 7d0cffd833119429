#pragma once

#include <string>
#include <string_view>

namespace dailies::sweep {

/// Where the files of a program are.
struct Code {
    enum class Place {
        Unknown,  ///< the sweep file does not say
        Local,    ///< a folder of this machine; its content is uploaded
        Cluster,  ///< a folder there, used as it is
        Git,      ///< a commit of a repository, which the cluster clones
    };
    Place place = Place::Unknown;
    std::string folder;  ///< on the cluster it may begin with "~"; of Git: below the repository, may be empty
    /// What git calls it. Of Git: a commit, tag or branch, empty for the repository's default branch; else
    /// the commit that the folder was made from, empty where that is not known.
    std::string commit = {};
    std::string repository = {};  ///< git's address; empty but for Git and for what was cloned from there

    bool operator==(const Code&) const = default;
};

/// What a person types, as pip spells it: "FOLDER" of this machine, "cluster:FOLDER", or
/// "git+ADDRESS[@REF][#subdirectory=FOLDER]".
Code codeFromText(std::string_view text);

/// The inverse: what would be typed.
std::string textOf(const Code& code);

/// Why git could not or should not be given this address, reference and folder; empty: it can. "found …,
/// expected …", without a key.
std::string repositoryProblem(const Code& code);

}  // namespace dailies::sweep
