#include "core/curation/cuts.h"

#include "core/base/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::curation {

namespace {

constexpr std::array kBoundaryNames{"film end", "cut", "dissolve", "black", "white", "damage", "split"};

constexpr double kMaxRatio = 255;
constexpr double kNoContent = 1e-5;
constexpr double kFadeStep = 0.3;  ///< levels a frame: a fade goes on in one direction
constexpr double kMaxFadeSeconds = 3;
/// A dissolve that is faster is a cut whose frames were blended.
constexpr int kMinDissolveFrames = 3;

std::size_t at(int frame) {
    return static_cast<std::size_t>(frame);
}

/// PySceneDetect's AdaptiveDetector over all frames, less the flashes.
std::vector<Transition> findCuts(const FilmScores& film, const CutRules& rules) {
    std::vector<Transition> cuts;
    int lastCut = 0;
    for (int n = rules.window; n + rules.window < film.frames; ++n) {
        const double score = film.content[at(n)];
        if (score < rules.min_content || n - lastCut < rules.min_shot_frames) continue;
        double mean = -score;
        for (int k = n - rules.window; k <= n + rules.window; ++k) mean += film.content[at(k)];
        mean /= 2.0 * rules.window;
        const double ratio = mean < kNoContent ? kMaxRatio : std::min(score / mean, kMaxRatio);
        if (ratio < rules.adaptive_ratio || film.flash[at(n)] >= rules.flash) continue;
        cuts.push_back({Boundary::Cut, n, n - 1});
        lastCut = n;
    }
    return cuts;
}

/// How far a fade reaches from the black or white frame `edge` in direction `step`: the last frame of which
/// the next one is still farther from black.
int fadeEnd(const FilmScores& film, int edge, int step, double sign) {
    const int longest = static_cast<int>(std::lround(kMaxFadeSeconds * film.fps));
    int end = edge;
    const auto rises = [&](int from) {
        const int to = from + step;
        return to >= 0 && to < film.frames && sign * (film.luma[at(to)] - film.luma[at(from)]) >= kFadeStep;
    };
    // A frame belongs to the fade when the light changes on both of its sides; behind a cut to black it does
    // on one.
    while (std::abs(end - edge) < longest && rises(end) && rises(end + step)) end += step;
    return end;
}

std::vector<Transition> findStretches(const FilmScores& film, const CutRules& rules,
                                      const std::vector<double>& share, Boundary kind) {
    std::vector<Transition> found;
    const double sign = kind == Boundary::Black ? 1 : -1;
    for (int first = 0; first < film.frames; ++first) {
        if (share[at(first)] < rules.black_share) continue;
        int last = first;
        while (last + 1 < film.frames && share[at(last + 1)] >= rules.black_share) ++last;
        const Transition stretch{kind, fadeEnd(film, first, -1, sign), fadeEnd(film, last, 1, sign)};
        // lightning or a photographer's flash fills a frame at once and is gone at once
        const bool fades = stretch.first < first || stretch.last > last;
        if (fades || film.flash[at(first)] < rules.flash) found.push_back(stretch);
        first = last;
    }
    return found;
}

/// Twin thresholds: a peak above the higher one, and around it all that is above the lower one.
std::vector<Transition> findDissolves(const FilmScores& film, const CutRules& rules) {
    std::vector<Transition> found;
    for (int first = 0; first < film.frames; ++first) {
        if (film.dissolve[at(first)] < rules.dissolve_edge) continue;
        int last = first;
        double peak = film.dissolve[at(first)];
        while (last + 1 < film.frames && film.dissolve[at(last + 1)] >= rules.dissolve_edge)
            peak = std::max(peak, film.dissolve[at(++last)]);
        if (peak >= rules.dissolve && last - first + 1 >= kMinDissolveFrames)
            found.push_back({Boundary::Dissolve, first, last});
        first = last;
    }
    return found;
}

std::vector<Transition> findDamage(const FilmScores& film) {
    std::vector<Transition> found;
    for (const int frame : film.damaged) {
        if (!found.empty() && found.back().last + 1 == frame)
            found.back().last = frame;
        else
            found.push_back({Boundary::Damage, frame, frame});
    }
    return found;
}

/// Adds those of `weaker` that touch none of `transitions`.
void addBeside(std::vector<Transition>& transitions, const std::vector<Transition>& weaker) {
    const auto stronger = transitions;
    for (const auto& candidate : weaker)
        if (std::ranges::none_of(stronger, [&](const auto& other) {
                return candidate.first <= other.last + 1 &&
                       std::max(candidate.last, candidate.first) >= other.first;
            }))
            transitions.push_back(candidate);
}

}  // namespace

std::string toText(Boundary kind) {
    return kBoundaryNames[static_cast<std::size_t>(kind)];
}

Boundary boundaryFromText(const std::string& text) {
    const auto found = std::ranges::find(kBoundaryNames, text);
    if (found == kBoundaryNames.end()) throw InputError("\"" + text + "\" is no kind of boundary.");
    return static_cast<Boundary>(found - kBoundaryNames.begin());
}

std::vector<Transition> findTransitions(const FilmScores& film, const CutRules& rules) {
    auto transitions = findDamage(film);
    addBeside(transitions, findStretches(film, rules, film.black, Boundary::Black));
    addBeside(transitions, findStretches(film, rules, film.white, Boundary::White));
    addBeside(transitions, findDissolves(film, rules));
    addBeside(transitions, findCuts(film, rules));
    std::ranges::sort(transitions, {}, &Transition::first);
    return transitions;
}

std::vector<Span> findSpans(const FilmScores& film, const std::vector<Transition>& transitions,
                            const CutRules& rules) {
    std::vector<Span> spans;
    const int trim = static_cast<int>(std::ceil(rules.trim_seconds * film.fps - 1e-9));
    const auto add = [&](Span shot) {
        shot.first += trim;
        shot.last -= trim;
        if (shot.last < shot.first) return;
        const int frames = shot.last - shot.first + 1;
        const double longest = rules.max_seconds * film.fps;
        const int parts = longest >= 1 ? static_cast<int>(std::ceil(frames / longest - 1e-9)) : 1;
        for (int part = 0; part < parts; ++part) {
            const auto edge = [&](int i) {
                return shot.first + static_cast<int>(std::int64_t{frames} * i / parts);
            };
            spans.push_back({edge(part), edge(part + 1) - 1, part == 0 ? shot.begins : Boundary::Split,
                             part + 1 == parts ? shot.ends : Boundary::Split});
        }
    };
    Span open{0, film.frames - 1};
    for (const auto& transition : transitions) {
        add({open.first, transition.first - 1, open.begins, transition.kind});
        open.first = std::max(transition.last + 1, transition.first);
        open.begins = transition.kind;
    }
    add({open.first, film.frames - 1, open.begins, Boundary::FilmEnd});
    return spans;
}

}  // namespace dailies::curation
