// Filters and orders over 5,000 runs against MLflow's own search of the same file: CPU seconds, so that a
// busy machine changes both alike. Needs build/interop (bash tests/interop/setup.sh).
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/query/completion.h"
#include "core/query/query.h"
#include "tests/bench/peer.h"
#include "tests/support/large_store.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace {

using namespace dailies;

constexpr int kRuns = 5'000, kDetails = 30, kKeys = 10'000;

double cpuMillis() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// CPU milliseconds: the median of nine times.
double cost(const std::function<void()>& work) {
    std::vector<double> costs;
    for (int i = 0; i < 9; ++i) {
        const double begin = cpuMillis();
        work();
        costs.push_back(cpuMillis() - begin);
    }
    std::sort(costs.begin(), costs.end());
    return costs[costs.size() / 2];
}

void run() {
    const TemporaryFolder folder("query-bench");
    const auto file = folder.path() / "runs.db";
    test::makeLargeStore(file, {.runs = kRuns,
                                .params = kDetails,
                                .metrics = kDetails,
                                .points = 1,
                                .sweeps = 0,
                                .mlflowOnly = false});
    std::vector<tracking::Run> runs;
    const double load = cost([&] { runs = tracking::Store(file, tracking::Store::Mode::ReadOnly).runs(); });
    query::Vocabulary known;
    const double collect = cost([&] { known = query::vocabularyOf(runs); });
    std::vector<const tracking::Run*> all;
    for (const auto& each : runs) all.push_back(&each);

    const std::string metric = query::formatField({query::Entity::Metric, known.metrics.front(), {}});
    const std::string param = query::formatField({query::Entity::Param, known.params.front(), {}});
    struct Question {
        std::string filter, orderBy;
    };
    const std::vector<Question> questions = {
        {metric + " < 0.5", ""},
        {metric + " < 0.5 AND " + param + " LIKE '%1%' AND status = 'FINISHED'", ""},
        {"", metric + " DESC"},
        {"", param + ", start_time"}};
    Json asked = Json::array();
    for (const auto& question : questions) asked.push_back({question.filter, question.orderBy});
    const Json theirs = test::mlflowPeer("mlflow_query_peer.py", {file.string(), asked.dump()});

    std::printf(
        "%d runs of %d params and %d metrics, in memory; loading them takes %.0f ms, collecting keys and "
        "values %.0f\n",
        kRuns, kDetails, kDetails, load, collect);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        std::size_t found = 0;
        const double mine = cost([&] {
            const auto filter = query::parseFilter(questions[i].filter);
            std::vector<const tracking::Run*> kept;
            for (const auto* each : all)
                if (query::matches(filter, *each)) kept.push_back(each);
            found = query::sortedIndices(kept, query::parseOrderBy(questions[i].orderBy)).size();
        });
        const double rival = theirs.at(i).get<double>() * 1e3;
        std::printf(
            "%-8s %s\n         %zu runs in %.2f ms; MLflow's first 100: %.0f ms, %.0f×; loading included "
            "%.0f×\n",
            questions[i].filter.empty() ? "order by" : "filter",
            (questions[i].filter + questions[i].orderBy).c_str(), found, mine, rival, rival / mine,
            rival / (mine + load));
    }

    query::Vocabulary many;
    for (int i = 0; i < kKeys; ++i)
        many.params.push_back("group" + std::to_string(i % 97) + ".key" + std::to_string(i));
    std::sort(many.params.begin(), many.params.end());
    const double completion = cost([&] { query::complete("metrics.a < 1 AND ey7", 21, many); });
    const double rival = cost([&] {  // the plainest search there is: whether each key contains the word
        std::size_t found = 0;
        for (const auto& key : many.params) found += key.find("ey7") != std::string::npos;
        if (found == 0) throw Error("no key found");
    });
    const double mistake = cost([&] {
        try {
            query::parseFilter("grp12.key4711 < 1", many);
        } catch (const query::QueryError&) {
        }
    });
    std::printf("a proposal for a mistyped one of %d keys: %.2f ms, %.2f× nearestWord over all of them\n",
                kKeys, mistake, mistake / cost([&] { nearestWord("grp12.key4711", many.params); }));
    std::printf("completion among %d keys: %.2f ms, %.1f× a bare search for the word\n", kKeys, completion,
                completion / rival);
}

}  // namespace

int main() {
    try {
        run();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
