#pragma once

#include "ui/theme/tokens.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace dailies::ui {

/// What a cell's colour says; the colour itself is the theme's.
enum class StatusTone { Normal, Muted, Faint, Good, Busy, Warning, Bad };
QColor toneColor(StatusTone tone);

struct SnapshotCell {
    QString text;
    double order = 0;                      ///< by which rows are sorted; texts of one order by their words
    StatusTone tone = StatusTone::Normal;  ///< of the text, or of the dot or bar
    std::optional<double> share = {};      ///< 0 to 1: painted as a bar before the text
    bool dot = false;                      ///< a round mark in the tone's colour before the text
    QString tip = {};                      ///< tooltip, where it says more than the text
};

struct SnapshotRow {
    QString key;  ///< what the row is about: survives new rows
    std::vector<SnapshotCell> cells;
    int depth = 0;  ///< 1: belongs to the row of depth 0 above it, and stays below it when sorted
    std::optional<bool> open = {};  ///< whether its rows of depth 1 are shown; nullopt: it has none
};

/// Rows of facts that are replaced whole with every look at the cluster, sorted and searched. Thousands of
/// rows cost milliseconds.
class SnapshotModel : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString title;
        int width = 100;
        bool number = false;  ///< to the right, in the monospaced face
        QString tip = {};
    };

    explicit SnapshotModel(std::vector<Column> columns, QObject* parent = nullptr);

    void setRows(std::vector<SnapshotRow> rows);
    /// Keeps rows all of whose words are somewhere in them.
    void setSearch(const QString& words);

    const Column& column(int index) const { return m_columns[static_cast<std::size_t>(index)]; }
    const SnapshotRow& rowAt(int row) const { return m_rows[m_shown[static_cast<std::size_t>(row)]]; }
    int rowOf(const QString& key) const;                            ///< -1: not shown
    bool hasExpandableRows() const { return m_hasExpandableRows; }  ///< whether any row can be opened

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void arrange();

    std::vector<Column> m_columns;
    std::vector<SnapshotRow> m_rows;
    std::vector<std::size_t> m_shown;  ///< indices of `m_rows`
    bool m_hasExpandableRows = false;
    QStringList m_search;
    int m_sortColumn = -1;  ///< -1: as they came
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

}  // namespace dailies::ui
