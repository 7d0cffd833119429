#pragma once

#include "ui/charts/chart_panel.h"

#include <QFrame>
#include <QPoint>
#include <QPointer>

#include <optional>
#include <string>

class QToolButton;

namespace dailies::ui {

class ElidedLabel;

/// A panel of the grid with its header: name, notice, menu. Takes it to the clipboard and to files, and tells
/// the grid where a person wants it.
class ChartCard : public QFrame {
    Q_OBJECT

public:
    /// `id` is the grid's; `title` is shown as it is. The panel becomes the card's child.
    ChartCard(std::string id, const QString& title, ChartPanel* panel, QWidget* parent = nullptr);

    const std::string& id() const { return m_id; }
    ChartPanel& panel() { return *m_panel; }
    QString title() const { return m_title; }
    void setMaximized(bool on);

    /// Work that writes what is shown now to a file, whole or not at all; for a worker. It throws `Error`.
    ChartPanel::Exporter exporter(const ChartPanel::FileOptions& options) const;
    void openExportDialog();
    bool exporting() const { return !m_export.isNull(); }
    void copyPicture();
    void openMenu();

signals:
    void failed(const dailies::Error& error);
    void exported(const QString& file);
    void maximizeToggled();
    void moved(int places);  ///< by that many cards, earlier when negative; ±1000: a row
    void removed();
    void dragged(const QPoint& globalPosition);
    void dropped(const QPoint& globalPosition);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QSize pictureSize(bool labels) const;
    void paintPicture(QPainter& painter, bool labels) const;
    QImage image(bool labels) const;

    std::string m_id;
    QString m_title;
    ChartPanel* m_panel;
    QWidget* m_header;
    QToolButton* m_notice;
    QToolButton* m_maximise;
    QToolButton* m_more;
    std::optional<QPoint> m_pressed;
    bool m_dragging = false;
    QPointer<QWidget> m_export;  ///< the dialog, while it is open
};

/// One row down or up, as a number of places for `ChartCard::moved`.
inline constexpr int kRowOfCards = 1000;

}  // namespace dailies::ui
