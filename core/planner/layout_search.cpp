#include "core/planner/layout_search.h"

#include "core/base/error.h"
#include "core/base/size_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace dailies::planner {

namespace {

/// What there is for each rank of the memory in which it computes.
std::optional<double> roomOf(const LayoutQuestion& question) {
    const auto& memory = question.memory;
    if (question.rates.gpu) return memory.gpuBytes;
    if (!memory.nodeBytes) return std::nullopt;
    return *memory.nodeBytes / static_cast<double>(memory.ranksPerNode);
}

LayoutCandidate judged(const LayoutQuestion& question, const Layout& layout) {
    const auto memory = layoutMemory(question.config, question.data, layout, question.rates.gpu);
    return {
        .layout = layout,
        .bytes = question.rates.gpu ? memory.gpuBytes() : memory.hostBytes(),
        .available = roomOf(question),
        .verdict = fitVerdict(memory, question.memory),
        .speed = estimateSpeed(question.config, question.data, layout, question.machines, question.rates)};
}

/// What fits first, then the faster, then the smaller.
bool isBetter(const LayoutCandidate& one, const LayoutCandidate& other) {
    if (one.fits() != other.fits()) return one.fits();
    const double a = one.speed.seconds(), b = other.speed.seconds();
    return a != b ? a < b : one.bytes < other.bytes;
}

/// The same ranks on the same axes.
auto gridOf(const Layout& layout) {
    return std::tuple{layout.dp, layout.ring, layout.ulysses, layout.tp, layout.pp};
}

/// Of choices in the order of `isBetter`.
void markFront(std::vector<LayoutCandidate>& choices) {
    double least = -1;
    for (auto& choice : choices) {
        if (!choice.fits()) return;
        choice.onParetoFront = least < 0 || choice.bytes < least;
        if (choice.onParetoFront) least = choice.bytes;
    }
}

std::vector<LayoutCandidate> worthALook(const std::vector<LayoutCandidate>& choices) {
    std::map<decltype(gridOf(Layout{})), const LayoutCandidate*> ofGrid;
    for (const auto& choice : choices) {
        auto& best = ofGrid[gridOf(choice.layout)];
        if (!best || (!best->fits() && (choice.fits() || choice.bytes < best->bytes))) best = &choice;
    }
    std::vector<LayoutCandidate> shown;
    for (const auto& choice : choices)
        if (choice.onParetoFront || choice.isOwn || choice.isNearest ||
            ofGrid.at(gridOf(choice.layout)) == &choice)
            shown.push_back(choice);
    return shown;
}

std::size_t changedKeys(const Layout& from, const Layout& to) {
    const auto before = from.settings(), after = to.settings();
    std::size_t changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i] ? 1 : 0;
    return changed;
}

/// Of choices in the order of `isBetter`.
void markNearest(std::vector<LayoutCandidate>& choices, const Layout& own) {
    LayoutCandidate* nearest = nullptr;
    for (auto& choice : choices) {
        if (!choice.fits()) break;
        if (choice.isOwn) return;
        if (!nearest || changedKeys(own, choice.layout) < changedKeys(own, nearest->layout))
            nearest = &choice;
    }
    if (nearest) nearest->isNearest = true;
}

std::string percent(double share) {
    return std::to_string(std::lround(100 * share)) + " %";
}

/// "61.0 GiB of the 79.6 GiB that it has".
std::string needText(const LayoutCandidate& choice) {
    return binarySizeText(choice.bytes) +
           (choice.available ? " of the " + binarySizeText(*choice.available) + " that it has" : "");
}

}  // namespace

LayoutCandidates searchLayouts(const LayoutQuestion& question) {
    LayoutCandidates choices;
    std::optional<Layout> own;
    try {
        own = layoutFromConfig(question.config, question.machines);
    } catch (const InputError& error) {
        choices.ownProblem = error.what();
    }
    auto layouts = layoutsOf(question.config, question.machines);
    choices.considered = layouts.size();
    if (own && std::ranges::find(layouts, *own) == layouts.end()) {
        choices.ownProblem = "The batch does not divide into the configuration's own layout.";
        own.reset();
    }
    std::vector<LayoutCandidate> all;
    all.reserve(layouts.size());
    for (const auto& layout : layouts) {
        all.push_back(judged(question, layout));
        all.back().isOwn = own == layout;
    }
    std::ranges::stable_sort(all, isBetter);
    markFront(all);
    if (own) markNearest(all, *own);
    choices.shown = worthALook(all);
    const auto place = std::ranges::find_if(choices.shown, &LayoutCandidate::isOwn);
    if (place != choices.shown.end()) choices.own = place - choices.shown.begin();
    return choices;
}

std::string changesText(const Layout& from, const Layout& to) {
    const auto before = from.settings(), after = to.settings();
    std::vector<std::string> words;
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] != after[i])
            words.push_back(
                after[i].first + " " +
                (after[i].second.is_string() ? after[i].second.get<std::string>() : after[i].second.dump()));
    return join(words, ", ");
}

std::string layoutAdvice(const LayoutCandidates& choices) {
    if (choices.shown.empty() || !choices.shown.front().fits())
        return "No layout of these nodes fits: take more nodes, GPUs with more memory, shorter clips or a "
               "smaller model.";
    const auto& best = choices.shown.front();
    if (!choices.own)
        return choices.ownProblem + " The fastest that fits is " + best.layout.text() + ": a rank needs " +
               needText(best) + ".";
    const auto& own = choices.shown[*choices.own];
    const auto& layout = own.layout;
    if (!own.fits()) {
        const auto nearest = std::ranges::find_if(choices.shown, &LayoutCandidate::isNearest);
        auto text = std::string(own.verdict == FitVerdict::tooLarge ? "The layout does not fit"
                                                                    : "The layout probably does not fit") +
                    ": a rank needs " + needText(own) +
                    ". The nearest that fits: " + changesText(layout, nearest->layout) + ", with " +
                    binarySizeText(nearest->bytes) + ".";
        if (nearest != choices.shown.begin())
            text += " The fastest that fits is " +
                    percent(best.speed.tokensPerSecond() / nearest->speed.tokensPerSecond() - 1) +
                    " faster than that: " + changesText(layout, best.layout) + ".";
        return text;
    }
    std::string text = own.verdict == FitVerdict::tight     ? "The layout barely fits: a rank needs "
                       : own.verdict == FitVerdict::unknown ? "A rank needs "
                                                            : "The layout fits: a rank needs ";
    text += needText(own) + ".";
    const double gain = best.speed.tokensPerSecond() / own.speed.tokensPerSecond() - 1;
    if (gain < 0.01) return text + " None is faster.";
    return text + " " + percent(gain) + " faster would be " + changesText(layout, best.layout) + ".";
}

}  // namespace dailies::planner
