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

/// Puts out what the wall shows, and the strip below it that says how far that is: a contact sheet (PNG or
/// PDF), a page with the clips in it (HTML), or all clips side by side in one video (MP4). Hidden while it
/// neither works nor has a failure to tell. GUI thread; the work is done on another, one at a time, and can
/// be stopped.
class ClipExporter : public QFrame {
    Q_OBJECT

public:
    explicit ClipExporter(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Asks for a file; the ending of its name chooses what is written, `suffix` unless somebody says
    /// otherwise. Pages say what `reviews` hold.
    void ask(const WallScene& scene, const QString& title, const judging::Reviews& reviews = {},
             const QString& suffix = QStringLiteral("png"));
    /// Writes without asking.
    void save(const WallScene& scene, const QString& title, const QString& file,
              const judging::Reviews& reviews = {});
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
