#include "core/tracking/database.h"

#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/log/log.h"
#include "core/tracking/row_scan.h"
#include "core/tracking/store_read_only_error.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string>
#include <thread>

namespace dailies::tracking {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongestWait =
    std::chrono::seconds(20);  // MLflow's own, so that neither gives up before the other
constexpr auto kNoteworthyWait = std::chrono::seconds(1);

}  // namespace

/// How long a connection waits for others, and whether it still should.
class BusyHandler {
public:
    explicit BusyHandler(std::stop_token stop) : m_stop(std::move(stop)) {}

    const std::stop_token& stop() const { return m_stop; }

    void rule(SQLite::Database& db) {
        constexpr int kOperationsBetweenLooks = 20'000;
        m_file = db.getFilename();
        sqlite3_busy_handler(
            db.getHandle(),
            [](void* self, int tries) { return static_cast<BusyHandler*>(self)->wait(tries) ? 1 : 0; }, this);
        // without a token none, also where an earlier one had left its own
        if (!m_stop.stop_possible()) return sqlite3_progress_handler(db.getHandle(), 0, nullptr, nullptr);
        sqlite3_progress_handler(
            db.getHandle(), kOperationsBetweenLooks,
            [](void* self) { return static_cast<BusyHandler*>(self)->m_stop.stop_requested() ? 1 : 0; },
            this);
    }

    /// Whether to try once more, a little later.
    bool wait(int tries) {
        if (tries == 0) {
            m_began = Clock::now();
            m_told = false;
        }
        const auto waited = Clock::now() - m_began;
        if (!m_told && waited > kNoteworthyWait) {
            m_told = true;
            log::info("store", "waiting for another program that writes " + m_file);
        }
        if (waited > kLongestWait)
            log::warning("store", "gave up waiting for " + m_file + " after " + log::secondsSince(m_began));
        if (m_stop.stop_requested() || waited > kLongestWait) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(1 + tries * 2, 50)));
        return true;
    }

    /// Whether a failure is only what a request to stop looks like from inside of SQLite.
    void requireWanted(const SQLite::Exception& failure) const {
        const bool gaveUp =
            failure.getErrorCode() == SQLITE_INTERRUPT || failure.getErrorCode() == SQLITE_BUSY;
        if (gaveUp && m_stop.stop_requested()) throw Cancelled();
    }

private:
    std::stop_token m_stop;
    std::string m_file;
    Clock::time_point m_began{};
    bool m_told = false;
};

namespace {

/// The pragma counts the commits of all connections but this one.
std::int64_t commitsOfOthers(SQLite::Database& db) {
    return db.execAndGet("PRAGMA data_version").getInt64();
}

constexpr int kOneThread = SQLITE_OPEN_NOMUTEX;  // a connection is used by one thread at a time

[[noreturn]] void fail(const std::filesystem::path& file, const SQLite::Exception& failure) {
    const std::string name = file.string();
    switch (failure.getErrorCode()) {
        case SQLITE_NOTADB:
            throw Error(name + " is not a tracking store (it is not an SQLite database).",
                        "Choose another file with --store; this one was left as it is.");
        case SQLITE_CORRUPT:
            throw Error(
                "The tracking store " + name + " is damaged (" + failure.what() + ").",
                "Keep a copy, then rescue what is readable with: sqlite3 FILE .recover | sqlite3 NEW. "
                "What the runs wrote is still on their clusters.");
        case SQLITE_FULL:
            throw Error("The disk is full: " + name + " could not be written. Nothing was changed.",
                        "Free some space and try again.");
        case SQLITE_IOERR:
            throw Error("The tracking store " + name + " could not be read or written (" +
                            failure.getErrorStr() + "). Nothing was changed.",
                        "Check the disk, its free space and your quota, then try again.");
        case SQLITE_READONLY:
            throw StoreReadOnlyError(
                "The tracking store " + name + " cannot be written.",
                "Check the permissions of the file and its folder, choose another with --store, "
                "or open it for reading only.");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw Error(
                "The tracking store " + name + " is locked by another program for more than 20 seconds.",
                "Close what is writing to it (an MLflow server that migrates, a backup) and try again.");
        case SQLITE_CANTOPEN:
            throw Error("The tracking store " + name + " cannot be opened.",
                        "Check that it is a file and that you may read and write it and its folder.");
        default:
            throw Error("The tracking store " + name + " failed: " + failure.what() + ".");
    }
}

/// A file in WAL mode in a folder that may not be written has nowhere to put its shared memory; when nobody
/// can be writing it, SQLite may read it as it is.
bool needsImmutable(const std::filesystem::path& file, BusyHandler& patience) {
    try {
        SQLite::Database probe(file, SQLite::OPEN_READONLY);
        patience.rule(probe);
        SQLite::Statement(probe, "SELECT COUNT(*) FROM sqlite_master").executeStep();
        return false;
    } catch (const SQLite::Exception& failure) {
        if (failure.getErrorCode() != SQLITE_CANTOPEN && failure.getErrorCode() != SQLITE_READONLY) throw;
        return std::filesystem::exists(file);
    }
}

/// SQLite does not wait for other connections here as it does elsewhere, so programs that open a new file at
/// once would refuse one another.
void switchToWal(SQLite::Database& db, BusyHandler& patience) {
    for (int tries = 0;; ++tries) {
        try {
            db.exec("PRAGMA journal_mode = WAL");
            return;
        } catch (const SQLite::Exception& failure) {
            if (failure.getErrorCode() != SQLITE_BUSY || !patience.wait(tries)) throw;
        }
    }
}

SQLite::Database open(const std::filesystem::path& file, bool readOnly, BusyHandler& patience) {
    if (const auto found = describeNonFile(file); !found.empty())
        throw Error("The tracking store " + file.string() + " is " + found + ", not a file.",
                    "Name a file with --store, such as " +
                        ((found == "a folder" ? file : file.parent_path()) / "dailies.db").string() + ".");
    try {
        if (readOnly) {
            if (!std::filesystem::exists(file))
                throw Error("There is no tracking store at " + file.string() + ".",
                            "Launch a sweep to make one, or name another file with --store.");
            if (needsImmutable(file, patience))
                return SQLite::Database(fileUri(file) + "?immutable=1",
                                        SQLite::OPEN_READONLY | SQLite::OPEN_URI | kOneThread);
            return SQLite::Database(file, SQLite::OPEN_READONLY | kOneThread);
        }
        std::error_code problem;
        std::filesystem::create_directories(file.parent_path(), problem);
        if (problem)
            throw Error(
                "The folder " + file.parent_path().string() + " cannot be made: " + problem.message() + ".",
                "Choose another place for the tracking store with --store.");
        return SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | kOneThread);
    } catch (const SQLite::Exception& failure) {
        patience.requireWanted(failure);
        fail(file, failure);
    }
}

}  // namespace

