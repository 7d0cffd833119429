#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dailies::tracking {

/// Values by key, in the order of the keys: what a run has of params, tags or metrics. Behaves as a
/// `std::map<std::string, Value>`, but the runs of a sweep all have the same keys, and here they share one
/// list of them: thousands of runs cost no more than their values, and whether two have the same keys is
/// mostly one comparison. As with a vector, adding or removing a key invalidates iterators and references.
template <class Value>
class KeyedValues {
public:
    using key_type = std::string;
    using mapped_type = Value;  // with these two, a JSON library makes an object of it
    using value_type = std::pair<const std::string, Value>;
    using Keys = std::vector<std::string>;  ///< sorted, each once

    template <class Held>
    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using difference_type = std::ptrdiff_t;
        using reference = std::pair<const std::string&, Held&>;
        using value_type = reference;
        struct pointer {
            reference entry;
            const reference* operator->() const { return &entry; }
        };

        Iterator() = default;
        Iterator(const std::string* key, Held* value) : m_key(key), m_value(value) {}
        operator Iterator<const Held>() const { return {m_key, m_value}; }

        reference operator*() const { return {*m_key, *m_value}; }
        pointer operator->() const { return {**this}; }
        Iterator& operator++() { return *this += 1; }
        Iterator& operator--() { return *this += -1; }
        Iterator operator++(int) { return std::exchange(*this, *this + 1); }
        Iterator operator--(int) { return std::exchange(*this, *this + -1); }
        Iterator& operator+=(difference_type by) {
            m_key += by;
            m_value += by;
            return *this;
        }
        Iterator operator+(difference_type by) const { return Iterator(*this) += by; }
        difference_type operator-(const Iterator& other) const { return m_value - other.m_value; }
        bool operator==(const Iterator& other) const { return m_value == other.m_value; }

    private:
        const std::string* m_key = nullptr;
        Held* m_value = nullptr;
    };
    using iterator = Iterator<Value>;
    using const_iterator = Iterator<const Value>;

    KeyedValues() = default;
    KeyedValues(std::initializer_list<std::pair<const std::string, Value>> entries) {
        for (const auto& [key, value] : entries) emplace(key, value);
    }
    /// `values` belong to `keys` one by one.
    KeyedValues(std::shared_ptr<const Keys> keys, std::vector<Value> values)
        : m_shared(std::move(keys)), m_values(std::move(values)) {}

    bool empty() const { return m_values.empty(); }
    std::size_t size() const { return m_values.size(); }

    iterator begin() { return {keys().data(), m_values.data()}; }
    iterator end() { return begin() + static_cast<std::ptrdiff_t>(size()); }
    const_iterator begin() const { return {keys().data(), m_values.data()}; }
    const_iterator end() const { return begin() + static_cast<std::ptrdiff_t>(size()); }

    iterator find(std::string_view key) { return begin() + placeOf(key); }
    const_iterator find(std::string_view key) const { return begin() + placeOf(key); }
    bool contains(std::string_view key) const { return find(key) != end(); }
    std::size_t count(std::string_view key) const { return contains(key) ? 1 : 0; }
    const Value& at(std::string_view key) const {
        const auto found = find(key);
        if (found == end()) throw std::out_of_range("no value of the key " + std::string(key));
        return found->second;
    }
    Value& at(std::string_view key) { return const_cast<Value&>(std::as_const(*this).at(key)); }

    Value& operator[](std::string_view key) { return emplace(key).first->second; }

    /// Leaves the value of a key that is there as it is.
    template <class... Arguments>
    std::pair<iterator, bool> emplace(std::string_view key, Arguments&&... arguments) {
        const std::ptrdiff_t place = lowerBound(key);
        if (holds(place, key)) return {begin() + place, false};
        Keys& own = ownKeys();
        own.emplace(own.begin() + place, key);
        m_values.emplace(m_values.begin() + place, std::forward<Arguments>(arguments)...);
        return {begin() + place, true};
    }

    void clear() { *this = {}; }

    std::size_t erase(std::string_view key) {
        const std::ptrdiff_t place = placeOf(key);
        if (place == std::ssize(m_values)) return 0;
        Keys& own = ownKeys();
        own.erase(own.begin() + place);
        m_values.erase(m_values.begin() + place);
        return 1;
    }

    /// The same keys, each with a value of its own.
    template <class Other>
    KeyedValues<Other> withSameKeys() const {
        return {m_shared ? m_shared : std::make_shared<const Keys>(m_own), std::vector<Other>(size())};
    }
    const Keys& keys() const { return m_shared ? *m_shared : m_own; }
    bool hasSameKeys(const KeyedValues& other) const {
        return &keys() == &other.keys() || keys() == other.keys();
    }
    bool operator==(const KeyedValues& other) const {
        return hasSameKeys(other) && m_values == other.m_values;
    }

private:
    std::ptrdiff_t lowerBound(std::string_view key) const {
        return std::lower_bound(keys().begin(), keys().end(), key) - keys().begin();
    }
    bool holds(std::ptrdiff_t place, std::string_view key) const {
        return place < std::ssize(m_values) && keys()[static_cast<std::size_t>(place)] == key;
    }
    /// Behind the last where the key is not there.
    std::ptrdiff_t placeOf(std::string_view key) const {
        const std::ptrdiff_t place = lowerBound(key);
        return holds(place, key) ? place : std::ssize(m_values);
    }
    Keys& ownKeys() {
        if (m_shared) m_own = *std::exchange(m_shared, nullptr);
        return m_own;
    }

    std::shared_ptr<const Keys> m_shared;  ///< nobody changes them; null: they are m_own
    Keys m_own;
    std::vector<Value> m_values;  ///< parallel to the keys
};

}  // namespace dailies::tracking
