#include "core/exchange/digest.h"

#include <openssl/evp.h>

namespace dailies::exchange {

struct Digest::Context {
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

Digest::Digest() : m_context(std::make_unique<Context>()) {
    EVP_DigestInit_ex(m_context->evp.get(), EVP_sha256(), nullptr);
}

Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
    EVP_DigestUpdate(m_context->evp.get(), bytes.data(), bytes.size());
}

std::string Digest::hex() {
    static constexpr char kHex[] = "0123456789abcdef";
    unsigned char bytes[EVP_MAX_MD_SIZE];
    EVP_DigestFinal_ex(m_context->evp.get(), bytes, nullptr);
    std::string text;
    for (int i = 0; i < 16; ++i) {
        text += kHex[bytes[i] >> 4];
        text += kHex[bytes[i] & 15];
    }
    return text;
}

std::string derivedRunId(std::initializer_list<std::string_view> parts) {
    Digest digest;
    for (const auto part : parts) {
        digest.addNumber(part.size());  // so that {"a", "bc"} is not {"ab", "c"}
        digest.add(part);
    }
    return digest.hex();
}

}  // namespace dailies::exchange
