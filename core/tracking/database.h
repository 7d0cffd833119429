#pragma once

#include "core/tracking/statement_cache.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <type_traits>

namespace dailies::tracking {

class BusyHandler;

/// The connection of one `Store`: SQLite with the store's settings, whose failures arrive as `Error` with the
/// file's name and what a person can do. One thread.
class Database {
public:
    /// Opens the file; for writing also creates it and its folder. Neither looks at what it holds nor changes
    /// it.
    Database(const std::filesystem::path& file, bool readOnly, std::stop_token stop = {});
    ~Database();

    const std::filesystem::path& file() const { return m_file; }

    /// A request to stop ends whatever waits or works here with `Cancelled`, and rolls its transaction back.
    void interruptOnStop(std::stop_token stop);
    const std::stop_token& stop() const;

    /// To be used inside of `read`, `write` and `withoutTransaction`, which say what went wrong.
    StatementCache& statements() { return m_statements; }

    /// See Store::dataVersion and Store::othersVersion.
    std::int64_t dataVersion();
    std::int64_t othersVersion();

    /// Runs `work(SQLite::Database&)` on one snapshot, so that several queries see the same state.
    template <class Work>
    auto read(Work&& work) {
        return translateErrors([&] {
            const SQLite::Transaction snapshot(m_connection, SQLite::TransactionBehavior::DEFERRED);
            return work(m_connection);
        });
    }

    /// Runs `work(SQLite::Database&)` as one transaction: committed when it returns, rolled back when it
    /// throws. Waits up to 20 s for another writer.
    template <class Work>
    auto write(Work&& work) {
        return translateErrors([&] {
            // IMMEDIATE: a transaction that begins by reading cannot wait for its turn to write
            SQLite::Transaction transaction(m_connection, SQLite::TransactionBehavior::IMMEDIATE);
            if constexpr (std::is_void_v<std::invoke_result_t<Work, SQLite::Database&>>) {
                work(m_connection);
                commit(transaction);
            } else {
                auto result = work(m_connection);
                commit(transaction);
                return result;
            }
        });
    }

    /// Runs `work(SQLite::Database&)` outside of any transaction, for statements that SQLite refuses inside
    /// one.
    template <class Work>
    auto withoutTransaction(Work&& work) {
        return translateErrors([&] { return work(m_connection); });
    }

    /// Makes the file one that is read while it is written (WAL); a new file also one that can give space
    /// back.
    void prepareFile();

    /// Gives the space of deleted rows back to the disk, as far as nobody else is using the file: a few pages
    /// at a time in a file of Dailies' own, by rewriting a file that others made. Never fails; what could not
    /// be given back is the next time.
    void shrink();

private:
    template <class Work>
    auto translateErrors(Work&& work) {
        try {
            return work();
        } catch (const SQLite::Exception& failure) {
            fail(failure);
        }
    }

    void commit(SQLite::Transaction& transaction);
    [[noreturn]] void fail(const SQLite::Exception& failure) const;

    std::filesystem::path m_file;
    std::unique_ptr<BusyHandler> m_busyHandler;  ///< SQLite holds its address
    SQLite::Database m_connection;
    StatementCache m_statements{m_connection};
    std::int64_t m_commits = 0;
};

/// "file:///a/b%20c" of an absolute path, as MLflow's artifact columns and SQLite's URIs take it.
std::string fileUri(const std::filesystem::path& path);

}  // namespace dailies::tracking
