#include "core/query/field.h"
#include "core/query/number.h"
#include "core/query/query.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dailies::query {

namespace {

using namespace detail;

/// What a run is ordered by, read once per run and order.
struct Key {
    enum Rank { Present, NotANumber, Missing } rank = Missing;
    double number = 0;
    std::string_view text;  // of the run
};

Key keyOf(const Order& order, const tracking::Run& run) {
    Value value = valueOf(order.field, run);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
        if (!order.asNumber) return {Key::Present, 0, *text};
        const auto number = toNumber(*text);
        return number ? Key{Key::Present, *number, {}} : Key{Key::NotANumber, 0, {}};
    }
    const auto* number = std::get_if<double>(&value);
    if (!number) return {};
    return std::isnan(*number) ? Key{Key::NotANumber, 0, {}} : Key{Key::Present, *number, {}};
}

/// Below 0 where `left` comes first, above 0 where `right` does.
int compare(const Key& left, const Key& right, bool descending) {
    if (left.rank != right.rank) return left.rank < right.rank ? -1 : 1;
    const int ascending =
        left.number != right.number ? (left.number < right.number ? -1 : 1) : left.text.compare(right.text);
    return descending ? -ascending : ascending;
}

}  // namespace

std::vector<std::size_t> sortedIndices(const std::vector<const tracking::Run*>& runs,
                                       const std::vector<Order>& orders) {
    std::vector<Key> keys;  // of run 0, then of run 1, …
    keys.reserve(runs.size() * orders.size());
    for (const auto* run : runs)
        for (const auto& order : orders) keys.push_back(keyOf(order, *run));
    const bool byStartTime = std::any_of(orders.begin(), orders.end(), [](const Order& order) {
        return order.field == Field{Entity::Attribute, {}, Attribute::StartTime};
    });

    std::vector<std::size_t> indices(runs.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    std::sort(indices.begin(), indices.end(), [&](std::size_t left, std::size_t right) {
        for (std::size_t i = 0; i < orders.size(); ++i)
            if (const int order = compare(keys[left * orders.size() + i], keys[right * orders.size() + i],
                                          orders[i].descending))
                return order < 0;
        if (!byStartTime && runs[left]->startMs != runs[right]->startMs)
            return runs[left]->startMs > runs[right]->startMs;
        return runs[left]->id < runs[right]->id;
    });
    return indices;
}

void sortRuns(std::vector<tracking::Run>& runs, const std::vector<Order>& orders) {
    std::vector<const tracking::Run*> pointers;
    for (const auto& run : runs) pointers.push_back(&run);
    const auto indices = sortedIndices(pointers, orders);
    std::vector<tracking::Run> sorted;
    sorted.reserve(runs.size());
    for (const auto index : indices) sorted.push_back(std::move(runs[index]));
    runs = std::move(sorted);
}

}  // namespace dailies::query
