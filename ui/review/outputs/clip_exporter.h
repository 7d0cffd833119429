#pragma once

#include "ui/bridge/run_async.h"
#include "ui/review/outputs/mlflow_sheets.h"

#include <QFrame>

#include <filesystem>
#include <functional>

class QProgressBar;
class QToolButton;

namespace dailies::ui {

class ElidedLabel;
class WallView;

/// Puts out clips of the wall, and the strip below it that says how far that is: a contact sheet (PNG or
/// PDF), a page with the clips in it (HTML), or all clips side by side in one video (MP4). Hidden while it
/// neither works nor has a failure to tell. GUI thread; the work is done on another, one at a time, and can
/// be stopped.
class ClipExporter : public QFrame {
    Q_OBJECT

public:
    explicit ClipExporter(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Asks what of the wall, how and where; the format is that of `ending` unless somebody says otherwise.
    /// Pages say what `reviews` hold.
    void ask(const WallView& wall, const QString& title, const judging::Reviews& reviews,
             const QString& ending);
    /// Writes without asking; the ending of the file's name chooses what is written.
    void save(const WallScene& scene, const QString& title, const QString& file,
              const judging::Reviews& reviews = {}, const OutputOptions& options = {});
    /// Adds sheets of the runs' steps to what MLflow shows of them.
    void addSheetsToMlflow(const ReviewData& review);

    bool busy() const { return m_busy; }
    QString text() const;  ///< what the strip says

signals:
    void saved(const QString& file);
    void notification(const QString& text);

public slots:
    void stop();  ///< the work; a file that is not complete is not there

private:
    using Work = std::function<void(const OutputProgress&, const std::stop_token&)>;

    void run(const QString& what, std::function<void()> tell, Work work);
    void finish(const QString& text);
    void showProgress(int done, int total);

    std::filesystem::path m_storeFile;
    AsyncTask m_task;
    bool m_busy = false;
    QString m_what;
    ElidedLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_close;
};

}  // namespace dailies::ui
