#include "trainer/watchdog/node_neighbours.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace dailies::trainer {
namespace {

/// A process that does nothing until it is killed.
class Idler {
public:
    Idler() : m_pid(::fork()) {
        if (m_pid == 0)
            while (true) ::pause();
    }
    ~Idler() {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    Idler(const Idler&) = delete;
    Idler& operator=(const Idler&) = delete;

    std::int64_t pid() const { return m_pid; }
    /// Its end is seen, but not asked for: it stays a zombie.
    void kill() const {
        ::kill(m_pid, SIGKILL);
        siginfo_t how;
        ::waitid(P_PID, static_cast<id_t>(m_pid), &how, WEXITED | WNOWAIT);
    }

private:
    pid_t m_pid;
};

struct Beats {
    std::map<std::int64_t, Heartbeat> ofRank;

    void write(std::int64_t rank, const std::string& node, std::int64_t pid) {
        auto& beat = ofRank[rank];
        beat.node = node;
        beat.pid = pid;
    }
    std::optional<Heartbeat> operator()(std::int64_t rank) const {
        const auto found = ofRank.find(rank);
        return found == ofRank.end() ? std::nullopt : std::optional(found->second);
    }
};

constexpr std::int64_t kNoProcess = std::int64_t{1} << 30;

TEST(NodeNeighbours, AreGoneOnceTheirProcessIsWhetherOrNotItIsMourned) {
    NodeNeighbours neighbours(1, 4, "n1");
    const Idler before, behind;
    Beats beats;
    EXPECT_FALSE(neighbours.anyGone(beats)) << "none has written a heartbeat yet";
    beats.write(0, "n1", before.pid());
    beats.write(2, "n1", behind.pid());
    EXPECT_FALSE(neighbours.anyGone(beats));
    behind.kill();
    EXPECT_TRUE(neighbours.anyGone(beats));
    neighbours.forgetGone();
    EXPECT_FALSE(neighbours.anyGone(beats)) << "the other still runs";
    before.kill();
    EXPECT_TRUE(neighbours.anyGone(beats));
}

TEST(NodeNeighbours, AreNotJudgedByNumbersThatMeanNoProcessHere) {
    NodeNeighbours neighbours(0, 2, "n1");
    Beats beats;
    beats.write(1, "n1", kNoProcess);
    EXPECT_FALSE(neighbours.anyGone(beats)) << "of an earlier attempt, or another namespace";
    const Idler other;
    beats.write(1, "n1", other.pid());
    EXPECT_FALSE(neighbours.anyGone(beats));
    other.kill();
    EXPECT_TRUE(neighbours.anyGone(beats)) << "and are seen once they mean one";
}

TEST(NodeNeighbours, OnAnotherNodeAreNotLookedFor) {
    NodeNeighbours neighbours(0, 2, "n1");
    const Idler sameNumberHere;
    Beats beats;
    beats.write(1, "n2", sameNumberHere.pid());
    EXPECT_FALSE(neighbours.anyGone(beats));
    sameNumberHere.kill();
    EXPECT_FALSE(neighbours.anyGone(beats));
}

}  // namespace
}  // namespace dailies::trainer
