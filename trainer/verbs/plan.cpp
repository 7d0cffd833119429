#include "core/base/error.h"
#include "core/base/files.h"
#include "core/planner/fit.h"
#include "trainer/rehearsal/rehearsal_report.h"
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
};

std::int64_t rankCount(const std::string& option, const std::string& word) {
    std::int64_t ranks = 0;
    const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), ranks);
    if (bad == std::errc{} && end == word.data() + word.size() && ranks >= 1) return ranks;
    throw InputError("plan: " + option + ": found \"" + word + "\", expected how many processes train" +
                     (option == "--ranks" ? "." : " on a node."));
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
            parsed.spread.ranks = rankCount("--ranks", words[++i]);
        else if (words[i] == "--rehearse")
            parsed.rehearsed = true;
        else if (words[i] == "--ranks-per-node" && hasValue)
            parsed.ranksPerNode = rankCount("--ranks-per-node", words[++i]);
        else if (words[i] == "--config" && hasValue)
            parsed.config = words[++i];
        else
            throw InputError("plan: \"" + words[i] + "\" makes no sense there.",
                             "Give --config FILE and perhaps --ranks N, --gpu, --json or --rehearse.");
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

}  // namespace

int plan(const Words& words) {
    auto parsed = parsePlan(words);
    const auto config = config::resolve(parseJson(readFile(parsed.config), parsed.config.string()));
    parsed.spread.gpu = parsed.spread.gpu || config.runtime.device == "cuda";
    const auto data = planner::DataShape::expected(config);
    if (parsed.rehearsed) return rehearsed(parsed, config, data);
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
