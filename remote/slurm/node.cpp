#include "remote/slurm/node.h"

#include "core/base/text.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>

namespace dailies::remote::slurm {

namespace {

struct Word {
    std::string_view word;  ///< its beginning: sinfo's short forms and all releases' long ones
    NodeCondition condition;
};

/// By what stands for itself among several words: the first that is found decides, so that "IDLE+DRAIN" is
/// drained and "DOWN+DRAIN" is down.
constexpr std::array kDeciding{
    Word{"DOWN", NodeCondition::Down},
    Word{"ERROR", NodeCondition::Down},
    Word{"INVAL", NodeCondition::Down},
    Word{"NOT_RESPONDING", NodeCondition::Down},
    Word{"NO_RESPOND", NodeCondition::Down},
    Word{"FAIL", NodeCondition::Down},
    Word{"FUTURE", NodeCondition::Down},
    Word{"FUTR", NodeCondition::Down},
    Word{"UNK", NodeCondition::Unknown},
    Word{"DRNG", NodeCondition::Draining},
    Word{"DRAINING", NodeCondition::Draining},
    Word{"DRAIN", NodeCondition::Drained},  // and DRAINED; what runs there is looked at below
    Word{"MAINT", NodeCondition::Reserved},
    Word{"REBOOT", NodeCondition::PoweredDown},
    Word{"BOOT", NodeCondition::PoweredDown},
    Word{"POW", NodeCondition::PoweredDown},  // POWERING_UP, POWERED_DOWN, POWER_DOWN, 20.11's POWER
    Word{"COMP", NodeCondition::Completing},
    Word{"RES", NodeCondition::Reserved},
    Word{"PLANNED", NodeCondition::Reserved},
    Word{"PLND", NodeCondition::Reserved},
    Word{"BLOCK", NodeCondition::Reserved},
    Word{"MIX", NodeCondition::Mixed},
    Word{"ALLOC", NodeCondition::Allocated},
    Word{"IDLE", NodeCondition::Idle},
};

/// What the marks behind sinfo's words say: "*" no answer; "~", "#", "%", "!" power; "@", "^" reboot; "$"
/// maintenance; "-" planned; "+" completing.
NodeCondition ofMark(char mark) {
    switch (mark) {
        case '*':
            return NodeCondition::Down;
        case '~':
        case '#':
        case '%':
        case '!':
        case '^':
            return NodeCondition::PoweredDown;
        case '$':
        case '-':
            return NodeCondition::Reserved;
        case '+':
            return NodeCondition::Completing;
        default:
            return NodeCondition::Unknown;  // "@": a reboot is asked for, and waits for the jobs
    }
}

bool isMark(char c) {
    return std::string_view("*~#%!^$-@+").find(c) != std::string_view::npos;
}

/// Whether `word` of a state begins so.
bool has(const std::vector<std::string>& words, std::string_view beginning) {
    return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(beginning); });
}

/// "[root@1795272000]" at the end of a reason, which may itself hold brackets.
void takeReason(std::string_view text, Node& node) {
    const auto open = text.rfind(" [");
    const auto close = open == std::string_view::npos ? open : text.find(']', open);
    const auto at = open == std::string_view::npos ? open : text.find('@', open);
    if (close == std::string_view::npos || at == std::string_view::npos || at > close) {
        node.reason = fieldOrEmpty(text);
        return;
    }
    node.reason = fieldOrEmpty(text.substr(0, open));
    node.reasonBy = std::string(text.substr(open + 2, at - open - 2));
    node.reasonTime = parseInteger(text.substr(at + 1, close - at - 1));
}

/// "Key=value" pairs of one line, up to the free text behind "Reason=". A value may hold spaces (OS), so it
/// ends where the next key begins; the first of two equal keys counts.
std::map<std::string_view, std::string_view> fieldsOf(std::string_view line, std::string_view& reason) {
    constexpr std::string_view kReason = " Reason=";
    if (const auto at = line.find(kReason); at != std::string_view::npos) {
        reason = line.substr(at + kReason.size());
        for (const std::string_view next :
             {" Comment=", " Extra=", " InstanceId=", " InstanceType=", " ReservationName="})
            reason = reason.substr(0, reason.find(next));
        line = line.substr(0, at);
    }
    std::map<std::string_view, std::string_view> fields;
    std::string_view key;
    std::size_t valueBegin = 0, at = 0;
    const auto close = [&](std::size_t end) {
        if (!key.empty()) fields.emplace(key, trim(line.substr(valueBegin, end - valueBegin)));
    };
    while (at < line.size()) {
        const auto end = std::min(line.find(' ', at), line.size());
        const std::string_view word = line.substr(at, end - at);
        const auto equals = word.find('=');
        const bool isKey = equals != std::string_view::npos && equals > 0 &&
                           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                                       [](unsigned char c) { return std::isalpha(c) || c == '_'; });
        if (isKey) {
            close(at);
            key = word.substr(0, equals);
            valueBegin = at + equals + 1;
        }
        at = end + 1;
    }
    close(line.size());
    return fields;
}

