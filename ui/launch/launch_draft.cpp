#include "ui/launch/launch_draft.h"

#include "core/base/files.h"
#include "ui/bridge/run_async.h"

#include <mutex>
#include <string_view>

namespace dailies::ui {

namespace {

constexpr int kPauseMs = 300;                           ///< after the last of many changes
constexpr std::string_view kOrigin = "# Start from: ";  ///< on the first line of the file

}  // namespace

LaunchDraft::LaunchDraft(QObject* parent) : QObject(parent) {
    m_later.setSingleShot(true);
    m_later.setInterval(kPauseMs);
    connect(&m_later, &QTimer::timeout, this, &LaunchDraft::write);
}

LaunchDraft::~LaunchDraft() {
    write();
}

LaunchDraft::Draft LaunchDraft::read(const std::filesystem::path& file) {
    const std::string text = readFile(file);
    Draft draft{sweep::parseSweep(text, file.filename().string()), {}};
    if (text.starts_with(kOrigin))
        draft.origin = QString::fromStdString(text.substr(kOrigin.size(), text.find('\n') - kOrigin.size()));
    return draft;
}

void LaunchDraft::setFile(const std::filesystem::path& file) {
    m_reading = true;
    runAsync(
        this,
        [file](std::stop_token) -> std::optional<Draft> {
            if (!std::filesystem::exists(file)) return std::nullopt;
            return read(file);
        },
        [this, file](const std::optional<Draft>& draft) {
            m_reading = false;
            m_file = file;
            if (draft) emit restored(draft->sweep, draft->origin);
        },
        [this, file](const Error&) {
            // Another version's, or damaged.
            m_reading = false;
            m_file = file;
        });
}

void LaunchDraft::keep(const sweep::Sweep& sweep, const QString& origin) {
    if (m_file.empty()) return;
    m_waiting = Draft{sweep, origin};
    m_later.start();
}

void LaunchDraft::write() {
    if (!m_waiting) return;
    // a late writer must not put an older draft over a newer one
    static std::mutex oneAtATime;
    static int asked = 0, written = 0;
    std::string yaml = sweep::toYaml(m_waiting->sweep);
    if (!m_waiting->origin.isEmpty())
        yaml = std::string(kOrigin) + m_waiting->origin.simplified().toStdString() + '\n' + yaml;
    runAsync(
        this,
        [file = m_file, yaml, turn = ++asked](std::stop_token) {
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
