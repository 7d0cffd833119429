#include "core/digest/sha256.h"

#include "core/base/error.h"

#include <array>
#include <fstream>
#include <openssl/evp.h>

namespace dailies {

namespace {
constexpr std::size_t kPiece = 1 << 20;
}

struct Sha256::Context {
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

Sha256::Sha256() : m_context(std::make_unique<Context>()) {
    EVP_DigestInit_ex(m_context->evp.get(), EVP_sha256(), nullptr);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
    EVP_DigestUpdate(m_context->evp.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex(std::size_t digits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(m_context->evp.get(), bytes.data(), &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
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
