#include "core/digest/sha256.h"

#include "core/base/files.h"

#include <gtest/gtest.h>

#include <random>

namespace dailies {
namespace {

std::string digestOf(std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

// The examples of FIPS 180-4 and NIST's validation program.
TEST(Sha256, IsThatOfTheStandard) {
    EXPECT_EQ(digestOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digestOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digestOf(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesCome) {
    std::mt19937 random(1);
    std::string text(1000, '\0');
    for (auto& byte : text) byte = static_cast<char>(random());
    for (const std::size_t size : {1, 55, 56, 63, 64, 65, 119, 1000}) {
        const std::string_view whole(text.data(), size);
        Sha256 pieces;
        for (std::size_t at = 0; at < size;) {
            const auto count = std::min<std::size_t>(1 + random() % 70, size - at);
            pieces.add(whole.substr(at, count));
            at += count;
        }
        EXPECT_EQ(pieces.hex(), digestOf(whole)) << size;
    }
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
    const TemporaryFolder folder("dailies-digest");
    writeFileAtomically(folder.path() / "file", "abc");
    EXPECT_EQ(sha256OfFile(folder.path() / "file"), digestOf("abc"));
}

}  // namespace
}  // namespace dailies
