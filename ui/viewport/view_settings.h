#pragma once

namespace dailies::ui {

/// How two clips are laid over one another.
enum class ViewMode {
    Wipe,        ///< A on one side of a line, B on the other
    Flip,        ///< one of them; a key flips to the other, which the eye sees as a blink
    Difference,  ///< B − A
    Overlay,     ///< B over A, transparent
    OnionSkin,   ///< B with its neighbouring frames shining through: earlier ones reddish, later ones bluish
};
inline constexpr int kViewModes = 5;

enum class DifferenceKind {
    Signed,    ///< around middle grey: brighter where B is brighter
    Absolute,  ///< black where they are equal
    Luma,      ///< absolute, of brightness alone
};

struct ViewSettings {
    ViewMode mode = ViewMode::Wipe;
    double wipePosition = 0.5;  ///< 0: all B, 1: all A
    int wipeAngle = 0;          ///< degrees by which the line is turned from upright, A on its left; 0 to 359
    bool flippedToB = false;
    DifferenceKind difference = DifferenceKind::Absolute;
    int amplification = 4;  ///< of differences: 1, 2, 4 … 32
    double opacity = 0.5;   ///< of B over A
    int neighbours = 2;     ///< frames before and after in the onion skin: 1 to 3
    bool operator==(const ViewSettings&) const = default;

    static constexpr int kMaxAmplification = 32;
    static constexpr int kMaxNeighbours = 3;
};

}  // namespace dailies::ui
