// Answers queries over a store as `dailies runs` does, many in one process: `query_answers FILE` reads one
// JSON object a line, {"filter": text, "order_by": [texts]}, and writes one, {"ids": [run ids in order]} or
// {"error": message}.
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/query/query.h"

#include <iostream>

int main(int argc, char** argv) {
    using namespace dailies;
    if (argc != 2) {
        std::cerr << "usage: query_answers FILE < QUERIES\n";
        return 2;
    }
    try {
        const auto runs = tracking::Store(argv[1], tracking::Store::Mode::ReadOnly).runs();
        for (std::string line; std::getline(std::cin, line);) {
            const Json asked = Json::parse(line);
            Json answer;
            try {
                const auto filter = query::parseFilter(asked.at("filter").get<std::string>());
                const auto order =
                    query::parseOrderBy(join(asked.at("order_by").get<std::vector<std::string>>(), ", "));
                std::vector<const tracking::Run*> found;
                for (const auto& run : runs)
                    if (query::matches(filter, run)) found.push_back(&run);
                answer["ids"] = Json::array();
                for (const auto index : query::sortedIndices(found, order))
                    answer["ids"].push_back(found[index]->id);
            } catch (const query::QueryError& error) {
                answer = {{"error", error.full()}};
            }
            std::cout << answer.dump() << "\n";
        }
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
