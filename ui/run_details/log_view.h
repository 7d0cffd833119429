#pragma once

#include "ui/bridge/run_async.h"
#include "ui/run_details/log_index.h"

#include <QAbstractScrollArea>
#include <QString>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace dailies::ui {

/// A log file of any size: only the rows in sight (and some around them) are read, on a worker thread, and
/// only they are painted. Rows that have not been read yet are blank for a moment. GUI thread only.
class LogView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);

    /// Shows this file from now on; it need not exist yet.
    void setFile(const std::filesystem::path& file);
    /// The file may have grown: reads what is new. A following view goes to the end.
    void refresh();

    /// What is said in the place of a log without rows.
    void setEmptyText(const QString& text);

    void setFollowing(bool on);
    bool isFollowing() const { return m_following; }
    void setWrapping(bool on);

    /// Marks this text wherever it occurs and counts the rows that have it; empty: nothing.
    void search(const QString& text);
    /// To the next row with the search's text, or with `failureWords`; -1: backwards. Wraps around.
    void goToMatch(int direction);
    void goToFailure(int direction);
    void goToRow(std::int64_t row);

    std::int64_t rows() const { return m_index ? m_index->rows : 0; }
    std::int64_t lines() const { return m_index ? m_index->lines : 0; }
    std::int64_t bytes() const { return m_index ? m_index->bytes : 0; }
    std::int64_t matches() const { return static_cast<std::int64_t>(m_matches.size()); }
    std::int64_t currentMatch() const;  ///< from 1; 0: the cursor is on none
    std::int64_t failures() const { return static_cast<std::int64_t>(m_failures.size()); }
    std::int64_t topRow() const;
    /// Texts of the rows in sight; empty ones have not been read yet.
    std::vector<QString> shownRows() const;
    bool isSettled() const;

signals:
    void changed();  ///< counts, matches or following
    void failed(const dailies::Error& error);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class Tone : std::uint8_t { Normal, Warning, Failure };
    struct ShownRow {
        QString text;
        std::int64_t line = 0;
        bool begins = true;
        bool isContinuation = false;
        Tone tone = Tone::Normal;
    };

    void accept(LogIndexPtr index);
    void readWindow();
    void find();
    void updateBars();
    void goTo(const std::vector<std::int64_t>& rows, int direction);
    void copySelection();
    void selectAll();
    const ShownRow* shownRow(std::int64_t row) const;
    /// From where to where the search's text stands in a row that is read; beyond its ends where it is cut.
    std::vector<std::pair<qsizetype, qsizetype>> hitsIn(std::int64_t row) const;
    std::int64_t rowAt(int y) const;
    std::int64_t visibleRows() const;
    int columns() const;  ///< characters in a wrapped line
    int heightOf(std::int64_t row) const;
    int gutter() const;
    int lineHeight() const;

    std::filesystem::path m_file;
    LogIndexPtr m_index;
    std::int64_t m_windowFirst = 0;
    std::vector<ShownRow> m_window;
    LogIndexPtr m_windowIndex;  ///< what the window was read with

    bool m_indexing = false, m_refreshAgain = false, m_readingWindow = false, m_finding = false;
    AsyncTask m_indexTask, m_windowTask, m_findTask;
    QString m_emptyText;
    QString m_needle;
    std::vector<std::int64_t> m_matches, m_failures;
    std::int64_t m_matchesSeen = 0, m_failuresSeen = 0;  ///< rows that were looked through
    std::int64_t m_cursor = -1;                          ///< row that was gone to or clicked
    std::int64_t m_anchor = -1;                          ///< other end of the selection
    bool m_following = true;
    bool m_wrapping = false;
    bool m_moving = false;  ///< the view scrolls by itself
};

}  // namespace dailies::ui
