#pragma once

#include "core/sweep/sweep.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <optional>

namespace dailies::ui {

/// The sweep that a person was putting together, kept in a file from one start of the program to the next.
/// Files are touched on worker threads alone; one that cannot be read or written costs the memory only.
class LaunchDraft : public QObject {
    Q_OBJECT

public:
    explicit LaunchDraft(QObject* parent = nullptr);
    ~LaunchDraft() override;  ///< what was not written yet is

    /// Reads what was kept, and keeps from now on: `restored` where there was something.
    void setFile(const std::filesystem::path& file);
    /// `origin`: what the sweep was begun with, for a person; empty: nothing that has a name.
    void keep(const sweep::Sweep& sweep, const QString& origin);
    /// Whether `restored` can still come.
    bool reading() const { return m_reading; }

signals:
    void restored(const dailies::sweep::Sweep& sweep, const QString& origin);

private:
    struct Draft {
        sweep::Sweep sweep;
        QString origin;
    };
    static Draft read(const std::filesystem::path& file);  ///< throws `Error`
    void write();

    std::filesystem::path m_file;
    bool m_reading = false;
    std::optional<Draft> m_waiting;  ///< to be written
    QTimer m_later;
};

}  // namespace dailies::ui
