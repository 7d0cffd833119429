#include "ui/charts/panels/color_ramp.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr std::array<QRgb, 10> kViridis{0xff440154, 0xff482878, 0xff3e4989, 0xff31688e, 0xff26828e,
                                        0xff1f9e89, 0xff35b779, 0xff6ece58, 0xffb5de2b, 0xfffde725};

struct Part {
    double from, to;
};
constexpr Part kOnLight{0, 0.86};
constexpr Part kOnDark{0.22, 1};

}  // namespace

QColor rampColor(double place, ThemeMode mode) {
    const Part part = mode == ThemeMode::Dark ? kOnDark : kOnLight;
    const double at =
        (part.from + std::clamp(place, 0.0, 1.0) * (part.to - part.from)) * (kViridis.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
    const double share = at - static_cast<double>(low);
    const auto mixed = [&](int (*channel)(QRgb)) {
        return static_cast<int>(
            std::lround(channel(kViridis[low]) * (1 - share) + channel(kViridis[low + 1]) * share));
    };
    return QColor(mixed(qRed), mixed(qGreen), mixed(qBlue));
}

QColor missingColor(ThemeMode mode) {
    return palette(mode).borderStrong;
}

}  // namespace dailies::ui
