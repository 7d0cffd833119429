#pragma once

#include "core/preflight/report.h"
#include "trainer/parallel/dist_env.h"

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>
#include <vector>

namespace c10d {
class Store;
}

namespace dailies::trainer {

/// How the ranks of a preflight stay together although any of them may hang or die: they go from phase to
/// phase, and into each rank 0 takes those who have arrived by its deadline. Nobody waits for the others
/// longer than that.
class PhaseBarrier {
public:
    using Clock = std::chrono::steady_clock;

    struct Member {
        std::int64_t rank = 0;
        std::string node;
    };

    /// `end`: when the preflight must be over, by this process's clock.
    PhaseBarrier(const DistEnv& ranks, c10::intrusive_ptr<c10d::Store> store, Clock::time_point end);

    /// Arrives at a phase and waits for the others until `deadline` (rank 0's counts). The members, in the
    /// order of their ranks, are the same on all of them. Throws `Error` when this rank came too late or
    /// rank 0 no longer answers.
    const std::vector<Member>& enter(const std::string& phase, const std::string& node,
                                     Clock::time_point deadline);

    /// Makes what this rank has measured so far known to rank 0, in place of what it said before.
    void tell(const preflight::RankReport& part);
    /// What every rank told last; for rank 0.
    std::vector<preflight::RankReport> told() const;

    const c10::intrusive_ptr<c10d::Store>& store() const { return m_store; }

private:
    void waitForOthers(const std::string& phase, Clock::time_point deadline);

    DistEnv m_ranks;
    c10::intrusive_ptr<c10d::Store> m_store;
    Clock::time_point m_end;
    std::vector<Member> m_members;  ///< rank 0's and everybody's
};

}  // namespace dailies::trainer
