#pragma once

#include "ui/widgets/key_card.h"

namespace dailies::ui {

/// The Review page's keys on one card.
class CheatSheet : public KeyCard {
public:
    explicit CheatSheet(QWidget* parent = nullptr);
};

}  // namespace dailies::ui
