#include "ui/wall/clip_stage.h"

#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"

#include <QPainter>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kCaptionHeight = space::k32;
constexpr int kStageGap = space::k16;
}  // namespace

ClipStage::ClipStage(QWidget* parent) : QWidget(parent) {
    setMinimumSize(160, 120);
    connect(&m_player, &ClipPlayer::pictureChanged, this, qOverload<>(&QWidget::update));
}

void ClipStage::setClips(std::vector<Clip> clips, int frame) {
    m_clips = std::move(clips);
    m_lastPictures.assign(m_clips.size(), {});
    QStringList captions;
    for (const Clip& clip : m_clips) captions << clip.caption;
    setAccessibleName(captions.join(QStringLiteral(", ")));
    arrange();
    m_player.playhead().seek(frame);
    update();
}

QRect ClipStage::place(int index) const {
    const int count = std::max(static_cast<int>(m_clips.size()), 1);
    const int width = (this->width() - kStageGap * (count - 1)) / count;
    return {index * (width + kStageGap), kCaptionHeight, width, height() - kCaptionHeight};
}

PlayedClip ClipStage::played(int index) const {
    const Clip& clip = m_clips[static_cast<std::size_t>(index)];
    return {clip.file, std::max(clip.frames, 1), place(index).size() * devicePixelRatioF(), clip.fps};
}

void ClipStage::arrange() {
    std::vector<PlayedClip> clips;
    for (int i = 0; i < static_cast<int>(m_clips.size()); ++i)
        if (!m_clips[static_cast<std::size_t>(i)].file.empty()) clips.push_back(played(i));
    m_player.setClips(std::move(clips), true);
}

void ClipStage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void ClipStage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    arrange();
}

void ClipStage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_player.playhead().pause();
    m_player.suspend();
}

void ClipStage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < static_cast<int>(m_clips.size()); ++i) {
        const Clip& clip = m_clips[static_cast<std::size_t>(i)];
        const QRect room = place(i);
        painter.setFont(Theme::font(TextStyle::Strong));
        painter.setPen(colors().text);
        drawElided(painter, QRect(room.left(), 0, room.width(), kCaptionHeight), Qt::AlignCenter,
                   clip.caption);
        const DecodedFrame* frame = clip.file.empty() ? nullptr : m_player.current(played(i));
        QImage& picture = m_lastPictures[static_cast<std::size_t>(i)];
        if (frame) picture = frame->image;
        if (!picture.isNull()) {
            QSize size = (QSizeF(picture.size()) / devicePixelRatioF()).toSize();
            // until the first one of the new size has come, the old one must not cover its neighbour
            if (!QRect({}, room.size()).contains(QRect({}, size)))
                size.scale(room.size(), Qt::KeepAspectRatio);
            QRect shown({}, size);
            shown.moveCenter(room.center());
            painter.drawImage(shown, picture);
        } else if (frame && !frame->facts->isWhole()) {
            paintNote(painter, room, QStringLiteral("cluster"), absenceText(m_player, clip.file),
                      colors().textMuted);
        } else if (frame && !frame->error.isEmpty()) {
            paintNote(painter, room, QStringLiteral("error"), withoutFolder(frame->error, clip.file),
                      colors().danger);
        }
    }
}

}  // namespace dailies::ui
