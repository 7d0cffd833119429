#pragma once

#include "core/tracking/keyed_values.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dailies::tracking {

/// Gathers values by run and key that come in any order, and gives each run its own in the order of the keys.
/// Runs with the same keys share one list of them.
template <class Value>
class KeyedValuesBuilder {
public:
    explicit KeyedValuesBuilder(std::size_t runs) : m_runs(runs) {}

    /// A run's keys are to be different ones.
    template <class... Arguments>
    void add(std::size_t run, std::string_view key, Arguments&&... value) {
        Run& to = m_runs[run];
        if (to.keys.empty()) {
            to.keys.reserve(m_mostKeys);
            to.values.reserve(m_mostKeys);
        }
        to.keys.push_back(numberOf(key));
        to.values.emplace_back(std::forward<Arguments>(value)...);
        m_mostKeys = std::max(m_mostKeys, to.keys.size());
    }

    /// Once a run.
    KeyedValues<Value> take(std::size_t run) {
        auto [keys, values] = std::move(m_runs[run]);
        if (keys.empty()) return {};
        const Order& order = orderOf(std::move(keys));
        std::vector<Value> sorted;
        sorted.reserve(values.size());
        for (const std::size_t place : order.places) sorted.push_back(std::move(values[place]));
        return {order.keys, std::move(sorted)};
    }

private:
    using Keys = typename KeyedValues<Value>::Keys;
    using Numbers = std::vector<std::uint32_t>;  ///< of keys: quicker to compare

    struct Run {
        Numbers keys;  ///< as they came
        std::vector<Value> values;
    };
    /// What sorts the values of all runs whose keys came in the same order.
    struct Order {
        std::vector<std::size_t> places;  ///< where each of the sorted keys came
        std::shared_ptr<const Keys> keys;
    };

    std::uint32_t numberOf(std::string_view key) {
        // mostly the one that followed this one in the run before
        if (m_keys[m_next[m_last]] != key) {
            const auto found = m_numbers.find(key);
            m_next[m_last] = found != m_numbers.end() ? found->second : addKey(key);
        }
        return m_last = m_next[m_last];
    }

    std::uint32_t addKey(std::string_view key) {
        const auto number = static_cast<std::uint32_t>(m_keys.size());
        m_numbers.emplace(m_keys.emplace_back(key), number);
        m_next.push_back(0);
        return number;
    }

    const Order& orderOf(Numbers numbers) {
        if (m_lastOrder && m_lastOrder->first == numbers) return m_lastOrder->second;
        const auto [found, isNew] = m_orders.try_emplace(std::move(numbers));
        if (isNew) sort(found->first, found->second);
        m_lastOrder = &*found;
        return found->second;
    }

    void sort(const Numbers& came, Order& order) {
        const auto keyAt = [&](std::size_t place) -> const std::string& { return m_keys[came[place]]; };
        order.places.resize(came.size());
        std::iota(order.places.begin(), order.places.end(), std::size_t{0});
        std::sort(order.places.begin(), order.places.end(),
                  [&](std::size_t a, std::size_t b) { return keyAt(a) < keyAt(b); });
        Numbers sorted;
        for (const std::size_t place : order.places) sorted.push_back(came[place]);
        auto& shared = m_lists[std::move(sorted)];
        if (!shared) {
            Keys keys;
            keys.reserve(came.size());
            for (const std::size_t place : order.places) keys.push_back(keyAt(place));
            shared = std::make_shared<const Keys>(std::move(keys));
        }
        order.keys = shared;
    }

    std::vector<Run> m_runs;
    std::size_t m_mostKeys = 0;
    std::deque<std::string> m_keys{""};  ///< by number; a key's place in memory stays
    std::unordered_map<std::string_view, std::uint32_t> m_numbers{{m_keys.front(), 0}};
    std::vector<std::uint32_t> m_next{0};  ///< by number: the key that last followed
    std::uint32_t m_last = 0;
    std::map<Numbers, Order> m_orders;
    const std::pair<const Numbers, Order>* m_lastOrder = nullptr;
    std::map<Numbers, std::shared_ptr<const Keys>> m_lists;
};

}  // namespace dailies::tracking
