#pragma once

#include "trainer/parallel/flat_layout.h"
#include "trainer/parallel/fsdp_units.h"
#include "trainer/parallel/process_group.h"
#include "trainer/tensors/tensor_range.h"

#include <memory>

namespace dailies::trainer {

/// A run's weights as one rank holds them: all of them, to compute with, and those that it alone updates,
/// averages and saves. Where ranks divide nothing these are the same. In units a rank holds its own only, and
/// of all of them what a pass needs at the moment. Where ranks compute with slices of weights, "all" are this
/// rank's slices, or its stage's, which those that hold the same ones divide.
class ShardedParams {
public:
    /// Takes over the weights, float32 on the device. `ranks` divide them; they and `slices` must outlive
    /// this. `slices`: null where the weights are whole.
    ShardedParams(const Params& weights, ProcessGroup& ranks, const TensorParallelShards* slices = nullptr);

    /// In units: `computed` has names, sizes and types of what the model computes with, maybe without values
    /// (bfloat16 copies, see optim/master_weights.h, halve what is sent and held). Takes this rank's shards
    /// of the weights to the device; of weights on the meta device they are zero until `take`.
    ShardedParams(const Params& weights, const Params& computed, ProcessGroup& ranks, at::Device device,
                  const TensorParallelShards* slices = nullptr);

    /// In units: copies this rank's shard of one weight, or of its slice of it, to the device.
    void take(const std::string& name, const at::Tensor& weight);

    /// In units they hold values only within a pass, each while it is needed.
    const Params& all() const { return m_units ? m_units->weights() : m_all; }
    /// Null where all weights are whole at all times.
    FsdpUnits* units() const { return m_units.get(); }
    /// This rank's shards: flat, each of one weight, by the weights' names. They share memory with `all`, but
    /// for those in units.
    const Params& own() const { return m_own; }
    /// Which shards these are; empty where nothing is divided.
    const TensorRanges& ranges() const { return m_ranges; }
    /// Of a whole tensor that is sized like the weight: what `own` has of the weight.
    at::Tensor ownOf(const std::string& name, const at::Tensor& whole) const;
    const FlatLayout& layout() const { return m_layout; }
    /// Of each bucket of the layout: whether its weights are slices, and whether every stage has them
    /// (GradientReduceOptions).
    std::vector<bool> tensorParallelBuckets() const;
    std::vector<bool> bucketsOnEveryStage() const;

    /// After each rank has changed its own: all of them, on every rank. In units the next pass does so.
    void gather();
    /// Tensors that are divided like the weights (an average) as this rank computes with them: all must ask.
    Params gathered(const Params& own) const;
    /// All weights in float32, as no pass has to be under way to read them; every rank must ask.
    Params held() const { return m_units ? gathered(m_own) : m_all; }
    /// And as one process has them; with stages those of this rank's.
    Params whole() const { return whole(held()); }
    Params whole(const Params& held) const { return m_slices ? m_slices->whole(held) : held; }

private:
    bool divided() const { return m_ranks.size() > 1; }
    /// Of each bucket: whether its weights, which are alike in this, are such.
    template <class Is>
    std::vector<bool> bucketsThat(const Is& is) const {
        std::vector<bool> are(m_layout.buckets());
        const auto& names = all().names();
        for (std::size_t i = 0; i < names.size(); ++i) are[m_layout.of(i).bucket] = m_slices && is(names[i]);
        return are;
    }
    at::Tensor shardIn(const at::Tensor& bucket, std::size_t index) const;
    /// `shards`: this rank's of each bucket.
    TensorRange rangeOf(const std::string& name, const at::Tensor& weight, std::int64_t begin) const;
    void nameOwn(const Params& weights, const std::vector<at::Tensor>& shards);

    ProcessGroup& m_ranks;
    const TensorParallelShards* m_slices;
    FlatLayout m_layout;
    at::TensorOptions m_options;
    std::vector<at::Tensor> m_buckets;  ///< what `all` looks into; empty where it does not or comes and goes
    Params m_all, m_own;
    TensorRanges m_ranges;
    std::unique_ptr<FsdpUnits> m_units;
};

}  // namespace dailies::trainer
