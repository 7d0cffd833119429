#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/serialization/safetensors_header.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <fstream>

namespace dailies::trainer {
namespace {

/// One to four random injuries: bits flipped, bytes replaced, cut, doubled, or replaced by numbers and signs
/// that parsers trip over.
std::string injured(std::string text, Random& random) {
    static const std::vector<std::string> kSplinters = {"-1",
                                                        "0",
                                                        "18446744073709551615",
                                                        "9223372036854775807",
                                                        "1e308",
                                                        "null",
                                                        "[]",
                                                        "{}",
                                                        "\"\"",
                                                        "\"",
                                                        ",",
                                                        "[",
                                                        "]",
                                                        "{",
                                                        "}",
                                                        "true",
                                                        "\\u0000",
                                                        "0.5",
                                                        "[0,0]",
                                                        "4294967296",
                                                        "../x"};
    for (std::uint64_t left = random.below(4) + 1; left > 0 && !text.empty(); --left) {
        const auto at = random.below(text.size());
        const auto length = random.below(std::min<std::uint64_t>(text.size() - at, 24)) + 1;
        switch (random.below(6)) {
            case 0:
                text[at] = static_cast<char>(text[at] ^ static_cast<char>(1 << random.below(8)));
                break;
            case 1:
                text[at] = static_cast<char>(random.below(256));
                break;
            case 2:
                text.erase(at, length);
                break;
            case 3:
                text.insert(at, text.substr(at, length));
                break;
            case 4:
                text.replace(at, length, kSplinters[random.below(kSplinters.size())]);
                break;
            default:
                text.resize(at);
                break;
        }
    }
    return text;
}

/// Removing first spares the wait for the disk that file systems put into overwriting.
void writeAnew(const std::filesystem::path& file, const std::string& bytes) {
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << bytes;
}

TEST(Fuzz, SafetensorsHeadersAreReadOrRefused) {
    Random random(11);
    const std::string whole =
        R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[3,5],"data_offsets":[0,60]},)"
        R"("b.weight":{"dtype":"BF16","shape":[2,4],"data_offsets":[60,76]},)"
        R"("c":{"dtype":"U8","shape":[],"data_offsets":[76,77]}})";
    ASSERT_EQ(parseSafetensorsHeader(whole, 77).tensors.size(), 3U);
    int accepted = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        try {
            const auto header = parseSafetensorsHeader(injured(whole, random), 77);
            ++accepted;
            std::uint64_t bytes = 0;
            for (const auto& entry : header.tensors) {
                ASSERT_LE(entry.begin, entry.end);
                ASSERT_LE(entry.end, 77U);
                bytes += entry.end - entry.begin;
            }
            ASSERT_EQ(bytes, 77U) << "every byte belongs to one tensor";
        } catch (const InputError&) {
        }
    }
    EXPECT_GT(accepted, 50) << "some injuries only rename a tensor";
}

TEST(Fuzz, SafetensorsFilesAreReadOrRefused) {
    Random random(12);
    const TemporaryFolder folder;
    const auto file = folder.path() / "f.safetensors";
    SafetensorsHeader header;
    header.tensors = {{"a", "F32", {2, 2}, 0, 16}, {"b", "I64", {1}, 16, 24}};
    const auto whole = encodeSafetensorsHeader(header) + std::string(24, 'x');
    for (int trial = 0; trial < 2'000; ++trial) {
        const auto bytes = injured(whole, random);
        writeAnew(file, bytes);
        try {
            const auto read = readSafetensorsHeader(file);
            for (const auto& entry : read.tensors) ASSERT_LE(read.start + entry.end, bytes.size());
        } catch (const Error& error) {
            ASSERT_NE(std::string(error.what()).find("f.safetensors"), std::string::npos);
        }
    }
}

TEST(Fuzz, ManifestsAreReadOrRefused) {
    Random random(13);
    const TemporaryFolder folder;
    const Checkpoints checkpoints(folder.path(), {});
    TrainingState state;
    state.step = 7;
    state.weights.add("w", normalTensor(1, {3, 4}));
    state.optimizer.add("w.first_moment", at::zeros({3, 4}, at::kByte));
    state.model = {{"family", "dit"}};
    state.metrics = {{"loss", 0.5}};
    checkpoints.save(state);
    const auto source = folder.path() / "checkpoints/step-000000007";
    const auto whole = Json::parse(readFile(source / "manifest.json")).dump();
    int accepted = 0;
    for (int trial = 0; trial < 10'000; ++trial) {
        const auto text = injured(whole, random);
        writeAnew(source / "manifest.json", text);
        try {
            const auto loaded = checkpoints.load(7);
            ++accepted;
            // what is accepted holds whole tensors of bytes that exist
            for (const auto& name : loaded.weights.names()) ASSERT_LE(loaded.weights[name].nbytes(), 1000U);
        } catch (const Error&) {
        }
    }
    EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace dailies::trainer
