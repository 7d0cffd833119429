#include "trainer/rehearsal/recorded_calls.h"

#include "core/base/text.h"

#include <array>
#include <functional>
#include <numeric>

namespace dailies::trainer {

namespace {

constexpr std::array kCallNames = {"the making of its group",
                                   "an all-reduce",
                                   "a broadcast",
                                   "a reduce-scatter",
                                   "an all-gather",
                                   "an all-to-all",
                                   "a send",
                                   "a receive",
                                   "a wait"};

std::string listed(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> texts;
    for (const auto number : numbers) texts.push_back(std::to_string(number));
    return join(texts, ", ");
}

}  // namespace

std::int64_t RecordedCall::elements() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies());
}

std::string textOf(const RecordedCall& call) {
    std::string text = kCallNames[static_cast<std::size_t>(call.kind)];
    if (call.kind != CallKind::newGroup) text += " of " + call.type + " [" + listed(call.sizes) + "]";
    return text;
}

std::string ranksText(const std::vector<std::int64_t>& ranks) {
    constexpr std::size_t kShown = 8;
    if (ranks.size() == 1) return "rank " + std::to_string(ranks.front());
    if (ranks.size() <= kShown) return "ranks " + listed(ranks);
    return "ranks " + listed({ranks[0], ranks[1]}) + ", …, " + std::to_string(ranks.back()) + " (" +
           std::to_string(ranks.size()) + ")";
}

std::string kindOf(const RecordedRank& rank) {
    std::string kind;
    const auto add = [&kind](std::int64_t number) {
        kind.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    for (const auto& group : rank.groups) {
        kind += group.name;
        add(static_cast<std::int64_t>(group.members.size()));
    }
    for (const auto& call : rank.calls) {
        kind += static_cast<char>(call.kind);
        kind += call.type;
        add(static_cast<std::int64_t>(call.group));
        add(static_cast<std::int64_t>(call.of));
        for (const auto size : call.sizes) add(size);
    }
    return kind;
}

}  // namespace dailies::trainer
