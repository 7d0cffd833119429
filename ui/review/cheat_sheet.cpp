#include "ui/review/cheat_sheet.h"

namespace dailies::ui {

CheatSheet::CheatSheet(QWidget* parent)
    : KeyCard(tr("Keys of the Review page"),
              {{tr("Clip time"),
                {{tr("Space"), tr("Play or pause")},
                 {tr("← →"), tr("Previous or next frame")},
                 {tr("Ctrl ← →"), tr("Back or on by a second")},
                 {tr("Home  End"), tr("First or last frame")},
                 {tr("J  K  L"), tr("Play back, stop, play; again: faster")},
                 {tr("P"), tr("Loop on or off")}}},
               {tr("Training time"),
                {{tr("↑ ↓"), tr("Previous or next sampled step")},
                 {tr("Ctrl ↑ ↓"), tr("First or last sampled step")}}},
               {tr("Wall"),
                {{tr("Shift + arrows"), tr("Select a tile")},
                 {tr("Enter"), tr("See the selected tile large (or double click)")},
                 {tr("Esc"), tr("Back to the wall")},
                 {tr("Ctrl S"), tr("Save a contact sheet")},
                 {tr("F5"), tr("Try clips again that could not be read")},
                 {tr("?"), tr("This card")}}}},
              parent) {}

}  // namespace dailies::ui
