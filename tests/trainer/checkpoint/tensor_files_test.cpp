#include "trainer/checkpoint/tensor_files.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cstdio>

namespace dailies::trainer {
namespace {

/// How a layout cuts a tensor: the boxes that a rank of so many holds.
using Layout = std::vector<Box> (*)(const Extents& shape, Share share);

std::pair<std::int64_t, std::int64_t> rangeOf(std::int64_t count, Share share) {
    const auto each = (count + share.ranks - 1) / share.ranks;
    const auto first = std::min(count, share.rank * each);
    return {first, std::min(count, first + each)};
}

/// Cut along the first axis, as tensor parallelism cuts columns and FSDP2 rows.
std::vector<Box> rowsOf(const Extents& shape, Share share) {
    if (shape.empty()) return share.rank == 0 ? std::vector{Box{}} : std::vector<Box>{};
    const auto [first, last] = rangeOf(shape[0], share);
    auto box = Box::whole(shape);
    box.first[0] = first;
    box.size[0] = last - first;
    return first < last ? std::vector{box} : std::vector<Box>{};
}

/// Cut along the last axis.
std::vector<Box> columnsOf(const Extents& shape, Share share) {
    if (shape.size() < 2) return rowsOf(shape, share);
    const auto [first, last] = rangeOf(shape.back(), share);
    auto box = Box::whole(shape);
    box.first.back() = first;
    box.size.back() = last - first;
    return first < last ? std::vector{box} : std::vector<Box>{};
}

/// Flattened and cut anywhere, as ZeRO cuts.
std::vector<Box> rangesOf(const Extents& shape, Share share) {
    const auto [first, last] = rangeOf(Box::whole(shape).elements(), share);
    return boxesOfRange(shape, first, last);
}

at::Tensor cut(at::Tensor whole, const Box& box) {
    for (std::size_t axis = 0; axis < box.size.size(); ++axis)
        whole = whole.narrow(static_cast<std::int64_t>(axis), box.first[axis], box.size[axis]);
    return whole;
}

Params someTensors() {
    Params tensors;
    tensors.add("matrix", normalTensor(1, {13, 7}));
    tensors.add("cube", normalTensor(2, {5, 4, 9}).to(at::kBFloat16));
    tensors.add("vector", normalTensor(3, {17}));
    tensors.add("short", normalTensor(4, {2, 3}));
    tensors.add("scalar", at::full({}, 3.5));
    tensors.add("codes", (normalTensor(5, {11, 3}).abs() * 50).to(at::kByte));
    tensors.add("empty", at::zeros({0, 4}));
    return tensors;
}

struct Written {
    TensorIndex index;
    std::map<std::string, std::uint64_t> files;
};

/// As `ranks` processes write it, each its own boxes.
Written writeAs(const std::filesystem::path& folder, const Params& tensors, Layout layout,
                std::int64_t ranks) {
    Written all;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<TensorPart> parts;
        for (const auto& name : tensors.names()) {
            const auto shape = tensors[name].sizes().vec();
            if (tensors[name].numel() == 0 && rank == 0)
                parts.push_back({name, shape, Box::whole(shape), tensors[name]});
            for (const auto& box : layout(shape, {rank, ranks}))
                if (box.elements() > 0) parts.push_back({name, shape, box, cut(tensors[name], box)});
        }
        TensorIndex own;
        writeParts(folder, "weights", parts, {rank, ranks}, 300, own, all.files);
        all.index.join(TensorIndex::fromJson(Json::parse(own.toJson().dump())));
    }
    all.index.check(all.files);
    return all;
}

TEST(TensorFiles, WrittenByAnyLayoutAreReadByAnyOther) {
    const auto tensors = someTensors();
    const Layout layouts[] = {rowsOf, columnsOf, rangesOf};
    for (const auto writing : layouts)
        for (const std::int64_t writers : {1, 3, 8}) {
            const TemporaryFolder folder;
            const auto written = writeAs(folder.path(), tensors, writing, writers);
            for (const auto reading : layouts)
                for (const std::int64_t readers : {1, 3, 5})
                    for (std::int64_t rank = 0; rank < readers; ++rank)
                        for (const auto& [name, tensor] : written.index.group("weights"))
                            for (const auto& box : reading(tensor.shape, {rank, readers}))
                                ASSERT_TRUE(
                                    at::equal(readBox(folder.path(), tensor, box), cut(tensors[name], box)))
                                    << name << " of " << writers << " for " << rank << " of " << readers;
        }
}

TEST(TensorFiles, SurviveBeingRewrittenByOtherNumbersOfRanks) {
    const auto tensors = someTensors();
    const TemporaryFolder eight, three, five;
    const auto first = writeAs(eight.path(), tensors, rangesOf, 8);
    const auto second =
        writeAs(three.path(), readGroup(eight.path(), first.index.group("weights")), rowsOf, 3);
    const auto third =
        writeAs(five.path(), readGroup(three.path(), second.index.group("weights")), columnsOf, 5);
    const auto last = readGroup(five.path(), third.index.group("weights"));
    ASSERT_EQ(last.names().size(), tensors.names().size());
    for (const auto& name : tensors.names()) EXPECT_TRUE(at::equal(last[name], tensors[name])) << name;
}

TEST(TensorFiles, AreOrdinarySafetensors) {
    const TemporaryFolder folder;
    const auto tensors = someTensors();
    writeAs(folder.path(), tensors, rowsOf, 2);
    const auto read = readSafetensors(folder.path() / "weights-rank-00001-00001-of-00002.safetensors");
    EXPECT_TRUE(at::equal(read["matrix[7:13,0:7]"], tensors["matrix"].narrow(0, 7, 6)));
}

TEST(TensorFiles, OfALostRankAreRefused) {
    const TemporaryFolder folder;
    auto written = writeAs(folder.path(), someTensors(), rowsOf, 3);
    auto json = written.index.toJson();
    json["weights"]["matrix"]["parts"].erase(1);
    const auto incomplete = TensorIndex::fromJson(json);
    try {
        incomplete.check(written.files);
        ADD_FAILURE() << "a hole went unnoticed";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("parts of matrix are missing"));
    }
    json["weights"]["matrix"]["parts"].push_back(json["weights"]["matrix"]["parts"][0]);
    EXPECT_THROW(TensorIndex::fromJson(json).check(written.files), InputError);
}

TEST(TensorFiles, OfRanksThatDisagreeAreRefused) {
    TensorIndex one, other;
    one["weights"]["w"] = {"F32", {4, 4}, {}};
    other["weights"]["w"] = {"F32", {4, 5}, {}};
    EXPECT_THROW(one.join(other), InputError);
}

TEST(Box, OfRangesCoverEveryElementOnce) {
    Random random(5);
    for (int trial = 0; trial < 500; ++trial) {
        Extents shape;
        for (std::uint64_t axis = random.below(4) + 1; axis > 0; --axis)
            shape.push_back(static_cast<std::int64_t>(random.below(5) + 1));
        const auto count = Box::whole(shape).elements();
        auto begin = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
        auto end = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count) + 1));
        if (begin > end) std::swap(begin, end);
        auto marks = at::zeros(shape);
        const auto boxes = boxesOfRange(shape, begin, end);
        for (const auto& box : boxes) cut(marks, box).add_(1);
        const auto expected = at::zeros({count});
        expected.slice(0, begin, end).fill_(1);
        ASSERT_TRUE(at::equal(marks.view({-1}), expected));
        EXPECT_LE(boxes.size(), 2 * shape.size() - 1);
    }
}

}  // namespace
}  // namespace dailies::trainer
