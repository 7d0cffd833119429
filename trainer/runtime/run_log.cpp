#include "trainer/runtime/run_log.h"

#include "core/base/error.h"

#include <iostream>

namespace dailies::trainer {

RunLog::RunLog(const std::filesystem::path& runFolder, bool isRank0) {
    if (isRank0) m_writer = std::make_unique<events::EventLogWriter>(runFolder / "events.jsonl");
}

void RunLog::append(events::Payload payload) {
    const std::lock_guard lock(m_mutex);
    if (!m_writer) return;
    if (const auto* metrics = std::get_if<events::Metrics>(&payload))
        for (const auto& [name, value] : metrics->values) m_newestMetrics[name] = value;
    m_waiting.push_back(std::move(payload));
    if (m_waiting.size() > kBacklog) m_waiting.pop_front();
    try {
        while (!m_waiting.empty()) {
            m_writer->append(m_waiting.front());
            m_waiting.pop_front();
        }
        m_failing = false;
    } catch (const Error& error) {
        if (!m_failing) std::cerr << "dailies-train: " << error.what() << " Training goes on." << std::endl;
        m_failing = true;
    }
}

void RunLog::close() {
    const std::lock_guard lock(m_mutex);
    m_writer.reset();
}

}  // namespace dailies::trainer
