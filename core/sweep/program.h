#pragma once

#include <string>
#include <vector>

namespace dailies::sweep {

/// Where the files of a program are.
struct Code {
    enum class Place {
        Unknown,  ///< the sweep file does not say
        Local,    ///< a folder of this machine; its content is uploaded
        Cluster,  ///< a folder there, used as it is
    };
    Place place = Place::Unknown;
    std::string folder;  ///< empty when the place is unknown; on the cluster it may begin with "~"

    bool operator==(const Code&) const = default;
};

/// A program of the user's own: what each run of a sweep starts in the place of dailies-train. Its keys are
/// those of W&B's sweep files, which run unchanged; `code` and `nested` are Dailies' own.
struct Program {
    std::string file;                  ///< W&B's key `program`: what ${program} stands for; may be empty
    std::vector<std::string> command;  ///< words and macros; empty: `defaultCommand`
    Code code;
    bool dottedGroups = false;  ///< nested parameters are `--optimizer.lr=0.1`, not one dict argument

    bool operator==(const Program&) const = default;
};

/// [${env}, ${interpreter}, ${program}, ${args}], as W&B has it.
const std::vector<std::string>& defaultCommand();

/// The words of `command`, or the default ones.
const std::vector<std::string>& commandOf(const Program& program);

/// What a person calls it: "train.py".
std::string nameOf(const Program& program);

}  // namespace dailies::sweep
