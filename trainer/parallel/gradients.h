#pragma once

#include "trainer/parallel/compressed_reduce.h"
#include "trainer/parallel/flat_layout.h"
#include "trainer/parallel/process_group.h"
#include "trainer/tensors/params.h"

#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace dailies::trainer {

/// How gradients become sums over ranks.
struct GradientReduceOptions {
    ProcessGroup* shardGroup = nullptr;    ///< ranks that each keep the sums of their own shards; null: none
    ProcessGroup* replicaGroup = nullptr;  ///< ranks that end with the same sums; null: none
    /// Whether a bucket stays, else it is there only from the first of its gradients until it is summed.
    bool persistentBuckets = true;
    /// Whether sums begin while backward goes on, else when it has ended.
    bool overlapReduce = true;
    /// Ranks that hold other tensor-parallel shards of the weights; null: weights are whole. All of them hold
    /// the buckets that are not tensor parallel, whose gradients are summed over them, too.
    ProcessGroup* tensorParallelGroup = nullptr;
    std::vector<bool> isTensorParallel = {};  ///< by bucket
    /// Ranks that hold the weights of other blocks; null: the model is whole. All of them hold the buckets
    /// that are on every stage, whose gradients are summed over them, too.
    ProcessGroup* pipelineGroup = nullptr;
    std::vector<bool> isOnEveryStage = {};  ///< by bucket
    /// Told of a bucket when backward needs its weights no more: their gradients of this pass are complete.
    /// Only where sums begin while backward goes on.
    std::function<void(std::size_t bucket)> onGradientReady = {};
    /// In which ranks send each other gradients. Of another type than float32 each rank's part is rounded,
    /// and they are added up in float32: see CompressedReduce.
    at::ScalarType reduceType = at::kFloat;
};

/// The gradients of a model in a few flat buckets, in float32 whatever the weight's own type. So clearing,
/// summing over ranks, measuring and clipping are each a handful of large operations. Buckets are summed from
/// the last to the first, as backward fills them, in the same order on every rank.
class Gradients {
public:
    /// Makes the weights require gradients, which backward then adds up here. What is given by pointer must
    /// outlive this, and this the last backward pass.
    Gradients(const Params& weights, FlatLayout layout, const GradientReduceOptions& reduce);
    /// Of one process.
    explicit Gradients(const Params& weights, std::int64_t bucketBytes = FlatLayout::kBucketBytes)
        : Gradients(weights, FlatLayout(weights, 1, bucketBytes), {}) {}
    ~Gradients();
    Gradients(const Gradients&) = delete;
    Gradients& operator=(const Gradients&) = delete;

    void clear();
    /// Before each backward pass of a step; `last`: what it adds completes the step's gradients.
    void beginPass(bool last);
    /// After the last: sums are complete.
    void finish();

    // Of the sums. Every rank must ask.
    at::Tensor norm();  ///< Euclidean, over all weights; 0-dim
    /// Of this rank's stage: how many numbers of each weight's gradient are not finite.
    std::vector<std::int64_t> notFinite();

    void scale(const at::Tensor& factor);
    /// Of this rank's shards, as ShardedParams::own has them: all weights where nothing is divided.
    const std::vector<at::Tensor>& own() const { return m_own; }

private:
    class Arrival;
    struct InFlight {
        std::size_t bucket = 0;
        WorkHandle sum = {};
        at::Tensor incoming = {};  ///< what a reduce-scatter writes to
        std::optional<CompressedReduce> rounded =
            {};  ///< instead of these, where gradients are rounded to be sent
    };

    bool isSharded() const { return m_layout.ranks() > 1; }
    bool rounds() const { return m_reduce.reduceType != at::kFloat; }
    bool sums() const { return isSharded() || m_reduce.replicaGroup; }
    const std::vector<at::Tensor>& results() const { return isSharded() ? m_shards : m_buckets; }
    void onGradientReady(std::size_t weight, const at::Tensor& value);
    void launch(std::size_t bucket);
    void settleOldest();
    void sumOver(ProcessGroup& ranks, const std::vector<at::Tensor>& gradients) const;
    void flush();
    bool isTensorParallel(std::size_t bucket) const {
        return m_reduce.tensorParallelGroup && m_reduce.isTensorParallel[bucket];
    }
    bool isOnEveryStage(std::size_t bucket) const {
        return m_reduce.pipelineGroup && m_reduce.isOnEveryStage[bucket];
    }
    /// Whether it is this rank that counts a bucket which other slices or stages may have, too.
    bool counts(std::size_t bucket) const;

    FlatLayout m_layout;
    GradientReduceOptions m_reduce;
    std::vector<at::Tensor> m_buckets, m_shards;
    std::vector<at::Tensor> m_own;
    at::TensorOptions m_options;
    std::vector<std::int64_t> m_weightsOf;  ///< of each bucket
    std::vector<std::int64_t> m_missing;    ///< of these, what this pass has not given yet
    std::size_t m_unlaunched = 0;           ///< buckets 0 … of this pass
    bool m_summing = false;                 ///< this pass
    std::deque<InFlight> m_inFlight;
    std::vector<at::Tensor> m_weights;  ///< which hold hooks
};

}  // namespace dailies::trainer
