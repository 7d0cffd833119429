#include "ui/charts/chart_layout.h"

#include "ui/theme/tokens.h"

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kMinWidth = 320;  ///< at which axis labels and curves can be read
constexpr int kHeaderHeight = 32;
}  // namespace

GridGeometry layOutGrid(const std::vector<GridSection>& sections, const GridShape& shape) {
    GridGeometry places;
    const int inner = std::max(1, shape.width - 2 * space::k16);
    int most = 1;
    for (const auto& section : sections) {
        most = std::max(most, section.cards);
    }
    const int fitting = std::max(1, (inner + space::k12) / (kMinWidth + space::k12));
    places.columns = shape.columns > 0 ? shape.columns : std::min({fitting, most, 4});
    const int cardWidth = (inner - (places.columns - 1) * space::k12) / places.columns;
    int y = 0;
    for (const auto& section : sections) {
        places.headers.push_back(section.named ? QRect(space::k16, y, inner, kHeaderHeight) : QRect());
        y += section.named ? kHeaderHeight + space::k4 : 0;
        auto& cards = places.cards.emplace_back();
        for (int i = 0; section.open && i < section.cards; ++i) {
            const int row = i / places.columns;
            const int column = i % places.columns;
            cards.emplace_back(space::k16 + column * (cardWidth + space::k12),
                               y + row * (shape.rowHeight + space::k12), cardWidth, shape.rowHeight);
        }
        if (!cards.empty()) {
            y = cards.back().bottom() + 1 + space::k12;
        }
    }
    places.height = y + space::k4;
    return places;
}

int dropIndex(const std::vector<QRect>& cards, const QPoint& at) {
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const QRect& card = cards[i];
        const bool lastOfRow = i + 1 == cards.size() || cards[i + 1].top() != card.top();
        if (at.y() <= card.bottom() && (at.x() < card.center().x() || (lastOfRow && at.x() < card.left()))) {
            return static_cast<int>(i);
        }
        if (at.y() <= card.bottom() && lastOfRow) {
            return static_cast<int>(i) + 1;
        }
    }
    return static_cast<int>(cards.size());
}

}  // namespace dailies::ui
