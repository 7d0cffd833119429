#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

struct sqlite3_value;

namespace dailies::tracking {

/// A row while SQLite hands it over; its texts are gone with it.
class ScannedRow {
public:
    explicit ScannedRow(sqlite3_value** values) : m_values(values) {}
    std::string_view text(int column) const;  ///< empty for NULL
    std::int64_t integer(int column) const;
    double real(int column) const;
    bool isNull(int column) const;

private:
    sqlite3_value** m_values;
};

/// Makes `scanRows` possible on a connection.
void enableRowScans(SQLite::Database& db);

/// Calls `take` for each row of SELECT `columns` FROM `tables` (with its WHERE; ?1 is `argument`), in no
/// order, all within one step of SQLite: a table of 5,000 runs has a third of a million rows, and fetching
/// them step by step and column by column costs more than finding them. What `take` throws arrives here.
void scanRows(SQLite::Database& db, const std::string& columns, const std::string& tables,
              const std::string& argument, const std::function<void(const ScannedRow&)>& take);

}  // namespace dailies::tracking
