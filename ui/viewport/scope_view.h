#pragma once

#include "ui/widgets/rendered_canvas.h"

#include <QImage>

namespace dailies::ui {

/// Histogram (luma filled, the channels as lines) and luma waveform of A and of B, one above the other. A
/// worker counts and draws. GUI thread only.
class ScopeView : public RenderedCanvas {
    Q_OBJECT

public:
    explicit ScopeView(QWidget* parent = nullptr);

    void setPictures(const QImage& a, const QImage& b);  ///< QImage::Format_RGB32; null: none

    QSize sizeHint() const override { return {264, 360}; }

protected:
    Drawing drawing() const override;

private:
    QImage m_a, m_b;
};

}  // namespace dailies::ui
