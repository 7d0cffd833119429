#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace dailies::exchange {

/// The first 128 bits of the SHA-256 of what is added, as 32 lower-case hex digits.
class Digest {
public:
    Digest();
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    void add(std::string_view bytes);
    template <class Number>
    void addNumber(Number number) {
        add({reinterpret_cast<const char*>(&number), sizeof number});
    }
    std::string hex();  ///< of everything so far; call it once

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

/// A run id made of what tells a run from all others in its source: the same whenever the same parts are
/// given.
std::string derivedRunId(std::initializer_list<std::string_view> parts);

}  // namespace dailies::exchange
