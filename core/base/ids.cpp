#include "core/base/ids.h"

#include <algorithm>
#include <random>

namespace dailies {

std::string newId() {
    static constexpr char kHex[] = "0123456789abcdef";
    std::random_device source;
    std::string id;
    while (id.size() < 32) {
        for (auto word = source(); id.size() < 32; word >>= 4) {
            id += kHex[word & 0xf];
            if (id.size() % 8 == 0) break;  // random_device yields 32 bits
        }
    }
    return id;
}

bool isId(std::string_view text) {
    return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace dailies