Database::Database(const std::filesystem::path& file, bool readOnly, std::stop_token stop)
    : m_file(std::filesystem::absolute(file)),
      m_busyHandler(std::make_unique<BusyHandler>(std::move(stop))),
      m_connection(open(m_file, readOnly, *m_busyHandler)) {
    m_busyHandler->rule(m_connection);
    withoutTransaction([&](SQLite::Database& db) {
        enableRowScans(db);
        db.exec("PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY");
        if (readOnly) return;
        // SQLite opens a write-protected file for reading when it was asked to write, and says so only here
        if (sqlite3_db_readonly(db.getHandle(), "main") == 1) throw SQLite::Exception("", SQLITE_READONLY);
        db.exec("PRAGMA synchronous = NORMAL");
    });
}

void Database::interruptOnStop(std::stop_token stop) {
    auto patience = std::make_unique<BusyHandler>(std::move(stop));
    patience->rule(m_connection);
    m_busyHandler = std::move(patience);
}

const std::stop_token& Database::stop() const {
    return m_busyHandler->stop();
}

std::int64_t Database::dataVersion() {
    return withoutTransaction([&](SQLite::Database& db) { return commitsOfOthers(db) + m_commits; });
}

std::int64_t Database::othersVersion() {
    return withoutTransaction(commitsOfOthers);
}

void Database::prepareFile() {
    withoutTransaction([this](SQLite::Database& db) {
        // before the first page, or it has no effect; later it would write the file for nothing
        if (db.execAndGet("PRAGMA page_count").getInt64() == 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
        switchToWal(db, *m_busyHandler);
    });
}

void Database::shrink() {
    constexpr int kIncremental = 2;
    try {
        if (m_connection.execAndGet("PRAGMA auto_vacuum").getInt() == kIncremental)
            m_connection.exec("PRAGMA incremental_vacuum");
        else
            m_connection.exec("VACUUM");
        m_connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (const SQLite::Exception&) {  // busy or no room for the copy: nothing is lost by staying large
    }
}

void Database::commit(SQLite::Transaction& transaction) {
    transaction.commit();
    ++m_commits;
}

Database::~Database() = default;

void Database::fail(const SQLite::Exception& failure) const {
    m_busyHandler->requireWanted(failure);
    tracking::fail(m_file, failure);
}

std::string fileUri(const std::filesystem::path& path) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string uri = "file://";
    for (const char c : path.string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || std::string_view("/-_.~").find(c) != std::string_view::npos)
            uri += c;
        else
            (uri += '%', uri += kHex[byte >> 4], uri += kHex[byte & 0xf]);
    }
    return uri;
}

}  // namespace dailies::tracking
