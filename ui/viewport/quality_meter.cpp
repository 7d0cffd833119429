#include "ui/viewport/quality_meter.h"

#include <QPointer>

namespace dailies::ui {

namespace {

constexpr int kBatch = 8;  ///< frames between two repaints of the curves

}  // namespace

QualityMeter::QualityMeter(QObject* parent) : QObject(parent) {}

void QualityMeter::compare(const quality::ComparedFile& reference, const quality::ComparedFile& clip) {
    if (reference == m_reference && clip == m_clip && m_problem.isEmpty()) return;
    m_task.cancel();
    m_reference = reference;
    m_clip = clip;
    m_frames.clear();
    m_problem.clear();
    m_running = !reference.file.empty() && !clip.file.empty();
    const int comparison = ++m_comparison;
    emit changed();
    if (!m_running) return;
    m_task = runAsync(
        this,
        [reference, clip, comparison, meter = QPointer(this)](const std::stop_token& stop) {
            const auto take = [&](const std::vector<quality::FrameComparison>& frames) {
                detail::postToGui([meter, comparison, frames] {
                    if (!meter || meter->m_comparison != comparison) return;
                    meter->m_frames = frames;
                    emit meter->changed();
                });
            };
            quality::compareClips(reference, clip, kBatch, take, stop);
        },
        [this] {
            m_running = false;
            emit changed();
        },
        [this](const Error& error) {
            m_running = false;
            m_problem = QString::fromStdString(error.full());
            emit changed();
        });
}

}  // namespace dailies::ui
