#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace dailies {

/// So many digits of a hash make an id (core/base/ids.h).
inline constexpr std::size_t kIdDigits = 32;

/// SHA-256 of what is added.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::string_view bytes);
    template <class Number>
    void addNumber(Number number) {
        add({reinterpret_cast<const char*>(&number), sizeof number});
    }
    /// Of everything so far, as lower-case digits, or their first so many; call it once.
    std::string hex(std::size_t digits = 64);

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

/// Of a file of any size, as 64 digits. Throws `Error` where it cannot be read, and `Cancelled`.
std::string sha256OfFile(const std::filesystem::path& file, const std::stop_token& stop = {});

}  // namespace dailies
