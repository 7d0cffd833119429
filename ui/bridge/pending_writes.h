#pragma once

#include "ui/bridge/write_store.h"

#include <filesystem>
#include <functional>
#include <utility>

namespace dailies::ui {

/// The changes that `owner` makes to a store without waiting for them, and how many are still under way. A
/// member of `owner`. GUI thread only.
class PendingWrites {
public:
    PendingWrites(QObject* owner, std::filesystem::path file, std::function<void(const Error&)> failed)
        : m_owner(owner), m_file(std::move(file)), m_failed(std::move(failed)) {}

    /// As `writeStore`; `work(tracking::Store&)`.
    template <typename Work>
    void add(Work work) {
        ++m_underWay;
        writeStore(
            m_owner, m_file, std::move(work), [this] { --m_underWay; },
            [this](const Error& error) {
                --m_underWay;
                m_failed(error);
            });
    }

    bool isDone() const { return m_underWay == 0; }

private:
    QObject* m_owner;
    std::filesystem::path m_file;
    std::function<void(const Error&)> m_failed;
    int m_underWay = 0;
};

}  // namespace dailies::ui
