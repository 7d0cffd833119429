#pragma once

#include "trainer/parallel/flat_layout.h"
#include "trainer/parallel/process_group.h"
#include "trainer/parallel/tensor_parallel_shards.h"
#include "trainer/tensors/params.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Which weights are gathered together: the first unit is of those outside the blocks, then one of each block
/// ("blocks.3.…"), in the order in which a pass comes to them.
struct FsdpUnitPlan {
    struct Unit {
        std::string block;  ///< "blocks.3"; of the first unit empty
        /// One for each type of its weights, and one each for slices and whole ones.
        std::vector<std::size_t> buckets;
    };
    std::vector<Unit> units;
    std::vector<std::size_t> bucketOf;    ///< of each weight
    std::vector<at::ScalarType> typesOf;  ///< of each bucket's weights

    /// `slices`: which of them are slices; null: none.
    explicit FsdpUnitPlan(const Params& weights, const TensorParallelShards* slices = nullptr);
};

/// The weights that a model computes with, where ranks divide the weights themselves (ZeRO-3, Rajbhandari et
/// al. 2020; FSDP, Zhao et al. 2023): gathered from the ranks' shards when a pass comes to a unit, and freed
/// when it has left it. The next unit is gathered while one computes. What lies outside the blocks stays for
/// all of a pass, and the last block between forward and backward.
///
/// A unit's memory is freed and taken again under the same tensors, so that what autograd saved of them
/// holds. All ranks must make the same passes. One thread at a time.
class FsdpUnits : public UnshardHooks {
public:
    /// `computed`: names, sizes and types of the weights, maybe without values. `shards`: this rank's of each
    /// bucket, float32, on the device to compute on; gathering reads them as they are by then. `ranks` divide
    /// them and must outlive this.
    FsdpUnits(const Params& computed, FsdpUnitPlan division, const FlatLayout& layout,
              std::vector<at::Tensor> shards, ProcessGroup& ranks);

    /// Tensors that hold values only while their unit is there.
    const Params& weights() const { return m_weights; }

    /// Before a forward pass.
    void beginPass();
    void enter(const std::string& block) override;
    void leave(const std::string& block, const at::Tensor& output) override;
    /// Backward needs the weights of this bucket no more.
    void release(std::size_t bucket);
    /// After a backward pass: nothing is left gathered.
    void endPass();

    /// The most bytes of gathered weights that were held at one moment.
    std::int64_t peakBytes() const { return m_peakBytes; }

private:
    struct Bucket {
        at::Tensor whole;  ///< with memory only while it is there
        at::Tensor shard;
        at::Tensor sent = {};  ///< the shard in the type of `whole`, until it is gathered
        WorkHandle gathering = {};
        bool there = false;
    };

    std::size_t unitOf(const std::string& block) const;
    void start(std::size_t unit);
    void require(std::size_t unit);
    void settle(Bucket& bucket);

    FsdpUnitPlan m_division;
    ProcessGroup& m_ranks;  ///< their duplicate
    std::vector<Bucket> m_buckets;
    Params m_weights;
    std::int64_t m_heldBytes = 0, m_peakBytes = 0;
};

}  // namespace dailies::trainer
