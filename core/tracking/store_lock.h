#pragma once

#include <filesystem>

namespace dailies::tracking {

/// Held by the one desktop program that works with a store, so that a second one opened on the same file can
/// say so and offer to read only. Advisory: it keeps out nobody who does not ask, so the command line and
/// genuine MLflow go on reading and writing beside it (SQLite lets writers queue). Lies in FILE.lock; the
/// system lets go of it when the program ends, however it ends.
class StoreLock {
public:
    /// Throws `StoreReadOnlyError` naming the program that holds it, or when the folder cannot be written.
    /// Makes the folder.
    explicit StoreLock(const std::filesystem::path& storeFile);
    ~StoreLock();
    StoreLock(StoreLock&& other) noexcept;
    StoreLock& operator=(StoreLock&& other) noexcept;

private:
    int m_descriptor = -1;
};

}  // namespace dailies::tracking
