#pragma once

#include <QPlainTextEdit>

namespace dailies::ui {

/// A list of texts, one a line, as a field of a form: as high as its lines, within bounds. Tab leaves it.
class LineListEdit : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit LineListEdit(int fewestLines = 1, QWidget* parent = nullptr);

    /// For the field beside the height of its lines.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void changeEvent(QEvent* event) override;

private:
    void fitHeight();

    const int m_fewestLines;
};

}  // namespace dailies::ui
