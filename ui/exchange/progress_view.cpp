#include "ui/exchange/progress_view.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLocale>
#include <QProgressBar>

#include <mutex>

namespace dailies::ui {

namespace {
constexpr int kRefreshMs = 100;
}

struct ProgressView::Shared {
    std::mutex lock;
    exchange::Progress at;
};

QString runCountText(std::int64_t count) {
    const QString number = QLocale().toString(static_cast<qlonglong>(count));
    return count == 1 ? QObject::tr("1 run") : QObject::tr("%1 runs").arg(number);
}

QString pointCountText(std::int64_t count) {
    const QString number = QLocale().toString(static_cast<qlonglong>(count));
    return count == 1 ? QObject::tr("1 point") : QObject::tr("%1 points").arg(number);
}

QString skippedText(const exchange::SkippedItem& entry) {
    const QString count = entry.count > 1
                              ? QLocale().toString(static_cast<qlonglong>(entry.count)) + QLatin1Char(' ')
                              : QString();
    return count + sanitized(entry.what) + QStringLiteral(": ") + sanitized(entry.why);
}

ProgressView::ProgressView(QString done, QWidget* parent)
    : QWidget(parent),
      m_done(std::move(done)),
      m_bar(new QProgressBar),
      m_text(new ElidedLabel(TextStyle::Body, TextTone::Muted)) {
    auto* column = makeColumn(space::k8);
    column->addWidget(m_bar);
    column->addWidget(m_text);
    setLayout(column);
    m_bar->setTextVisible(false);
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, this, &ProgressView::refresh);
    hide();
}

exchange::ProgressHandler ProgressView::start() {
    m_shared = std::make_shared<Shared>();
    m_bar->setRange(0, 0);
    m_text->setFullText({});
    m_timer.start();
    show();
    return [shared = m_shared](const exchange::Progress& at) {
        const std::scoped_lock guard(shared->lock);
        shared->at = at;
    };
}

void ProgressView::stop() {
    m_timer.stop();
    hide();
}

void ProgressView::refresh() {
    exchange::Progress at;
    {
        const std::scoped_lock guard(m_shared->lock);
        at = m_shared->at;
    }
    if (at.totalRuns > 0) {
        m_bar->setRange(0, static_cast<int>(at.totalRuns));
        m_bar->setValue(static_cast<int>(at.runs));
    }
    QString text = tr("%1, %2 %3").arg(runCountText(at.runs), pointCountText(at.points), m_done);
    if (!at.currentItem.empty()) text += tr(" · now %1").arg(sanitized(at.currentItem));
    m_text->setFullText(text);
}

}  // namespace dailies::ui
