// Scores and transitions for the peer's script: `cuts_tool FILM…` prints one JSON document
// a film, one to a line.
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/curation/cuts.h"
#include "core/curation/film_analysis.h"

#include <iostream>

int main(int argc, char** argv) {
    using namespace dailies;
    try {
        for (int i = 1; i < argc; ++i) {
            const auto film = curation::analyseFilm(argv[i]);
            Json json = {{"frames", film.frames}, {"content", film.content}};
            auto& transitions = json["transitions"] = Json::array();
            for (const auto& transition : curation::findTransitions(film, {}))
                transitions.push_back({{"kind", curation::toText(transition.kind)},
                                       {"first", transition.first},
                                       {"last", transition.last}});
            std::cout << json.dump() << std::endl;
        }
    } catch (const Error& error) {
        std::cerr << error.full() << "\n";
        return 1;
    }
}
