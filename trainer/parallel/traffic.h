#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dailies::trainer {

/// What a rank has sent to others, by collective, in bytes that the best algorithm needs: for n ranks and a
/// message of m bytes a sum takes 2·m·(n - 1)/n of each (ring all-reduce), a reduce-scatter, a gather and an
/// exchange m·(n - 1)/n, where m is the whole message and not a rank's part of it. Who receives sends
/// nothing.
struct Traffic {
    struct Count {
        std::int64_t calls = 0;
        double bytes = 0;
    };
    std::map<std::string, Count>
        sent;  ///< by "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "send"

    // A rank's part in a collective of so many ranks. `bytes`: of the whole message.
    void addAllReduce(double bytes, std::int64_t ranks) { add("all_reduce", 2 * othersShare(bytes, ranks)); }
    void addReduceScatter(double bytes, std::int64_t ranks) {
        add("reduce_scatter", othersShare(bytes, ranks));
    }
    void addAllGather(double bytes, std::int64_t ranks) { add("all_gather", othersShare(bytes, ranks)); }
    /// Of `rows` rows that it gives, this rank keeps `kept`.
    void addAllToAll(double bytes, std::int64_t rows, std::int64_t kept) {
        add("all_to_all", bytes * static_cast<double>(rows - kept) / static_cast<double>(rows));
    }
    void addSend(double bytes) { add("send", bytes); }

    double bytes() const {
        double sum = 0;
        for (const auto& [name, count] : sent) sum += count.bytes;
        return sum;
    }

private:
    static double othersShare(double bytes, std::int64_t ranks) {
        return bytes * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    }
    void add(const std::string& collective, double bytes) {
        auto& count = sent[collective];
        ++count.calls;
        count.bytes += bytes;
    }
};

}  // namespace dailies::trainer
