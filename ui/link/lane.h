#pragma once

#include "core/base/error.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace dailies::ui {

/// A thread that does what it is asked, one request behind the other, and between them what is due by itself.
class Lane {
public:
    using Clock = std::chrono::steady_clock;
    using Request = std::function<void(std::stop_token)>;

    /// What the thread does by itself; all of it is called there.
    class Owner {
    public:
        virtual void begin() {}
        /// When `runDue` wants to be called.
        virtual Clock::time_point due() const { return Clock::now() + std::chrono::hours(1); }
        virtual void runDue(std::stop_token /*stop*/) {}
        virtual void afterEach() {}  ///< behind a request, and behind `runDue`
        virtual void onError(const Error& error) = 0;
        virtual void end() {}

    protected:
        ~Owner() = default;
    };

    /// Starts the thread. `owner` has to be ready for it: a lane is its owner's last member.
    explicit Lane(Owner& owner);
    ~Lane();  ///< ends it, and waits for what is under way to notice

    // -- any thread
    void ask(Request request);
    /// A person waits for it: what makes way is broken off.
    void askSoon(Request request);
    /// The same, ahead of all that waits.
    void askFirst(Request request);
    /// One that makes way for all others, is broken off for `askSoon` and `askFirst`, and begun again then.
    void askLeisurely(Request request);
    void stopCurrent();  ///< what is done now, and nothing that waits
    void end();          ///< does not wait; the owner's blocked calls are for the owner to abort

    // -- its thread
    /// What is being done makes way from here on, and is not begun again by the lane.
    void makeWay();

private:
    struct Waiting {
        Request run;
        bool leisurely = false;
        bool soon = false;
    };

    void add(Waiting request, bool first);
    Waiting takeNext();
    void run(const std::stop_token& end);
    bool serve(const Request& request);

    Owner& m_owner;
    std::mutex m_mutex;  ///< guards all below but the thread
    std::condition_variable_any m_wake;
    std::deque<Waiting> m_requests;
    std::stop_source m_current;  ///< of what is being done
    bool m_makesWay = false;     ///< what is being done may be broken off and done later
    bool m_displaced = false;    ///< and was
    std::jthread m_thread;       ///< last: it uses everything above
};

}  // namespace dailies::ui
