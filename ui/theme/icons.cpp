#include "ui/theme/icons.h"

#include "core/base/error.h"
#include "ui/theme/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <optional>

// Resources of a static library are linked only when something names them; the macro needs the global
// namespace.
static void initIconResources() {
    Q_INIT_RESOURCE(icons);
}

namespace dailies::ui {

namespace {

class LineIconEngine : public QIconEngine {
public:
    LineIconEngine(QString name, std::optional<QColor> color) : m_name(std::move(name)), m_color(color) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal scale = painter->device() ? painter->device()->devicePixelRatio() : 1.0;
        painter->drawPixmap(rect, render(rect.size(), scale, colorFor(mode, state)));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return render(size, 1.0, colorFor(mode, state));
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
        // `size` is in device pixels here; QIcon sets the ratio itself.
        return render(size, 1.0, colorFor(mode, state));
    }

    QIconEngine* clone() const override { return new LineIconEngine(*this); }

private:
    QColor colorFor(QIcon::Mode mode, QIcon::State state) const {
        const Palette& palette = colors();
        if (mode == QIcon::Disabled) {
            QColor faint = palette.textFaint;
            faint.setAlphaF(0.5f);
            return faint;
        }
        if (m_color) {
            return *m_color;
        }
        if (state == QIcon::On) {
            return palette.accent;
        }
        return mode == QIcon::Active || mode == QIcon::Selected ? palette.text : palette.textMuted;
    }

    QPixmap render(const QSize& size, qreal scale, const QColor& color) const {
        const QSize pixels = size * scale;
        const QString key = QStringLiteral("icon/%1/%2x%3/%4/%5")
                                .arg(m_name)
                                .arg(pixels.width())
                                .arg(pixels.height())
                                .arg(scale)
                                .arg(color.name(QColor::HexArgb));
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) {
            return pixmap;
        }
        QFile file(QStringLiteral(":/icons/%1.svg").arg(m_name));
        if (!file.open(QIODevice::ReadOnly)) {
            throw Error("there is no icon '" + m_name.toStdString() + "' in resources/icons");
        }
        QSvgRenderer renderer(file.readAll().replace("currentColor", color.name().toLatin1()));
        pixmap = QPixmap(pixels);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setOpacity(color.alphaF());
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(&painter);
        painter.end();
        pixmap.setDevicePixelRatio(scale);
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QString m_name;
    std::optional<QColor> m_color;
};

}  // namespace

QIcon icon(const QString& name) {
    initIconResources();
    return QIcon(new LineIconEngine(name, std::nullopt));
}

QIcon icon(const QString& name, const QColor& color) {
    initIconResources();
    return QIcon(new LineIconEngine(name, color));
}

}  // namespace dailies::ui
