#include "trainer/serialization/torch_zip.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/pretrained/weights_on_disk.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>

// Archives made here byte by byte; tests/interop/trainer/inspect_as_diffusers.py reads those of torch.save.

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <class T>
std::string bytesOf(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

using Records = std::vector<std::pair<std::string, std::string>>;

/// A zip archive of stored files.
std::string zipOf(const Records& records, std::uint16_t method = 0) {
    std::string bytes, directory;
    for (const auto& [name, content] : records) {
        const auto size = bytesOf(static_cast<std::uint32_t>(content.size()));
        const auto middle = bytesOf(std::uint16_t{0}) + bytesOf(method) + bytesOf(std::uint32_t{0}) +
                            bytesOf(std::uint32_t{0}) + size + size +
                            bytesOf(static_cast<std::uint16_t>(name.size()));
        directory += "PK\x01\x02" + std::string(4, '\0') + middle + std::string(12, '\0') +
                     bytesOf(static_cast<std::uint32_t>(bytes.size())) + name;
        bytes += "PK\x03\x04" + std::string(2, '\0') + middle + bytesOf(std::uint16_t{4}) + name + "pad.";
        bytes += content;
    }
    const auto count = bytesOf(static_cast<std::uint16_t>(records.size()));
    return bytes + directory + "PK\x05\x06" + std::string(4, '\0') + count + count +
           bytesOf(static_cast<std::uint32_t>(directory.size())) +
           bytesOf(static_cast<std::uint32_t>(bytes.size())) + std::string(2, '\0');
}

const std::string kProtocol2 = "\x80\x02", kProtocol4 = "\x80\x04", kFalse = "\x89", kStackGlobal = "\x93",
                  kTuple1 = "\x85";

std::string text(const std::string& value) {
    return "X" + bytesOf(static_cast<std::uint32_t>(value.size())) + value;
}

std::string integer(std::int32_t value) {
    return "J" + bytesOf(value);
}

/// What torch.save writes for a float32 tensor of that shape in storage `key`.
std::string tensor(const std::string& shape, const std::string& strides, const std::string& key = "0",
                   int elements = 6, int offset = 0) {
    return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" + text(key) +
           text("cpu") + integer(elements) + "tQ" + integer(offset) + "(" + shape + "t(" + strides + "t" +
           kFalse + "ccollections\nOrderedDict\n)RtR";
}

std::string stateDict(const std::string& content) {
    return kProtocol2 + "ccollections\nOrderedDict\n)R(" + content + "u}" + text("_metadata") +
           "ccollections\nOrderedDict\n)Rsb.";
}

std::string archive(const std::string& pickle, const std::string& numbers = std::string(24, '\1')) {
    return zipOf(
        {{"archive/data.pkl", pickle}, {"archive/byteorder", "little"}, {"archive/data/0", numbers}});
}

class TorchZip : public testing::Test {
protected:
    std::vector<SafetensorsEntry> read(const std::string& bytes) {
        writeFileAtomically(file, bytes);
        return readTorchZip(file);
    }
    std::string refusal(const std::string& bytes) {
        try {
            read(bytes);
        } catch (const Error& error) {
            return error.full();
        }
        return "accepted";
    }
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "weights.pth";
};

TEST_F(TorchZip, GivesTheTensorsOfAStateDictWithTheirPlaces) {
    const auto bytes =
        archive(stateDict(text("a.weight") + tensor(integer(2) + integer(3), integer(3) + integer(1)) +
                          text("b") + tensor(integer(2), integer(1), "0", 6, 4)),
                "AAAABBBBCCCCDDDDEEEEFFFF");
    const auto tensors = read(bytes);
    ASSERT_EQ(tensors.size(), 2U);
    EXPECT_EQ(tensors[0].name, "a.weight");
    EXPECT_EQ(tensors[0].type, "F32");
    EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(bytes.substr(tensors[0].begin, tensors[0].end - tensors[0].begin), "AAAABBBBCCCCDDDDEEEEFFFF");
    EXPECT_EQ(bytes.substr(tensors[1].begin, tensors[1].end - tensors[1].begin), "EEEEFFFF");
}

TEST_F(TorchZip, OpensDictionariesWithinOneAnother) {
    const auto inner = "}(" + text("w") + tensor(integer(6), integer(1)) + "u";
    EXPECT_EQ(read(archive(stateDict(text("state_dict") + inner))).at(0).name, "w");
    EXPECT_EQ(read(archive(stateDict(text("ema") + inner + text("epoch") + integer(3)))).at(0).name, "ema.w");
}

TEST_F(TorchZip, RefusesAPickleThatWouldRunCodeAndNamesWhatItCalls) {
    const auto marker = folder.path() / "ran";
    const auto command = text("touch " + marker.string());
    for (const auto& [pickle, called] : std::vector<std::pair<std::string, std::string>>{
             {kProtocol2 + "cposix\nsystem\n(" + command + "tR.", "posix.system"},
             {kProtocol4 + text("builtins") + text("eval") + kStackGlobal + "(" + command + "tR.",
              "builtins.eval"},
             {kProtocol2 + "(" + command + "ios\nsystem\n.", "operation 105"},
             {kProtocol2 + "ctorch\nload\n(" + command + "tR.", "torch.load"}}) {
        EXPECT_THAT(refusal(archive(pickle)), HasSubstr(called));
        const auto weights = pretrained::findWeights(file).front();
        EXPECT_THAT(weights.files.front().problem, HasSubstr(called));
        EXPECT_TRUE(weights.tensors.empty());
    }
    EXPECT_THAT(refusal(archive(kProtocol2 + "cposix\nsystem\n.")),
                AllOf(HasSubstr("may run code"), HasSubstr("Do not open it"), Not(HasSubstr("python3 -c"))));
    EXPECT_FALSE(std::filesystem::exists(marker));
}

TEST_F(TorchZip, RefusesWhatIsDamagedOrTooLarge) {
    const auto one = [](const std::string& described) { return archive(stateDict(text("w") + described)); };
    const auto whole = one(tensor(integer(6), integer(1)));
    ASSERT_EQ(refusal(whole), "accepted");
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"", "no directory"},
        {"not a zip at all", "no directory"},
        {whole.substr(0, whole.size() - 30), "cut short"},
        {zipOf({{"archive/data.pkl", "."}}, 8), "compressed"},
        {zipOf({{"archive/other", ""}}), "no data.pkl"},
        {zipOf({{"archive/data.pkl", "}."}, {"archive/byteorder", "big"}}), "little-endian"},
        {archive(""), "ends too early"},
        {archive("u."), "damaged"},
        {archive("X\xff\xff\xff\xff."), "ends too early"},
        {one(tensor(integer(7), integer(1))), "larger than its storage"},
        {one(tensor(integer(6), integer(1), "0", 7)), "larger than its bytes"},
        {one(tensor(integer(6), integer(1), "0", 6, 1)), "outside of its storage"},
        {one(tensor(integer(-1), integer(1))), "no number"},
        {one(tensor(integer(2) + integer(3), integer(1) + integer(2))), "transposed"},
        {one(tensor(integer(6), integer(1), "9")), "are missing"},
    };
    for (const auto& [bytes, message] : wrong) EXPECT_THAT(refusal(bytes), HasSubstr(message));
    // any byte of a small archive may be wrong: never more than an error
    for (std::size_t i = 0; i < whole.size(); ++i)
        for (const char flipped : {'\0', '\x7f', '\xff', '('}) {
            auto bytes = whole;
            bytes[i] = flipped;
            std::ofstream(file, std::ios::binary) << bytes;
            try {
                readTorchZip(file);
            } catch (const Error&) {
            }
        }
}

TEST_F(TorchZip, IsNotBroughtDownByValuesThatHoldOneAnother) {
    // a dictionary that holds itself, and tuples a million deep
    EXPECT_TRUE(read(archive("}q\1" + text("me") + "h\1s.")).empty());
    std::string deep = ")";
    for (int i = 0; i < 1'000'000; ++i) deep += kTuple1;
    EXPECT_TRUE(read(archive(deep + ".")).empty());
}

}  // namespace
}  // namespace dailies::trainer
