#include "core/base/error.h"
#include "core/base/files.h"
#include "core/planner/choices.h"
#include "core/planner/fit.h"
#include "trainer/rehearsal/rehearsal_report.h"
#include "trainer/verbs/layout_table.h"
#include "trainer/verbs/verbs.h"

#include <charconv>
#include <filesystem>
#include <iostream>

namespace dailies::trainer {

namespace {

struct PlanWords {
    std::filesystem::path config;
    planner::Spread spread;
    bool asJson = false;
    bool rehearsed = false;
    std::int64_t ranksPerNode = 8;
    std::int64_t nodes = 0;  ///< 0: layouts are not asked for
    std::string gpuType;
    std::filesystem::path rates;  ///< the report of a preflight
    double gpuHourPrice = 0;
};

template <class Number>
std::optional<Number> numberOf(const std::string& word) {
    Number number = 0;
    const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (bad == std::errc{} && end == word.data() + word.size()) return number;
    return std::nullopt;
}

std::int64_t countOf(const std::string& option, const std::string& word, const std::string& ofWhat) {
    const auto count = numberOf<std::int64_t>(word);
    if (count && *count >= 1) return *count;
    throw InputError("plan: " + option + ": found \"" + word + "\", expected how many " + ofWhat + ".");
}

double priceOf(const std::string& word) {
    const auto price = numberOf<double>(word);
    if (price && *price >= 0) return *price;
    throw InputError("plan: --price: found \"" + word + "\", expected the price of a GPU-hour.");
}

PlanWords parsePlan(const Words& words) {
    PlanWords parsed;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool hasValue = i + 1 < words.size();
        if (words[i] == "--json")
            parsed.asJson = true;
        else if (words[i] == "--gpu")
            parsed.spread.gpu = true;
        else if (words[i] == "--ranks" && hasValue)
            parsed.spread.ranks = countOf("--ranks", words[++i], "processes train");
        else if (words[i] == "--rehearse")
            parsed.rehearsed = true;
        else if ((words[i] == "--ranks-per-node" || words[i] == "--gpus-per-node") && hasValue) {
            const auto& option = words[i];
            parsed.ranksPerNode = countOf(option, words[++i], "processes train on a node");
        } else if (words[i] == "--nodes" && hasValue)
            parsed.nodes = countOf("--nodes", words[++i], "nodes there are");
        else if (words[i] == "--gpu-type" && hasValue)
            parsed.gpuType = words[++i];
        else if (words[i] == "--rates" && hasValue)
            parsed.rates = words[++i];
        else if (words[i] == "--price" && hasValue)
            parsed.gpuHourPrice = priceOf(words[++i]);
        else if (words[i] == "--config" && hasValue)
            parsed.config = words[++i];
        else
            throw InputError(
                "plan: \"" + words[i] + "\" makes no sense there.",
                "Give --config FILE and perhaps --ranks N, --gpu, --json, --rehearse or --nodes N.");
    }
    if (!std::filesystem::is_regular_file(parsed.config))
        throw InputError("plan: there is no config file \"" + parsed.config.string() + "\".",
                         "Give --config FILE.");
    return parsed;
}

Json toJson(const std::vector<planner::MemoryPart>& parts) {
    Json json = Json::object();
    for (const auto& part : parts) json[part.name] = part.bytes;
    return json;
}

int rehearsed(const PlanWords& words, const config::TrainConfig& config, const planner::DataShape& data) {
    const RehearsedRun run{config, data, words.spread.ranks, words.ranksPerNode, words.spread.gpu};
    const auto found = rehearse(run);
    std::cout << (words.asJson ? toJson(run, found).dump(2) : textOf(run, found)) << std::endl;
    return found.agreement.agrees() ? kDone : kFailed;
}

planner::MachineRates ratesFor(const PlanWords& words, const config::TrainConfig& config) {
    auto rates = planner::publishedRates(words.gpuType, config.runtime.precision == "bf16");
    if (!words.gpuType.empty() && !rates)
        throw InputError("plan: --gpu-type: found \"" + words.gpuType + "\", expected h100, h200 or a100.");
    if (!words.rates.empty())
        rates = planner::measuredRates(
            rates, preflight::reportFromJson(parseJson(readFile(words.rates), words.rates.string())));
    if (rates) return *rates;
    throw InputError("plan: how fast these ranks are is not known.",
                     words.rates.empty() ? "Give --gpu-type h100, h200 or a100, or of CPUs --rates with the "
                                           "preflight.json that measured them."
                                         : "Its preflight measured no matrix products on them; of GPUs give "
                                           "--gpu-type, too.");
}

int layouts(const PlanWords& words, const config::TrainConfig& config, const planner::DataShape& data) {
    planner::LayoutQuestion question{.config = config,
                                     .data = data,
                                     .machines = {words.nodes, words.ranksPerNode},
                                     .rates = ratesFor(words, config),
                                     .memory = {.ranksPerNode = words.ranksPerNode},
                                     .gpuHourPrice = words.gpuHourPrice};
    question.memory.gpuBytes = planner::gpuMemory(words.gpuType);
    question.memory.gpuName = words.gpuType;
    const auto choices = planner::chooseLayout(question);
    std::cout << (words.asJson ? layoutsToJson(choices, question).dump(2) : layoutTable(choices, question))
              << std::endl;
    return kDone;
}

}  // namespace

int plan(const Words& words) {
    auto parsed = parsePlan(words);
    const auto config = config::resolve(parseJson(readFile(parsed.config), parsed.config.string()));
    parsed.spread.gpu = parsed.spread.gpu || config.runtime.device == "cuda";
    const auto data = planner::DataShape::expected(config);
    if (parsed.rehearsed) return rehearsed(parsed, config, data);
    if (parsed.nodes > 0) return layouts(parsed, config, data);
    const auto parameters = planner::elementCount(planner::weightSizes(config, data));
    const auto fit = planner::fitOf(config, data, parsed.spread, {});
    if (parsed.asJson)
        std::cout << Json{{"parameters", parameters},
                          {"gpu", toJson(fit.need.gpu)},
                          {"host", toJson(fit.need.host)}}
                         .dump(2)
                  << std::endl;
    else
        std::cout << parameters << " parameters. " << fit.text << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
