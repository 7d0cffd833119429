#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <unordered_map>

namespace dailies::tracking {

/// The prepared statements of one connection, kept for the next time: preparing costs more than most of them
/// take to run. One thread.
class StatementCache {
public:
    /// A statement while it is being used; afterwards it is reset, so that it holds no snapshot back.
    class ScopedStatement {
    public:
        explicit ScopedStatement(SQLite::Statement& statement) : m_statement(statement) {}
        ~ScopedStatement() { m_statement.tryReset(); }
        ScopedStatement(const ScopedStatement&) = delete;
        ScopedStatement& operator=(const ScopedStatement&) = delete;

        SQLite::Statement& operator*() const { return m_statement; }
        SQLite::Statement* operator->() const { return &m_statement; }

    private:
        SQLite::Statement& m_statement;
    };

    explicit StatementCache(SQLite::Database& db) : m_db(db) {}
    StatementCache(const StatementCache&) = delete;
    StatementCache& operator=(const StatementCache&) = delete;

    SQLite::Database& db() { return m_db; }

    /// The statement with these arguments bound in order, ready to be stepped. `sql` is a literal: it is
    /// known again by its address.
    template <class... Args>
    ScopedStatement operator()(const char* sql, const Args&... args) {
        auto at = m_prepared.find(sql);
        if (at == m_prepared.end()) at = m_prepared.try_emplace(sql, m_db, sql).first;
        if constexpr (sizeof...(args) > 0) SQLite::bind(at->second, args...);
        return ScopedStatement(at->second);
    }

    /// Runs a statement that returns no rows; the number of rows that it changed.
    template <class... Args>
    int run(const char* sql, const Args&... args) {
        return (*this)(sql, args...)->exec();
    }

private:
    SQLite::Database& m_db;
    std::unordered_map<const char*, SQLite::Statement> m_prepared;
};

}  // namespace dailies::tracking
