#include "trainer/data/prefetch.h"

#include "core/base/thread_priority.h"

#include <algorithm>
#include <chrono>

namespace dailies::trainer {

namespace {

constexpr std::size_t kStepsAhead = 2;

}  // namespace

Prefetch::Prefetch(DataSource& source, std::function<std::vector<std::int64_t>(std::int64_t)> plan,
                   std::int64_t workers)
    : m_source(source), m_plan(std::move(plan)), m_workers(static_cast<std::size_t>(workers)) {
    for (std::size_t i = 0; i < m_workers; ++i) m_threads.emplace_back([this] { work(); });
}

Prefetch::~Prefetch() {
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
    }
    m_hasWork.notify_all();
}

std::vector<Example> Prefetch::take(std::int64_t step) {
    const auto began = std::chrono::steady_clock::now();
    planAhead(step);
    std::shared_ptr<Step> taken;
    {
        std::unique_lock lock(m_mutex);
        taken = m_ahead.front();  // it stays there, where the workers look, until it is done
        if (m_workers > 0) m_isDone.wait(lock, [&] { return taken->done == taken->clips.size(); });
        m_ahead.pop_front();
    }
    std::vector<Example> examples;
    for (auto& clip : taken->clips) {
        if (m_workers == 0) decode(clip);
        if (clip.failure) std::rethrow_exception(clip.failure);
        examples.push_back(std::move(clip.example));
    }
    m_waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return examples;
}

void Prefetch::planAhead(std::int64_t step) {
    std::unique_lock lock(m_mutex);
    if (!m_ahead.empty() && m_ahead.front()->number != step)
        m_ahead.clear();  // what is being decoded is thrown away
    std::size_t clipsAhead = 0;
    for (const auto& planned : m_ahead) clipsAhead += planned->clips.size();
    // small steps: enough clips that every worker has one
    while (m_ahead.size() < (m_workers > 0 ? 1 + kStepsAhead : 1) || clipsAhead < 2 * m_workers) {
        auto planned = std::make_shared<Step>();
        planned->number = step + static_cast<std::int64_t>(m_ahead.size());
        lock.unlock();
        for (const auto index : m_plan(planned->number)) planned->clips.push_back({index});
        if (m_workers > 0)
            for (const auto& clip : planned->clips) m_source.readAhead(clip.index);
        lock.lock();
        clipsAhead += planned->clips.size();
        m_ahead.push_back(std::move(planned));
    }
    m_hasWork.notify_all();
}

void Prefetch::work() {
    lowerThreadPriority();  // the step's own thread goes first where cores are few
    for (;;) {
        std::shared_ptr<Step> step;
        Clip* clip = nullptr;
        {
            std::unique_lock lock(m_mutex);
            m_hasWork.wait(lock, [&] {
                const auto open =
                    std::ranges::find_if(m_ahead, [](const auto& s) { return s->begun < s->clips.size(); });
                if (open != m_ahead.end()) step = *open;
                return m_ends || step;
            });
            if (m_ends) return;
            clip = &step->clips[step->begun++];
        }
        decode(*clip);
        const std::lock_guard lock(m_mutex);
        if (++step->done == step->clips.size()) m_isDone.notify_all();
    }
}

void Prefetch::decode(Clip& clip) {
    try {
        clip.example = m_source.example(clip.index);
    } catch (...) {
        clip.failure = std::current_exception();
    }
}

}  // namespace dailies::trainer
