#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/planner/fit.h"
#include "core/planner/layout_search.h"
#include "trainer/cli/layout_table.h"
#include "trainer/cli/verbs.h"
#include "trainer/rehearsal/rehearsal_report.h"

#include <filesystem>
#include <iostream>

namespace dailies::trainer {

namespace {

struct PlanOptions {
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

std::int64_t countOf(const std::string& option, const std::string& word, const std::string& ofWhat) {
    const auto count = parseAs<std::int64_t>(word);
    if (count && *count >= 1) return *count;
    throw InputError("plan: " + option + ": found \"" + word + "\", expected how many " + ofWhat + ".");
}

double priceOf(const std::string& word) {
    const auto price = parseAs<double>(word);
    if (price && *price >= 0) return *price;
    throw InputError("plan: --price: found \"" + word + "\", expected the price of a GPU-hour.");
}

PlanOptions parsePlan(const Args& args) {
    PlanOptions parsed;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool hasValue = i + 1 < args.size();
        if (args[i] == "--json")
            parsed.asJson = true;
        else if (args[i] == "--gpu")
            parsed.spread.gpu = true;
        else if (args[i] == "--ranks" && hasValue)
            parsed.spread.ranks = countOf("--ranks", args[++i], "processes train");
        else if (args[i] == "--rehearse")
            parsed.rehearsed = true;
        else if ((args[i] == "--ranks-per-node" || args[i] == "--gpus-per-node") && hasValue) {
            const auto& option = args[i];
            parsed.ranksPerNode = countOf(option, args[++i], "processes train on a node");
        } else if (args[i] == "--nodes" && hasValue)
            parsed.nodes = countOf("--nodes", args[++i], "nodes there are");
        else if (args[i] == "--gpu-type" && hasValue)
            parsed.gpuType = args[++i];
        else if (args[i] == "--rates" && hasValue)
            parsed.rates = args[++i];
        else if (args[i] == "--price" && hasValue)
            parsed.gpuHourPrice = priceOf(args[++i]);
        else if (args[i] == "--config" && hasValue)
            parsed.config = args[++i];
        else
            throw InputError(
                "plan: \"" + args[i] + "\" makes no sense there.",
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

int rehearsed(const PlanOptions& args, const config::TrainConfig& config, const planner::DataShape& data) {
    const RehearsedRun run{config, data, args.spread.ranks, args.ranksPerNode, args.spread.gpu};
    const auto found = rehearse(run);
    std::cout << (args.asJson ? toJson(run, found).dump(2) : textOf(run, found)) << std::endl;
    return found.agreement.agrees() ? kDone : kFailed;
}

planner::MachineRates ratesFor(const PlanOptions& args, const config::TrainConfig& config) {
    auto rates = planner::publishedRates(args.gpuType, config.runtime.precision == "bf16");
    if (!args.gpuType.empty() && !rates)
        throw InputError("plan: --gpu-type: found \"" + args.gpuType + "\", expected h100, h200 or a100.");
    if (!args.rates.empty())
        rates = planner::measuredRates(
            rates, preflight::reportFromJson(parseJson(readFile(args.rates), args.rates.string())));
    if (rates) return *rates;
    throw InputError("plan: how fast these ranks are is not known.",
                     args.rates.empty() ? "Give --gpu-type h100, h200 or a100, or of CPUs --rates with the "
                                          "preflight.json that measured them."
                                        : "Its preflight measured no matrix products on them; of GPUs give "
                                          "--gpu-type, too.");
}

int layouts(const PlanOptions& args, const config::TrainConfig& config, const planner::DataShape& data) {
    planner::LayoutQuestion question{.config = config,
                                     .data = data,
                                     .machines = {args.nodes, args.ranksPerNode},
                                     .rates = ratesFor(args, config),
                                     .memory = {.ranksPerNode = args.ranksPerNode},
                                     .gpuHourPrice = args.gpuHourPrice};
    question.memory.gpuBytes = planner::gpuMemory(args.gpuType);
    question.memory.gpuName = args.gpuType;
    const auto choices = planner::searchLayouts(question);
    std::cout << (args.asJson ? layoutsToJson(choices, question).dump(2) : layoutTable(choices, question))
              << std::endl;
    return kDone;
}

}  // namespace

int plan(const Args& args) {
    auto parsed = parsePlan(args);
    const auto config = config::resolve(parseJson(readFile(parsed.config), parsed.config.string()));
    parsed.spread.gpu = parsed.spread.gpu || config.runtime.device == "cuda";
    const auto data = planner::DataShape::expected(config);
    if (parsed.rehearsed) return rehearsed(parsed, config, data);
    if (parsed.nodes > 0) return layouts(parsed, config, data);
    const auto parameters = planner::elementCount(planner::weightSizes(config, data));
    const auto fit = planner::checkFit(config, data, parsed.spread, {});
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
