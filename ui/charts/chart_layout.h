#pragma once

#include <QRect>

#include <vector>

namespace dailies::ui {

/// Where the sections and cards of a chart grid lie. Pure, so that ten thousand cards cost no widget.
struct GridShape {
    int width = 0;
    int columns = 0;  ///< 0: as many as fit
    int rowHeight = 0;
};

struct GridGeometry {
    std::vector<QRect> headers;             ///< of each section; empty where a section has no name
    std::vector<std::vector<QRect>> cards;  ///< of each section; none where it is closed
    int columns = 1;
    int height = 0;  ///< of everything
};

struct GridSection {
    int cards = 0;
    bool open = true;
    bool named = true;
};

GridGeometry layOutGrid(const std::vector<GridSection>& sections, const GridShape& shape);

/// Before which card of its section a card dropped at that point goes: 0 to the number of cards.
int dropIndex(const std::vector<QRect>& cards, const QPoint& at);

}  // namespace dailies::ui
