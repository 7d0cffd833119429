#include "core/quality/finding.h"

#include <array>
#include <utility>

namespace dailies::quality {

namespace {

constexpr std::array<std::pair<Check, std::string_view>, 9> kNames{{{Check::Unreadable, "unreadable"},
                                                                    {Check::Noise, "noise"},
                                                                    {Check::Flat, "flat"},
                                                                    {Check::Black, "black"},
                                                                    {Check::Saturated, "saturated"},
                                                                    {Check::Frozen, "frozen"},
                                                                    {Check::Flicker, "flicker"},
                                                                    {Check::Cut, "cut"},
                                                                    {Check::Seam, "seam"}}};

}  // namespace

std::string_view toText(Check check) {
    return kNames[static_cast<std::size_t>(check)].second;
}

std::optional<Check> checkFromText(std::string_view text) {
    for (const auto& [check, name] : kNames)
        if (name == text) return check;
    return std::nullopt;
}

}  // namespace dailies::quality
