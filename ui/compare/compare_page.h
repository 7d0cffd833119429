#pragma once

#include "ui/bridge/run_async.h"
#include "ui/compare/compare_columns.h"
#include "ui/compare/compare_data.h"

#include <QTimer>
#include <QWidget>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QScrollArea;
class QScrollBar;
class QStackedWidget;
class QToolButton;

namespace dailies::ui {

class ChartGrid;
class ClusterWorker;
class CompareClips;
class CompareTable;
class EmptyState;
class RunHeaderBar;

/// Two to fifty runs side by side: what differs in their configurations, environments and metrics, their
/// curves, and their clips, in one sheet below heads that stay. A step chosen in a curve moves the clips
/// there, and the clips' step is a cursor in every chart. Reads the store off the GUI thread.
class ComparePage : public QWidget {
    Q_OBJECT

public:
    ComparePage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    /// Compares these runs, in this order; the first is the reference.
    void setRuns(const std::vector<std::string>& runIds);
    const std::vector<std::string>& runIds() const { return m_runIds; }
    const std::string& reference() const { return m_reference; }
    void setReference(const std::string& runId);
    /// The run that did best becomes the reference; says by which metric, or that none did.
    void setBestAsReference();
    void removeRun(const std::string& runId);
    void moveRun(int from, int to);
    /// Everything that was asked for is on the screen.
    bool isSettled() const;

    CompareTable& table() { return *m_table; }
    ChartGrid& charts() { return *m_charts; }
    CompareClips& clips() { return *m_clips; }
    QString markdown() const;
    QString csv() const;
    /// Asks the cluster how the code of the run in front (of the other one, where that is the reference)
    /// differs from the reference's, and shows it in a dialog.
    void compareCode();

signals:
    void openRunRequested(const std::string& runId);
    void backRequested();
    void runsRequested();  ///< from the empty state: where runs are chosen
    void failed(const dailies::Error& error);
    void notification(const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeBar();
    QWidget* makeSheet();
    void read();
    void readBest();
    void apply(CompareData found);
    void showData();
    void compareRuns();
    void showComparison();
    void showCharts();
    void refilter();
    void layOutColumns();
    void scrollColumns(int offset);
    void setCurrent(int column);
    void goToSection(int by);
    void goToLink(int link);
    std::vector<int> sectionTops() const;
    QWidget* makeLinks();
    void showLinks();
    void markLink();
    bool pressFocused() const;
    void makeActions();
    void updateActions();
    void copy(const QString& text, const QString& what);
    /// The run whose code is compared with the reference's; null: there is none, for `whyNot`.
    const tracking::Run* runWithOtherCode(QString* whyNot = nullptr) const;
    void showCode(const std::string& referenceId, const std::string& runId, const std::string& difference);
    std::vector<std::string> loadedIds() const;

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::vector<std::string> m_runIds;
    std::string m_reference;
    CompareData m_data;
    compare::BestPoints m_best;
    std::shared_ptr<const compare::Comparison> m_comparison;
    CompareColumns m_columns;
    int m_current = 0;
    AsyncTask m_task, m_bestTask, m_comparisonTask;
    bool m_reading = false, m_readingBest = false, m_comparing = false, m_loaded = false, m_stale = false;
    QTimer m_readLater;  ///< many changes in one poll make one reading

    QLabel* m_count;
    QLineEdit* m_search;
    QToolButton* m_differences;
    QToolButton* m_copy;
    QToolButton* m_bestFirst;
    QToolButton* m_code;
    std::array<QToolButton*, 5> m_links{};  ///< to each section, in their order on the sheet
    /// The link that was followed last, and how far the sheet was scrolled then.
    std::optional<std::pair<int, int>> m_gone;
    QAction* m_openCurrent = nullptr;
    QAction* m_useCurrent = nullptr;
    QAction* m_removeCurrent = nullptr;
    QAction* m_compareCode = nullptr;
    std::vector<std::pair<QAction*, bool>> m_actions;  ///< and whether it needs two runs
    RunHeaderBar* m_runHeaders;
    CompareTable* m_table;
    QLabel* m_nothing;
    QLabel* m_notice;
    QLabel* m_chartsTitle;
    QLabel* m_clipsTitle;
    ChartGrid* m_charts;
    CompareClips* m_clips;
    QScrollArea* m_scroll;
    QScrollBar* m_sideways;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
};

}  // namespace dailies::ui