Node nodeOf(std::string_view line) {
    Node node;
    std::string_view reason;
    const auto fields = fieldsOf(line, reason);
    const auto text = [&](std::string_view key) {
        const auto found = fields.find(key);
        return found == fields.end() ? std::string() : fieldOrEmpty(found->second);
    };
    const auto number = [&](std::string_view key) { return parseInteger(text(key)); };
    node.name = text("NodeName");
    node.state = text("State");
    node.condition = nodeCondition(node.state);
    node.cpus = static_cast<int>(number("CPUEfctv"));  // those that jobs may have; from 22.05 on
    if (node.cpus == 0) node.cpus = static_cast<int>(number("CPUTot"));
    node.cpusAllocated = static_cast<int>(number("CPUAlloc"));
    node.load = std::strtod(text("CPULoad").c_str(), nullptr);
    node.memory = number("RealMemory");
    node.memoryAllocated = number("AllocMem");
    node.memoryFree = number("FreeMem");
    node.gres = text("Gres");
    node.features = text("ActiveFeatures");
    // Clusters whose AccountingStorageTRES lacks gres/gpu have no GPUs in these lists.
    const auto gpus = [&](std::string_view tres, std::string_view gres) {
        const auto counted = tresCount(text(tres), "gres/gpu");
        return counted > 0 ? static_cast<int>(counted) : gpuCount(text(gres));
    };
    node.gpus = gpus("CfgTRES", "Gres");
    node.gpusAllocated = gpus("AllocTRES", "GresUsed");
    node.partitions = split(text("Partitions"), ',');
    takeReason(trim(reason), node);
    return node;
}

}  // namespace

std::string_view toText(NodeCondition condition) {
    static constexpr std::array<std::string_view, kNodeConditions> kWords{
        "idle",         "mixed",    "allocated", "completing", "reserved",
        "powered down", "draining", "drained",   "down",       "unknown"};
    return kWords[static_cast<std::size_t>(condition)];
}

NodeCondition nodeCondition(std::string_view state) {
    std::string upper(trim(state));
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    NodeCondition marked = NodeCondition::Unknown;
    while (!upper.empty() && isMark(upper.back())) {
        if (marked == NodeCondition::Unknown) marked = ofMark(upper.back());
        upper.pop_back();
    }
    std::vector<std::string> words = split(upper, '+');
    for (std::string& word : words)
        while (!word.empty() && isMark(word.back())) {  // "MIXED*+DRAIN"
            if (marked == NodeCondition::Unknown) marked = ofMark(word.back());
            word.pop_back();
        }
    const bool busy = has(words, "MIX") || has(words, "ALLOC") || has(words, "COMP");
    const auto inUse = [&] {
        return has(words, "ALLOC") ? NodeCondition::Allocated
               : has(words, "MIX") ? NodeCondition::Mixed
                                   : NodeCondition::Completing;
    };
    for (const Word& deciding : kDeciding) {
        if (!has(words, deciding.word)) continue;
        const NodeCondition found = deciding.condition;
        if (found == NodeCondition::Drained && busy) return NodeCondition::Draining;
        if (deciding.word == "FAIL" && busy) return NodeCondition::Draining;
        // What is kept for later, or waits for a reboot, still runs what it runs.
        if ((found == NodeCondition::Reserved || deciding.word == "REBOOT") && busy) return inUse();
        if (marked == NodeCondition::Unknown || (marked == NodeCondition::Reserved && busy)) return found;
        // A mark outweighs the words that say what runs there, not those that take the node out; of a node
        // that is off, sinfo says "down~".
        if (found < NodeCondition::PoweredDown) return marked;
        if (found == NodeCondition::Down && marked == NodeCondition::PoweredDown) return marked;
        return found;
    }
    return marked;
}

bool isUp(NodeCondition condition) {
    return condition < NodeCondition::Draining;
}

std::vector<Node> parseNodes(std::string_view out) {
    std::vector<Node> nodes;
    for (const std::string& line : split(out, '\n')) {
        if (!line.starts_with("NodeName=")) continue;
        Node node = nodeOf(line);
        if (!node.name.empty() && !node.state.empty()) nodes.push_back(std::move(node));
    }
    return nodes;
}

std::string explain(const Node& node) {
    static constexpr std::array<std::string_view, kNodeConditions> kTexts{
        "Free.",
        "Some of it is in use.",
        "All of it is in use.",
        "Jobs on it are ending.",
        "Kept for a reservation or for a job that will start there.",
        "Switched off; Slurm starts it when a job needs it.",
        "Takes no new jobs; those on it go on.",
        "Out of service; nothing runs on it.",
        "Down: it does not answer, or was taken out.",
        "Slurm does not know."};
    std::string text(kTexts[static_cast<std::size_t>(node.condition)]);
    if (!node.reason.empty())
        text += " " + node.reason + (node.reasonBy.empty() ? "" : " (" + node.reasonBy + ")") + ".";
    return text;
}

}  // namespace dailies::remote::slurm
