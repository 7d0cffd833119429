#include "core/tracking/row_scan.h"

#include <sqlite3.h>

#include <exception>
#include <memory>

namespace dailies::tracking {

namespace {

constexpr const char* kFunction = "dailies_take_row";
constexpr const char* kSinkType = "dailies::RowSink";  ///< SQLite gives a pointer back to who names its type

struct Sink {
    const std::function<void(const ScannedRow&)>& take;
    std::exception_ptr thrown = nullptr;
};

/// One row of what looks like an aggregate to SQLite.
void takeRow(sqlite3_context* context, int, sqlite3_value** values) {
    auto* sink = static_cast<Sink*>(::sqlite3_value_pointer(values[0], kSinkType));
    if (!sink) return ::sqlite3_result_error(context, "only for Dailies itself", -1);
    try {
        sink->take(ScannedRow(values + 1));
    } catch (...) {  // must not pass through SQLite's frames
        sink->thrown = std::current_exception();
        ::sqlite3_result_error(context, "stopped", -1);
    }
}

void endRows(sqlite3_context* context) {
    ::sqlite3_result_null(context);
}

void check(SQLite::Database& db, int result) {
    if (result != SQLITE_OK) throw SQLite::Exception(db.getHandle(), result);
}

}  // namespace

std::string_view ScannedRow::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(::sqlite3_value_text(m_values[column]));
    return {data ? data : "", static_cast<std::size_t>(::sqlite3_value_bytes(m_values[column]))};
}

std::int64_t ScannedRow::integer(int column) const {
    return ::sqlite3_value_int64(m_values[column]);
}

double ScannedRow::real(int column) const {
    return ::sqlite3_value_double(m_values[column]);
}

bool ScannedRow::isNull(int column) const {
    return ::sqlite3_value_type(m_values[column]) == SQLITE_NULL;
}

void enableRowScans(SQLite::Database& db) {
    check(db, ::sqlite3_create_function_v2(db.getHandle(), kFunction, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                           nullptr, nullptr, takeRow, endRows, nullptr));
}

void scanRows(SQLite::Database& db, const std::string& columns, const std::string& tables,
              const std::string& argument, const std::function<void(const ScannedRow&)>& take) {
    Sink sink{take};
    const std::string sql = "SELECT " + std::string(kFunction) + "(?2, " + columns + ") FROM " + tables;
    sqlite3_stmt* prepared = nullptr;
    check(db,
          ::sqlite3_prepare_v2(db.getHandle(), sql.data(), static_cast<int>(sql.size()), &prepared, nullptr));
    const std::unique_ptr<sqlite3_stmt, decltype(&::sqlite3_finalize)> scan(prepared, ::sqlite3_finalize);
    if (!argument.empty())
        check(db, ::sqlite3_bind_text(scan.get(), 1, argument.data(), static_cast<int>(argument.size()),
                                      SQLITE_STATIC));
    check(db, ::sqlite3_bind_pointer(scan.get(), 2, &sink, kSinkType, nullptr));
    const int result = ::sqlite3_step(scan.get());
    if (sink.thrown) std::rethrow_exception(sink.thrown);
    if (result != SQLITE_ROW) throw SQLite::Exception(db.getHandle(), result);
}

}  // namespace dailies::tracking
