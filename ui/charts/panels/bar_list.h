#pragma once

#include <QAbstractScrollArea>
#include <QColor>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// One row of a `BarList`.
struct BarRow {
    std::string id = {};  ///< of the run, the param, … whatever the owner lists
    QString label = {};
    QString valueText = {};
    QString note = {};  ///< the tooltip's further lines
    QColor color = {};
    double value = 0;  ///< NaN: no bar, the text says why
    double error = 0;  ///< half the whisker; 0: none
    bool dot = true;   ///< the colour also stands before the label
    bool faint = false;
    bool emphasized = false;
};

/// Horizontal bars under one another, of any number: only the rows in view are painted. Bars begin at zero,
/// on a logarithmic scale at the left edge. ↑ ↓ Page and Home keys go along the rows, Space or a click
/// chooses one, Enter or a double click opens it.
class BarList : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit BarList(QWidget* parent = nullptr);

    /// `logarithmic`: every finite value is positive then, and whiskers are left out.
    void setRows(std::vector<BarRow> rows, bool logarithmic = false);
    const std::vector<BarRow>& rows() const { return m_rows; }
    /// Lights up the row because the pointer is over it elsewhere; "" = none.
    void setHovered(const std::string& id);
    /// Where the bar of this row is, in the viewport; may lie outside of it.
    QRectF barOf(std::size_t row) const;
    /// Where a finite value lies between the ends of the scale, 0 to 1, and where bars begin on it.
    double placeOf(double value) const;
    double basePlace() const;
    std::optional<std::size_t> hoveredRow() const { return m_hovered; }

signals:
    void hovered(const std::string& id);  ///< "" = none
    void chosen(const std::string& id);
    void opened(const std::string& id);
    void rowsChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    QRectF rowRect(std::size_t row) const;
    std::optional<std::size_t> rowAt(double y) const;
    void hover(std::optional<std::size_t> row);
    void goTo(std::size_t row);
    void layOut();
    double xOf(double value) const;
    void paintRow(QPainter& painter, std::size_t row) const;

    std::vector<BarRow> m_rows;
    bool m_logarithmic = false;
    double m_low = 0, m_high = 1;  ///< of the scale; logarithms on a logarithmic one
    double m_labelWidth = 0, m_valueWidth = 0;
    std::optional<std::size_t> m_hovered;
    std::optional<std::size_t> m_current;
};

}  // namespace dailies::ui
