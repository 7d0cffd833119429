#include "core/digest/sha256.h"

#include "core/base/error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#if defined(DAILIES_OPENSSL)
#include <openssl/evp.h>
#endif

namespace dailies {

namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kDigestBytes = 32;
using Digest = std::array<unsigned char, kDigestBytes>;

}  // namespace

#if defined(DAILIES_OPENSSL)

struct Sha256::Context {
    Context() { EVP_DigestInit_ex(evp.get(), EVP_sha256(), nullptr); }
    void add(std::string_view bytes) { EVP_DigestUpdate(evp.get(), bytes.data(), bytes.size()); }
    Digest finish() {
        Digest digest{};
        EVP_DigestFinal_ex(evp.get(), digest.data(), nullptr);
        return digest;
    }

    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

#else

namespace {

/// The fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

struct Sha256::Context {
    void add(std::string_view bytes) {
        m_length += bytes.size();
        while (!bytes.empty()) {
            const auto taken = std::min(bytes.size(), m_block.size() - m_filled);
            std::memcpy(m_block.data() + m_filled, bytes.data(), taken);
            m_filled += taken;
            bytes.remove_prefix(taken);
            if (m_filled < m_block.size()) return;
            compress();
            m_filled = 0;
        }
    }

    Digest finish() {
        const auto bits = m_length * 8;
        add(std::string_view("\x80", 1));
        while (m_filled != m_block.size() - sizeof bits) add(std::string_view("\0", 1));
        for (int shift = 56; shift >= 0; shift -= 8) {
            const char byte = static_cast<char>(bits >> shift & 0xff);
            add({&byte, 1});
        }
        Digest digest{};
        for (std::size_t i = 0; i < digest.size(); ++i)
            digest[i] = static_cast<unsigned char>(m_state[i / 4] >> (24 - 8 * (i % 4)) & 0xff);
        return digest;
    }

private:
    void compress() {
        std::array<std::uint32_t, 64> words{};
        for (std::size_t i = 0; i < 16; ++i)
            for (std::size_t byte = 0; byte < 4; ++byte) words[i] = words[i] << 8 | m_block[4 * i + byte];
        for (std::size_t i = 16; i < 64; ++i) {
            const auto x = words[i - 15], y = words[i - 2];
            words[i] = words[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + words[i - 7] +
                       (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
        }
        auto [a, b, c, d, e, f, g, h] = m_state;
        for (std::size_t i = 0; i < 64; ++i) {
            const auto one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
            const auto two =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
        }
        const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < added.size(); ++i) m_state[i] += added[i];
    }

    std::array<std::uint32_t, 8> m_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> m_block{};
    std::size_t m_filled = 0;
    std::uint64_t m_length = 0;
};

#endif

Sha256::Sha256() : m_context(std::make_unique<Context>()) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
    m_context->add(bytes);
}

std::string Sha256::hex(std::size_t digits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const auto byte : m_context->finish()) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text.substr(0, digits);
}

std::string sha256OfFile(const std::filesystem::path& file, const std::stop_token& stop) {
    Sha256 hash;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error("The file " + file.string() + " cannot be read.");
    std::string piece(kPiece, '\0');
    while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())), stream.gcount() > 0) {
        if (stop.stop_requested()) throw Cancelled();
        hash.add(std::string_view(piece.data(), static_cast<std::size_t>(stream.gcount())));
    }
    if (stream.bad()) throw Error("The file " + file.string() + " cannot be read.");
    return hash.hex();
}

}  // namespace dailies
