#pragma once

#include "ui/charts/curve_renderer.h"

#include <QGraphicsItem>

#include <optional>
#include <vector>

namespace dailies::ui {

/// The curves' picture and the crosshair over a chart's plot area. Paints one image and a few texts, whatever
/// the number of points.
class CurveItem : public QGraphicsItem {
public:
    explicit CurveItem(QGraphicsItem* parent);

    void setPlotArea(const QRectF& area);
    /// Both must live until the next call; `picture.shown` belongs to `curves`.
    void setPicture(const CurvePicture* picture, const std::vector<Curve>* curves, bool logarithmic);
    void setCrosshair(std::optional<double> step, std::optional<double> pointerY);
    void setSelection(std::optional<Range> steps);  ///< what is being dragged over

    QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    struct Reading {
        QPointF at;
        const Curve* curve;
        double step, value;
    };
    std::vector<Reading> readings() const;
    void paintCrosshair(QPainter* painter) const;
    void paintBox(QPainter* painter, std::vector<Reading> readings) const;
    double xOf(double step) const;
    double yOf(double value) const;

    QRectF m_area;
    const CurvePicture* m_picture = nullptr;
    const std::vector<Curve>* m_curves = nullptr;
    bool m_logarithmic = false;
    std::optional<double> m_crosshair;
    std::optional<double> m_pointerY;
    std::optional<Range> m_selection;
};

}  // namespace dailies::ui
