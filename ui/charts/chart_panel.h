#pragma once

#include "ui/charts/charted_run.h"

#include <QFrame>
#include <QJsonObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies {
class Error;
}

class QMenu;

namespace dailies::ui {

/// One card of the chart grid: a metric's curves, parallel coordinates, a scatter, … Owned by the grid; GUI
/// thread. What is slow (reading the store, fitting a forest, rendering) a panel does off it (`runAsync`).
class ChartPanel : public QFrame {
    Q_OBJECT

public:
    using QFrame::QFrame;

    /// The runs to show, in the table's order; those selected in the table are emphasized. Curves are given
    /// the selected runs alone when there are any. Called again whenever a run, the selection or the filter
    /// changes.
    virtual void setRuns(const ChartedRuns& runs) = 0;

    /// What a person chose in this panel (its metric, its axes), for the saved grid; `restore` takes it back
    /// and ignores what it does not know.
    virtual QJsonObject panelState() const = 0;
    virtual void restore(const QJsonObject& panelState) = 0;

    /// What is shown, as a table: the header's line first, RFC 4180.
    virtual std::string toCsv() const = 0;

    /// Everything that was asked for is on the screen.
    virtual bool isSettled() const = 0;

    /// The pointer is over this run somewhere ("" = over none): show which one it is.
    virtual void setHovered(const std::string& runId) { static_cast<void>(runId); }

    /// The panel's own entries of its card's menu.
    virtual void fillMenu(QMenu& menu) { static_cast<void>(menu); }

    /// A click on the notice (`noticeChanged`).
    virtual void noticeClicked() {}

    /// Work that writes the panel to a file, whole or not at all, and runs on a worker; null: the grid does
    /// it from what the widget paints (pictures) or `toCsv`.
    enum class Format { Png, Svg, Pdf, Csv };
    struct FileOptions {
        Format format = Format::Png;
        bool labels = true;     ///< pictures: with the title and the names
        bool allPoints = true;  ///< tables: as the store has them, not as they are drawn
    };
    using Exporter = std::function<void(const std::filesystem::path& file, std::stop_token stop)>;
    virtual Exporter exporter(const FileOptions& options) const {
        static_cast<void>(options);
        return {};
    }
    /// Whether the store has more than what is drawn.
    virtual bool hasMorePoints() const { return false; }

signals:
    void failed(const dailies::Error& error);
    /// The pointer is over this run's mark ("" = over none): every panel and the table emphasise it.
    void runHovered(const std::string& runId);
    /// A person brushed or clicked marks: the table is to select these runs.
    void runsChosen(const std::vector<std::string>& runIds);
    /// A double click on a run's mark, or Enter: its page is wanted.
    void openRunRequested(const std::string& runId);
    /// A choice changed: the grid saves itself.
    void panelStateChanged();
    /// What a person must know of the picture, for the card's header ("3 values above 12.4 not shown");
    /// empty: nothing. `action` says what a click does.
    void noticeChanged(const QString& text, const QString& action);
};

/// A kind of chart that a person can add to the grid. A new one is a file pair and a line in
/// chart_kinds.cpp.
struct ChartKind {
    std::string id;   ///< as it is saved: "parallel"
    QString title;    ///< "Parallel coordinates"
    QString purpose;  ///< what question it answers, for the menu
    ChartPanel* (*make)(QWidget* parent);
};

const std::vector<ChartKind>& chartKinds();

}  // namespace dailies::ui
