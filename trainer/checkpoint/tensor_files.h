#pragma once

#include "trainer/checkpoint/tensor_index.h"
#include "trainer/tensors/params.h"
#include "trainer/tensors/tensor_range.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A part of a tensor that one rank holds. A rank may hold several parts of the same tensor.
struct TensorPart {
    std::string name;
    Extents shape;      ///< of the whole tensor
    Box box;            ///< which part of it
    at::Tensor values;  ///< sized like the box
};

/// Tensors as the parts that they are: one each where they are whole, as many as a range needs to be boxes,
/// none where another rank writes it. Throws `Error` for a tensor that does not fit its range.
std::vector<TensorPart> partsOf(const Params& tensors, const TensorRanges& ranges = {});

/// Which rank of how many writes or reads.
struct Share {
    std::int64_t rank = 0, ranks = 1;
};

/// Writes a rank's parts of a group of tensors as safetensors files into a folder: weights.safetensors, with
/// the rank's number where there are several, in pieces of at most `shardBytes` (a larger part gets a file of
/// its own). Enters them into the index, and the files' sizes into `files`. Throws `Error` when the disk
/// refuses. `metadata` goes into each file, beside the format.
void writeParts(const std::filesystem::path& folder, const std::string& group,
                const std::vector<TensorPart>& parts, Share share, std::uint64_t shardBytes,
                TensorIndex& index, std::map<std::string, std::uint64_t>& files,
                std::map<std::string, std::string> metadata = {});

/// Any box of a tensor, on the CPU, put together from the parts that hold it, whichever layout wrote them.
/// Reads only the rows that it needs. The index must have been checked.
at::Tensor readBox(const std::filesystem::path& folder, const TensorIndex::Tensor& tensor, const Box& box);

/// A whole group. Throws `Error` naming the file that cannot be read.
Params readGroup(const std::filesystem::path& folder, const TensorIndex::Group& group);

/// The numbers of tensors that are there, wherever they are and of whichever type. Reads those only. Throws
/// `Error` naming a tensor that the group lacks or has in another size.
void readInto(const std::filesystem::path& folder, const TensorIndex::Group& group, const Params& tensors,
              const TensorRanges& ranges = {});

}  // namespace dailies::trainer
