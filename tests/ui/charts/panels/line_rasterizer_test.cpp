#include "ui/charts/panels/line_rasterizer.h"

#include <QImage>
#include <QPainter>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace dailies::ui {
namespace {

QImage blank(double scale) {
    QImage image(QSize(120, 120) * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::transparent);
    return image;
}

double inkOf(const QImage& image) {
    double sum = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            sum += qAlpha(image.pixel(x, y)) / 255.0;
        }
    }
    return sum;
}

TEST(LineRasterizer, LooksAsThePaintersOwnLines) {
    for (const double scale : {1.0, 2.0}) {
        for (const double rise : {0.0, 7.3, 40.0, -90.0}) {
            const QPointF from(10, 55 - rise / 2), to(110, 55 + rise / 2);
            QImage ours = blank(scale), theirs = blank(scale);
            {
                QPainter painter(&ours);
                LineRasterizer(painter).draw(from, to, Qt::red, 1.5);
            }
            {
                QPainter painter(&theirs);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.setPen(QPen(Qt::red, 1.5, Qt::SolidLine, Qt::FlatCap));
                painter.drawLine(from, to);
            }
            EXPECT_NEAR(inkOf(ours) / inkOf(theirs), 1, 0.08) << "rise " << rise << " scale " << scale;
            double difference = 0;
            for (int y = 0; y < ours.height(); ++y) {
                for (int x = 0; x < ours.width(); ++x) {
                    difference += std::abs(qAlpha(ours.pixel(x, y)) - qAlpha(theirs.pixel(x, y))) / 255.0;
                }
            }
            EXPECT_LT(difference / inkOf(theirs), 0.15) << "rise " << rise << " scale " << scale;
        }
    }
}

TEST(LineRasterizer, ThinSteepLinesAreAsFaintAsTheyShouldBe) {
    QImage image = blank(1);
    {
        QPainter painter(&image);
        LineRasterizer(painter).draw({55, 5}, {60, 115}, Qt::black, 1);
    }
    EXPECT_NEAR(inkOf(image), std::hypot(5, 110), 12);
}

TEST(LineRasterizer, ManyFaintLinesAddUpWithoutOverflowing) {
    QImage image = blank(1);
    QColor faint(200, 100, 50);
    faint.setAlphaF(0.12f);
    {
        QPainter painter(&image);
        LineRasterizer ink(painter);
        for (int i = 0; i < 500; ++i) {
            ink.draw({10, 60}, {110, 60}, faint, 3);
        }
    }
    const QColor color = image.pixelColor(60, 60);
    EXPECT_GT(color.alpha(), 240);
    EXPECT_NEAR(color.red(), 200, 12);
    EXPECT_NEAR(color.green(), 100, 12);
    EXPECT_NEAR(color.blue(), 50, 12);
}

TEST(LineRasterizer, StaysInsideTheImage) {
    QImage image = blank(1);
    {
        QPainter painter(&image);
        LineRasterizer(painter).draw({-50, -500}, {500, 900}, Qt::red, 4);
        LineRasterizer(painter).draw({-50, 60}, {500, 60}, Qt::red, 4);
    }
    EXPECT_GT(inkOf(image), 300);
}

}  // namespace
}  // namespace dailies::ui
