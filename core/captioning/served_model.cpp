#include "core/captioning/served_model.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ports.h"
#include "core/base/process.h"
#include "core/base/sleep.h"
#include "core/base/text.h"
#include "core/http/http_connection.h"

namespace dailies::captioning {

namespace {

constexpr std::size_t kLastLines = 12;
constexpr std::chrono::milliseconds kLookEvery(500);
constexpr std::chrono::hours kLongestRun(24 * 365);

std::string withPort(std::string text, int port) {
    constexpr std::string_view kPort = "${port}";
    for (auto at = text.find(kPort); at != std::string::npos; at = text.find(kPort))
        text.replace(at, kPort.size(), std::to_string(port));
    return text;
}

}  // namespace

ServedModel::ServedModel(const std::string& command, const std::string& url, std::filesystem::path log)
    : m_log(std::move(log)) {
    const int port = freePorts(1).front();
    m_command = withPort(command, port);
    m_url = withPort(url, port);
    writeFileAtomically(m_log, "");
    m_process = std::jthread([this](const std::stop_token& stop) {
        std::string why;
        try {
            const auto result = runProcess({"sh", "-c", "exec >>\"$0\" 2>&1\n" + m_command, m_log.string()},
                                           {.timeout = kLongestRun}, stop);
            why = "it ended with exit status " + std::to_string(result.exitCode);
        } catch (const Cancelled&) {
            return;
        } catch (const Error& error) {
            why = error.full();
        }
        const std::lock_guard lock(m_mutex);
        m_end = why;
    });
}

ServedModel::~ServedModel() {
    m_process.request_stop();
}

void ServedModel::waitUntilReady(std::chrono::seconds atMost, const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() + atMost;
    http::Connection connection({}, stop, std::chrono::seconds(10));
    for (;;) {
        if (const auto end = endReason())
            throw Error("The caption server did not start: " + *end + ". Its last lines:\n" + lastLines(),
                        "Try the command on a node: " + m_command);
        try {
            // also what asks for a key is up
            if (const auto status = connection.get(m_url + "/models").status; status > 0 && status < 500)
                return;
        } catch (const http::ConnectionError&) {
        }
        if (std::chrono::steady_clock::now() > deadline)
            throw Error("The caption server did not answer at " + m_url + " within " +
                            durationText(1000 * atMost.count()) + ". Its last lines:\n" + lastLines(),
                        "Check that the command serves at that address: " + m_command);
        sleepUnlessStopped(kLookEvery, stop);
    }
}

std::optional<std::string> ServedModel::endReason() const {
    const std::lock_guard lock(m_mutex);
    return m_end;
}

std::string ServedModel::lastLines() const {
    auto lines = split(trim(readFile(m_log)), '\n');
    if (lines.size() > kLastLines)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kLastLines));
    return sanitizedText(join(lines, "\n"));
}

}  // namespace dailies::captioning
