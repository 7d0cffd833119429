#pragma once

#include "ui/datasets/clip_order.h"
#include "ui/datasets/dataset_model.h"

#include <QWidget>

#include <filesystem>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace dailies::ui {

class CaptionField;
class ClipWall;
class ElidedLabel;
class EmptyState;
class ThresholdPanel;

/// A curated folder's clips beside the thresholds that keep or drop them: a limit that moves shows at once
/// what stays, and nothing is decoded for it. Keys: arrows select, Space plays, Return shows a clip alone, K
/// keeps, X drops, Backspace takes that back, C writes a caption, Ctrl+F finds, Ctrl+S saves, ? lists them.
/// GUI thread only.
class DatasetsPage : public QWidget {
    Q_OBJECT

public:
    explicit DatasetsPage(QWidget* parent = nullptr);
    ~DatasetsPage() override;

    void open(const std::filesystem::path& folder);
    void chooseFolder();
    bool isSettled() const;

    DatasetModel& model() { return m_model; }
    ClipWall& wall() { return *m_wall; }
    ThresholdPanel& panel() { return *m_panel; }
    CaptionField& captionField() { return *m_caption; }
    void setFilter(const CuratedFilter& filter);
    const CuratedFilter& filter() const { return m_filter; }

signals:
    void curateRequested();   ///< films of a cluster
    void captionRequested();  ///< clips of a cluster
    void scoreRequested();    ///< likewise
    void shardRequested();    ///< likewise
    /// `folder`: where the clips that are kept lie, on the cluster for a copy of its folder.
    void trainRequested(const QString& folder);
    void openRemoteRequested();                ///< a curated folder of a cluster
    void folderOpened(const QString& folder);  ///< its clips are on show
    void notification(const QString& text);
    void failed(const dailies::Error& error);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeHeader();
    QLineEdit* makeFindField();
    QWidget* makeFilterBar();
    QWidget* makeCaptionRow();
    QWidget* makeClipBar();
    void connectModel();
    void showOpened(bool otherFolder);
    void refresh();  ///< after rules, corrections or the filter have changed
    void nameFilters();
    void refreshState();    ///< buttons, by what there is to save
    void refreshNotice();   ///< what of the folder could not be read
    void refreshClipBar();  ///< what is said of the selected clip
    void refreshCaption();
    void showThreshold(curation::Measure measure, std::optional<double> limit);
    void nameMeasures();  ///< in the choices of reason and order
    void correct(curation::Correction correction);
    void showAlike(bool on);  ///< clips that show what the selected one does, or all again
    void showKeys();
    void exportTable();

    DatasetModel m_model;
    ClipOrder m_order;
    CuratedFilter m_filter;

    QStackedWidget* m_body;  ///< the empty state, or clips and rules
    EmptyState* m_empty;
    ClipWall* m_wall;
    ThresholdPanel* m_panel;
    ElidedLabel* m_folder;
    QLabel* m_counts;
    QPushButton* m_reset;
    QPushButton* m_save;
    QToolButton* m_openFolder;
    QToolButton* m_onCluster;  ///< a menu
    QToolButton* m_export;
    QToolButton* m_train;
    bool m_countsInFilter = true;      ///< where there is room
    std::vector<QPushButton*> m_show;  ///< in the order of `CuratedFilter::Show`
    QLineEdit* m_find;
    QComboBox* m_reasons;
    QComboBox* m_sort;
    QToolButton* m_direction;
    ElidedLabel* m_notice;
    CaptionField* m_caption;
    QWidget* m_captionRow;  ///< that holds it
    ElidedLabel* m_clip;
    QPushButton *m_alike, *m_play, *m_keep, *m_drop, *m_takeBack;
};

}  // namespace dailies::ui
