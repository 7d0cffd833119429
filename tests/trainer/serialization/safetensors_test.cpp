#include "trainer/serialization/safetensors.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cstdint>
#include <cstring>

namespace dailies::trainer {
namespace {

std::string fileOf(const std::string& header, std::size_t dataBytes) {
    const std::uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + header + std::string(dataBytes, '\0');
}

TEST(Safetensors, ReadBackEqualBitForBit) {
    const TemporaryFolder folder;
    Params tensors;
    tensors.add("matrix", normalTensor(1, {3, 5}));
    tensors.add("scalar", at::full({}, 7.5));
    tensors.add("empty", at::zeros({0, 4}));
    tensors.add("strange \"name\"\n", normalTensor(2, {2, 2}).t());
    tensors.add("not finite", at::tensor({NAN, INFINITY, -0.0F}));
    writeSafetensors(folder.path() / "t.safetensors", tensors);
    const auto read = readSafetensors(folder.path() / "t.safetensors");
    EXPECT_EQ(read.names(), tensors.names());
    for (const auto& name : tensors.names())
        EXPECT_TRUE(at::allclose(read[name], tensors[name], 0, 0, true)) << name;
}

// The layout that huggingface's own reader checks: an 8-byte length, a JSON header, then tensors aligned to 8
// bytes.
TEST(Safetensors, HaveTheLayoutThatOtherReadersExpect) {
    const TemporaryFolder folder;
    Params tensors;
    tensors.add("a", at::full({2}, 1.0));
    writeSafetensors(folder.path() / "t.safetensors", tensors);
    const auto bytes = readFile(folder.path() / "t.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    EXPECT_EQ(length % 8, 0U);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    EXPECT_EQ(header.at("a"), (nlohmann::json{{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 8}}}));
    EXPECT_EQ(bytes.substr(8 + length), std::string("\0\0\x80\x3f\0\0\x80\x3f", 8));
}

TEST(Safetensors, AreReadFromFilesOfOtherWriters) {
    const TemporaryFolder folder;
    writeFileAtomically(
        folder.path() / "t.safetensors",
        fileOf(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},)"
               R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
               12));
    EXPECT_EQ(readSafetensors(folder.path() / "t.safetensors")["b"].sizes(), (at::IntArrayRef{1, 2}));
}

TEST(Safetensors, RefuseHostileHeaders) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "hostile.safetensors";
    const auto tensor = [](const std::string& shape, const std::string& offsets,
                           const std::string& type = "F32") {
        return "{\"a\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
               "}}";
    };
    const std::string longLength = std::string(8, '\xff') + "{}";
    const std::vector<std::pair<const char*, std::string>> hostile = {
        {"nothing", ""},
        {"half a length", "abc"},
        {"a length beyond the file", longLength},
        {"no JSON", fileOf("{\"a\":", 0)},
        {"an array", fileOf("[]", 0)},
        {"deep nesting", fileOf(std::string(100000, '['), 0)},
        {"no entry object", fileOf("{\"a\":1}", 0)},
        {"no shape", fileOf("{\"a\":{\"dtype\":\"F32\"}}", 0)},
        {"offsets of the wrong type", fileOf(tensor("[1]", "\"x\""), 4)},
        {"one offset", fileOf(tensor("[1]", "[0]"), 4)},
        {"another type", fileOf(tensor("[1]", "[0,4]", "F64"), 4)},
        {"a negative offset", fileOf(tensor("[1]", "[-4,0]"), 4)},
        {"offsets backwards", fileOf(tensor("[1]", "[4,0]"), 4)},
        {"an end beyond the file", fileOf(tensor("[2]", "[0,8]"), 4)},
        {"a huge offset", fileOf(tensor("[1]", "[0,18446744073709551615]"), 4)},
        {"a negative dimension", fileOf(tensor("[-1]", "[0,4]"), 4)},
        {"a shape larger than its bytes", fileOf(tensor("[2]", "[0,4]"), 4)},
        {"a shape smaller than its bytes", fileOf(tensor("[1]", "[0,8]"), 8)},
        {"a shape that overflows", fileOf(tensor("[4294967296,4294967296,4]", "[0,0]"), 0)},
        {"bytes left over", fileOf(tensor("[1]", "[0,4]"), 8)},
        {"a hole", fileOf(tensor("[1]", "[4,8]"), 8)},
        {"a name twice", fileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                                4)},
        {"an overlap", fileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                              4)},
    };
    for (const auto& [what, bytes] : hostile) {
        writeFileAtomically(file, bytes);
        try {
            readSafetensors(file);
            ADD_FAILURE() << "accepted: " << what;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("hostile.safetensors")) << what;
        }
    }
}

TEST(Safetensors, LeaveNoFileWhereTheDiskRefuses) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "t.safetensors";
    std::filesystem::create_symlink("/dev/full",
                                    file);  // a link: the writer removes what it could not finish
    Params tensors;
    tensors.add("a", at::zeros({1 << 20}));
    try {
        writeSafetensors(file, tensors);
        ADD_FAILURE() << "a full disk went unnoticed";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("No space left on device"));
    }
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(file)));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    EXPECT_THROW(writeSafetensors("/no/such/folder/t.safetensors", tensors), Error);
}

}  // namespace
}  // namespace dailies::trainer
