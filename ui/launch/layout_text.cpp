#include "ui/launch/layout_text.h"

#include "core/base/size_text.h"

#include <QLocale>
#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr std::size_t kMaxParts = 4;

}  // namespace

QString roundText(double number) {
    const double unit = number < 1000 ? 1 : std::pow(10, std::floor(std::log10(number)) - 2);
    return QLocale(QLocale::English).toString(std::round(number / unit) * unit, 'f', 0);
}

QString hoursText(double hours) {
    if (hours < 1) {
        return QObject::tr("%1 min").arg(std::max(1L, std::lround(60 * hours)));
    }
    return hours < 72 ? QObject::tr("%1 h").arg(hours, 0, 'f', hours < 10 ? 1 : 0)
                      : QObject::tr("%1 days").arg(hours / 24, 0, 'f', hours < 240 ? 1 : 0);
}

QString hoverText(const planner::LayoutCandidate& choice) {
    const auto& speed = choice.speed;
    QStringList lines{QString::fromStdString(choice.layout.text()),
                      QObject::tr("%1 tokens/s, %2 TFLOP/s each")
                          .arg(roundText(speed.tokensPerSecond()))
                          .arg(speed.flopsPerRank() / 1e12, 0, 'g', 3),
                      QObject::tr("%1 per rank").arg(QString::fromStdString(binarySizeText(choice.bytes)))};
    QStringList shares;
    for (const auto& part : speed.parts()) {
        if (shares.size() < static_cast<qsizetype>(kMaxParts)) {
            shares << QObject::tr("%1 %2 %")
                          .arg(QString::fromStdString(part.name))
                          .arg(std::lround(100 * part.seconds / speed.seconds()));
        }
    }
    lines << shares.join(QStringLiteral(", "));
    if (choice.isOwn) {
        lines << QObject::tr("As configured");
    }
    if (!choice.fits()) {
        lines << QObject::tr("Does not fit");
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace dailies::ui
