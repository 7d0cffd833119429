#pragma once

#include "ui/run_details/run_records.h"

#include <QWidget>

#include <vector>

namespace dailies::ui {

/// A run's life as one bar: when it waited and when which attempt ran, how each ended, where it went on.
class AttemptTimeline : public QWidget {
    Q_OBJECT

public:
    struct Span {
        enum class Kind { Waiting, Running, Finished, Failed };
        Kind kind = Kind::Waiting;
        int attempt = 0;  ///< from 1; of the one that is waited for while waiting
        std::int64_t fromMs = 0, toMs = 0;
        QString text = {};  ///< for its tooltip
    };

    explicit AttemptTimeline(QWidget* parent = nullptr);
    void setSpans(std::vector<Span> spans);
    const std::vector<Span>& spans() const { return m_spans; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF rectOf(const Span& span) const;
    std::vector<Span> m_spans;
};

/// From its launch (else its first attempt) to its end, or to `nowMs` while it goes on. Without gaps.
std::vector<AttemptTimeline::Span> timelineOf(const RunRecords& records, std::int64_t nowMs);

}  // namespace dailies::ui
