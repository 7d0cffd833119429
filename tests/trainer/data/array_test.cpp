#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/data/shards.h"
#include "trainer/data/array_cache.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Array, ReadsNpyOfAnyShape) {
    const auto array = parseArray("latent.npy", npyOf({2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(array.type, "F32");
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(toFloats(array), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(parseArray("npy", npyOf({0, 3}, {})).elements(), 0);
}

TEST(Array, TurnsEveryFloatingPointTypeIntoFloat32) {
    const auto of = [](const char* type, std::vector<std::uint16_t> bits) {
        Array array{type, {static_cast<std::int64_t>(bits.size())}, {}};
        array.bytes.resize(bits.size() * 2);
        std::memcpy(array.bytes.data(), bits.data(), array.bytes.size());
        return toFloats(array);
    };
    EXPECT_EQ(of("F16", {0x3c00, 0xc000, 0x0001, 0x7bff, 0x0000}),
              (std::vector<float>{1, -2, std::ldexp(1.0F, -24), 65504, 0}));
    EXPECT_TRUE(std::isinf(of("F16", {0x7c00})[0]));
    EXPECT_TRUE(std::isnan(of("F16", {0x7e00})[0]));
    EXPECT_EQ(of("BF16", {0x3f80, 0xc040}), (std::vector<float>{1, -3}));
    EXPECT_THROW(of("I16", {1}), InputError);
}

TEST(Array, SaysWhatIsWrongWithAFile) {
    const auto wrong = [](const std::string& bytes) -> std::string {
        try {
            parseArray("x.npy", bytes);
        } catch (const InputError& error) {
            return error.what();
        }
        return "accepted";
    };
    const auto good = npyOf({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_THAT(wrong("no array"), HasSubstr("no .npy"));
    EXPECT_THAT(wrong(good.substr(0, good.size() - 1)), HasSubstr("does not fit"));
    auto other = good;
    other.replace(other.find("<f4"), 3, ">f4");
    EXPECT_THAT(wrong(other), HasSubstr("'>f4'"));
    other = good;
    other.replace(other.find("False"), 5, "True ");
    EXPECT_THAT(wrong(other), HasSubstr("Fortran"));
    EXPECT_THROW(parseArray("x.safetensors", "12345678901234567890"), InputError);
}

TEST(Array, OfTenThousandDamagedHeadersNeverClaimsBytesThatAreNotThere) {
    const auto good = npyOf({2, 3}, {1, 2, 3, 4, 5, 6});
    std::uint64_t state = 88172645463325252;
    const auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    int read = 0;
    for (int i = 0; i < 12'000; ++i) {
        auto bytes = good;
        for (auto changes = 1 + next() % 5; changes > 0; --changes) {
            const auto at = next() % std::min<std::size_t>(bytes.size(), 100);
            if (next() % 8 == 0)
                bytes.resize(at + 1);
            else
                bytes[at] = "0123456789(),'<>f \xff"[next() % 19];
        }
        try {
            const auto array = parseArray("x.npy", bytes);
            ASSERT_LE(array.bytes.size(), bytes.size());
            ASSERT_EQ(array.elements() == 0, array.bytes.empty());
            ++read;
        } catch (const InputError&) {
            // refused: what most of them deserve
        }
    }
    EXPECT_GT(read, 0);
}

TEST(ArrayCache, KeepsWhatWasPutForTheNextOneToOpenIt) {
    const TemporaryFolder folder;
    const auto array = floatArray({2, 2}, {1, 2, 3, 4});
    {
        ArrayCache cache(folder.path() / "latents", 40);
        EXPECT_FALSE(cache.find("a"));
        cache.put("a", array);
        cache.put("b", floatArray({8}, std::vector<float>(8, 1)));  // 16 + 32 bytes: written
        cache.put("c", floatArray({1}, {7}));
        EXPECT_EQ(cache.find("a"), array);
        EXPECT_EQ(cache.size(), 3U);
    }
    const ArrayCache again(folder.path() / "latents");
    EXPECT_EQ(again.size(), 3U);
    EXPECT_EQ(again.find("a"), array);
    EXPECT_EQ(toFloats(*again.find("c")), (std::vector<float>{7}));
}

TEST(ArrayCache, LeavesOutADamagedFileAndSaysSo) {
    const TemporaryFolder folder;
    { ArrayCache(folder.path()).put("a", floatArray({1}, {1})); }
    const auto file = fs::directory_iterator(folder.path())->path();
    fs::resize_file(file, fs::file_size(file) - 1);
    ArrayCache cache(folder.path());
    EXPECT_FALSE(cache.find("a"));
    EXPECT_THAT(cache.takeProblems(), testing::ElementsAre(HasSubstr(file.filename().string())));
    cache.put("a", floatArray({1}, {2}));
    EXPECT_EQ(toFloats(*cache.find("a")), (std::vector<float>{2}));
}

TEST(ArrayCache, KeysTellEveryPartApart) {
    EXPECT_EQ(contentKey({"a", "bc"}), contentKey({"a", "bc"}));
    EXPECT_NE(contentKey({"a", "bc"}), contentKey({"ab", "c"}));
    EXPECT_NE(contentKey({"a"}), contentKey({"a", ""}));
    EXPECT_EQ(contentKey({"a", "bc"}), "5310a58788781ab25d5ad7c3f8503582") << "SHA-256 of 1:a2:bc";
    EXPECT_EQ(weightsKey({"a"}), "45540418180aba49d87d5ef0da3ac21e") << "as checkpoints hold it";
}

}  // namespace
}  // namespace dailies::trainer
