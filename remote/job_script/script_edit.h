#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dailies::remote {

/// A job script that a person changed.
struct ScriptEdit {
    std::string text;
    std::string from = {};  ///< the generated script that was changed; empty: not known, as of a file
};

/// A line that Dailies needs, and that an edit broke.
struct ScriptProblem {
    std::size_t line = 0;  ///< of the text, from 1; 0: it is nowhere
    std::string found;     ///< "Line 5 …: found …, expected …", or that it is missing
    std::string remedy;

    std::string full() const { return found + " " + remedy; }
};

/// What an edit of the script `generated` broke: the array, the signal before the time limit, the run's
/// folder, the step that starts the trainer. What else stands in it is the person's affair. `workspace`: as
/// the profile writes it, which a script that was printed without a connection has.
std::vector<ScriptProblem> validateScript(const std::string& text, const std::string& generated,
                                          const std::string& workspace);

/// The edit as it goes in the place of `generated`: with its ids, folders, program and what it waits for. A
/// program of the person's own stays. Throws `InputError` naming the first line that is broken.
std::string applyEdit(const ScriptEdit& edit, const std::string& generated, const std::string& workspace);

/// The same edit of a script that has since come out otherwise, because the sweep was changed.
struct RebasedEdit {
    ScriptEdit edit;
    std::vector<std::size_t> conflicts;  ///< lines of it, from 1, which the sweep would now have otherwise
};
RebasedEdit rebaseEdit(const ScriptEdit& edit, const std::string& generated);

}  // namespace dailies::remote
