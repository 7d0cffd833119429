#pragma once

#include <string>
#include <vector>

namespace dailies::app {

/// Those of `all` that a person means by `text`: an id or a name, else the beginning of ids, of at least so
/// many letters. A name wins, because one of a letter or two begins many ids.
template <class Entry, class IdOf, class NameOf>
std::vector<Entry> matchByIdOrName(const std::vector<Entry>& all, const std::string& text,
                                   std::size_t shortest, IdOf idOf, NameOf nameOf) {
    std::vector<Entry> called, beginning;
    for (const Entry& entry : all) {
        if (idOf(entry) == text || nameOf(entry) == text)
            called.push_back(entry);
        else if (text.size() >= shortest && idOf(entry).starts_with(text))
            beginning.push_back(entry);
    }
    return called.empty() ? beginning : called;
}

}  // namespace dailies::app
