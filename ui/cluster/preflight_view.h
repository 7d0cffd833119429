#pragma once

#include "core/preflight/report.h"
#include "ui/bridge/run_async.h"

#include <QWidget>

#include <filesystem>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace dailies::ui {

class ClusterWorker;
class LinkMatrix;

/// The preflights of a cluster: the chosen one's nodes with their figures as bars, what is wrong with them,
/// how earlier ones judged each node, and the rates between all pairs. For a page to embed; the page carries
/// out `checkRequested`.
class PreflightView : public QWidget {
    Q_OBJECT

public:
    explicit PreflightView(QWidget* parent = nullptr);

    /// Reads the reports of a folder (remote::preflightHistory) off the GUI thread and shows the newest.
    void read(const std::filesystem::path& history);
    /// Newest first.
    void display(std::vector<preflight::Report> reports);
    /// One is under way: what it does, for a person; empty when none is.
    void setProgress(const QString& line);
    void setCheckEnabled(bool enabled);

    bool isChecking() const { return m_checking; }
    bool isSettled() const { return !m_reading; }

signals:
    /// Somebody wants the nodes measured now.
    void checkRequested();
    void stopRequested();

private:
    void showButton();
    void showReport(int index);
    void fillTable(const preflight::Report& report);

    std::vector<preflight::Report> m_reports;
    AsyncTask m_task;
    bool m_reading = false, m_checking = false, m_mayCheck = true;

    QComboBox* m_which;
    QPushButton* m_check;
    QLabel* m_progress;
    QLabel* m_summary;
    QTableWidget* m_nodes;
    QLabel* m_linksTitle;
    LinkMatrix* m_links;
};

/// The view of the worker's cluster, which its button measures: all that a page needs of it. The worker must
/// outlive it.
PreflightView* makePreflightPanel(ClusterWorker& worker, QWidget* parent = nullptr);

/// The rates between all pairs of nodes as shades; a pair without a way stands out.
class LinkMatrix : public QWidget {
    Q_OBJECT

public:
    explicit LinkMatrix(QWidget* parent = nullptr);

    void display(const preflight::Report& report);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF cell(std::size_t row, std::size_t column) const;
    QString textOf(std::size_t row, std::size_t column) const;

    preflight::Report m_report;
    double m_most = 0;
};

}  // namespace dailies::ui
