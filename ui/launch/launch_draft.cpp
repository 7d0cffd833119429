#include "ui/launch/launch_draft.h"

#include "core/base/files.h"
#include "ui/bridge/run_async.h"

#include <mutex>

namespace dailies::ui {

namespace {

constexpr int kPauseMs = 300;  ///< after the last of many changes

}  // namespace

LaunchDraft::LaunchDraft(QObject* parent) : QObject(parent) {
    m_later.setSingleShot(true);
    m_later.setInterval(kPauseMs);
    connect(&m_later, &QTimer::timeout, this, &LaunchDraft::write);
}

LaunchDraft::~LaunchDraft() {
    write();
}

void LaunchDraft::keepIn(const std::filesystem::path& file) {
    m_reading = true;
    runAsync(
        this,
        [file](std::stop_token) -> std::optional<sweep::Sweep> {
            if (!std::filesystem::exists(file)) return std::nullopt;
            return sweep::parseSweep(readFile(file), file.filename().string());
        },
        [this, file](const std::optional<sweep::Sweep>& sweep) {
            m_reading = false;
            m_file = file;
            if (sweep) emit restored(*sweep);
        },
        [this, file](const Error&) {
            // Another version's, or damaged.
            m_reading = false;
            m_file = file;
        });
}

void LaunchDraft::keep(const sweep::Sweep& sweep) {
    if (m_file.empty()) return;
    m_waiting = sweep;
    m_later.start();
}

void LaunchDraft::write() {
    if (!m_waiting) return;
    // a late writer must not put an older draft over a newer one
    static std::mutex oneAtATime;
    static int asked = 0, written = 0;
    runAsync(
        this,
        [file = m_file, yaml = sweep::toYaml(*m_waiting), turn = ++asked](std::stop_token) {
            const std::lock_guard lock(oneAtATime);
            if (turn < written) return;
            written = turn;
            std::filesystem::create_directories(file.parent_path());
            writeFileAtomically(file, yaml);
        },
        [] {}, [](const Error&) {});
    m_waiting.reset();
}

}  // namespace dailies::ui
