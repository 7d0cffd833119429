#pragma once

#include "ui/charts/curve_scene.h"

#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QSlider;
class QToolButton;

namespace dailies::ui {

/// The bar above the charts: search, smoothing, x axis, how all charts are drawn, the grid's shape, and
/// charts to add. Holds no state but what its controls show.
class ChartGridBar : public QWidget {
    Q_OBJECT

public:
    explicit ChartGridBar(QWidget* parent = nullptr);

    void setCaption(const QString& caption);
    QString caption() const;
    void display(const CurveSettings& settings, int columns, bool tall);
    void setMetrics(const std::vector<std::string>& growing);
    void setRemoved(const std::vector<std::string>& metrics) { m_removed = metrics; }
    void setZoomed(bool on);
    void focusSearch();

signals:
    void searchTextChanged(const QString& text);
    void settingsChosen(const CurveSettings& settings);
    void gridShapeChanged(int columns, bool tall);
    void chartAdded(const std::string& kind);
    void metricAdded(const std::string& key);
    void zoomResetRequested();

private:
    void fillXMenu();
    void fillViewMenu();
    void fillAddMenu();
    void choose(const std::function<void(CurveSettings&)>& change);

    CurveSettings m_settings;
    int m_columns = 0;
    bool m_tall = false;
    std::vector<std::string> m_growing, m_removed;

    QLabel* m_caption;
    QLineEdit* m_search;
    QSlider* m_smoothing;
    QLabel* m_smoothingValue;
    QToolButton* m_all;
    QToolButton* m_x;
    QToolButton* m_view;
    QToolButton* m_add;
};

}  // namespace dailies::ui
