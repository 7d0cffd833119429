#include "remote/ssh/transfer_log.h"

#include "core/base/size_text.h"
#include "core/log/log.h"

#include <utility>

namespace dailies::remote::ssh {

TransferLog::TransferLog(std::string what, const Session::TransferProgress& progress)
    : m_what(std::move(what)), m_progress(progress) {}

TransferLog::~TransferLog() {
    try {
        const bool failed = std::uncaught_exceptions() > m_exceptions;
        log::write(failed ? log::Level::Warning : log::Level::Info, "ssh",
                   m_what + ": " + sizeText(m_done - m_first.value_or(0)) + " in " +
                       log::secondsSince(m_begin) + (failed ? ", then it broke off" : ""));
    } catch (const std::exception&) {
        // No memory for a line: the transfer is what counts.
    }
}

Session::TransferProgress TransferLog::progress() {
    return [this](std::uint64_t done, std::uint64_t total) {
        if (!m_first) m_first = done;
        m_done = done;
        if (m_progress) m_progress(done, total);
    };
}

}  // namespace dailies::remote::ssh
