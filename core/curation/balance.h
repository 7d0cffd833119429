#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::curation {

/// What a film took the process that decoded it.
struct FilmCost {
    std::string film;      ///< path or URL
    std::string worker;    ///< of all that its process decodes the same word
    double seconds = 0;    ///< of one of its threads
    unsigned threads = 1;  ///< that it decodes films on
};

/// How evenly the processes that share a curation were at work, beside what a fixed equal share of the films
/// for each would have taken them: the films in the order of their names, cut into as many runs of films as
/// there are processes.
struct Balance {
    std::size_t films = 0, workers = 0;
    double busiestSeconds = 0, leastBusySeconds = 0;  ///< of the workers
    double equalSharesSeconds = 0;                    ///< of the busiest then

    std::string text() const;  ///< a line for a person; "" of one worker
};

Balance balanceOf(std::vector<FilmCost> costs);

/// Kept in the folder that the processes share, a file a film.
void saveCost(const std::filesystem::path& shared, const std::string& id, const FilmCost& cost);
std::vector<FilmCost> loadCosts(const std::filesystem::path& shared);

}  // namespace dailies::curation
