#pragma once

#include "trainer/data/data_source.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace dailies::trainer {

/// Decodes the clips of the steps ahead on threads of its own. What comes out does not depend on their
/// number: the order is kept, and a clip that cannot be had throws where it is taken.
class Prefetch {
public:
    /// `plan` gives the clips of a step; it is called by the thread that takes, which tells the source of
    /// them (`readAhead`). `workers` 0 decodes in `take`.
    Prefetch(DataSource& source, std::function<std::vector<std::int64_t>(std::int64_t step)> plan,
             std::int64_t workers);
    ~Prefetch();
    Prefetch(const Prefetch&) = delete;
    Prefetch& operator=(const Prefetch&) = delete;

    /// The clips of a step, in the plan's order. Steps taken one after another are decoded ahead.
    std::vector<Example> take(std::int64_t step);

    /// Seconds that the last `take` waited for clips that were not ready.
    double waited() const { return m_waited; }

private:
    struct Clip {
        std::int64_t index = 0;
        Example example = {};
        std::exception_ptr failure = {};
    };
    struct Step {
        std::int64_t number = 0;
        std::vector<Clip> clips;
        std::size_t begun = 0, done = 0;  ///< guarded by m_mutex
    };

    void planAhead(std::int64_t step);
    void work();
    void decode(Clip& clip);

    DataSource& m_source;
    std::function<std::vector<std::int64_t>(std::int64_t)> m_plan;
    std::size_t m_workers;
    std::mutex m_mutex;
    std::condition_variable m_hasWork, m_isDone;
    std::deque<std::shared_ptr<Step>> m_ahead;  ///< guarded by m_mutex; numbers follow one another
    bool m_ends = false;
    double m_waited = 0;
    std::vector<std::jthread> m_threads;  ///< last: they use everything above
};

}  // namespace dailies::trainer
