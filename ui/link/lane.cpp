#include "ui/link/lane.h"

#include "core/base/thread_priority.h"
#include "core/log/log.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dailies::ui {

Lane::Lane(Owner& owner) : m_owner(owner) {
    m_thread = std::jthread([this](const std::stop_token& end) { run(end); });
}

Lane::~Lane() {
    end();
    m_thread.join();
}

void Lane::ask(Request request) {
    add({.run = std::move(request)}, false);
}

void Lane::askSoon(Request request) {
    add({.run = std::move(request), .soon = true}, false);
}

void Lane::askFirst(Request request) {
    add({.run = std::move(request), .soon = true}, true);
}

void Lane::askLeisurely(Request request) {
    add({.run = std::move(request), .leisurely = true}, false);
}

void Lane::add(Waiting request, bool first) {
    {
        const std::lock_guard lock(m_mutex);
        if (request.soon && m_makesWay) {
            m_displaced = true;
            m_current.request_stop();
        }
        first ? m_requests.push_front(std::move(request)) : m_requests.push_back(std::move(request));
    }
    m_wake.notify_all();
}

void Lane::stopCurrent() {
    const std::lock_guard lock(m_mutex);
    m_displaced = false;
    m_current.request_stop();
}

void Lane::makeWay() {
    const std::lock_guard lock(m_mutex);
    m_makesWay = true;
    // asked since this was begun
    if (std::ranges::any_of(m_requests, &Waiting::soon)) m_current.request_stop();
}

void Lane::end() {
    m_thread.request_stop();
    stopCurrent();
}

void Lane::run(const std::stop_token& end) {
    lowerThreadPriority();
    m_owner.begin();
    while (!end.stop_requested()) {
        const auto due = m_owner.due();
        Waiting next;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait_until(lock, end, due, [this] { return !m_requests.empty(); });
            if (!m_requests.empty()) next = takeNext();
            // `end` stops the thread first and `m_current` then: one of the two is seen by what is begun here
            m_current = {};
            m_makesWay = next.leisurely;
            m_displaced = false;
        }
        if (end.stop_requested()) break;
        if (next.run) {
            if (!serve(next.run) && next.leisurely) {
                const std::lock_guard lock(m_mutex);
                if (m_displaced) m_requests.push_back(std::move(next));
            }
        } else if (Clock::now() >= due) {
            serve([this](const std::stop_token& stop) { m_owner.runDue(stop); });
        }
        m_owner.afterEach();
    }
    m_owner.end();
}

Lane::Waiting Lane::takeNext() {
    auto next = std::ranges::find_if_not(m_requests, &Waiting::leisurely);
    if (next == m_requests.end()) next = m_requests.begin();
    auto taken = std::move(*next);
    m_requests.erase(next);
    return taken;
}

/// Whether it was done, or failed; false when it was stopped.
bool Lane::serve(const Request& request) {
    std::stop_token token;
    {
        const std::lock_guard lock(m_mutex);
        token = m_current.get_token();
    }
    try {
        request(token);
    } catch (const Cancelled&) {
        return false;  // asked for
    } catch (const Error& error) {
        log::warning("link", "a request failed: " + error.full());
        m_owner.onError(error);
    } catch (const std::exception& error) {
        log::error("link", std::string("a request failed unexpectedly: ") + error.what());
        m_owner.onError(Error(error.what()));
    }
    return true;
}

}  // namespace dailies::ui
