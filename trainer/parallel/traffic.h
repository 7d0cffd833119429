#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dailies::trainer {

/// What a rank has sent to others, by collective, in bytes that the best algorithm needs: for n ranks and a
/// message of m bytes a sum takes 2·m·(n - 1)/n of each (ring all-reduce), a reduce-scatter, a gather and an
/// exchange m·(n - 1)/n, where m is the whole message and not a rank's part of it.
struct Traffic {
    struct Count {
        std::int64_t calls = 0;
        double bytes = 0;
    };
    std::map<std::string, Count> sent;  ///< by "all_reduce", "reduce_scatter", "all_gather", "all_to_all"

    void add(const std::string& collective, double bytes) {
        auto& count = sent[collective];
        ++count.calls;
        count.bytes += bytes;
    }
    double bytes() const {
        double sum = 0;
        for (const auto& [name, count] : sent) sum += count.bytes;
        return sum;
    }
};

}  // namespace dailies::trainer
