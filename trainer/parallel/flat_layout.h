#pragma once

#include "trainer/tensors/params.h"

#include <vector>

namespace dailies::trainer {

/// How tensors lie one behind the other in a few flat buckets, which ranks may divide: of each bucket every
/// rank owns an equal shard. A weight lies in one bucket; a rank's shard of it is a range of its elements
/// that begins at a multiple of `kUnit`, so that what is kept for every 256 elements (8-bit moments) divides
/// alike.
class FlatLayout {
public:
    static constexpr std::int64_t kUnit = 256;
    static constexpr std::int64_t kBucketBytes = std::int64_t{32} << 20;

    /// Of float32 tensors of the weights' sizes. `bucketBytes` bounds a bucket, unless one weight is larger.
    FlatLayout(const Params& weights, std::int64_t ranks, std::int64_t bucketBytes = kBucketBytes);

    /// Each weight in the bucket of its number, `bucketOf`; there is no bucket without a weight. So what is
    /// gathered together lies together.
    FlatLayout(const Params& weights, std::int64_t ranks, const std::vector<std::size_t>& bucketOf);

    struct Place {
        std::size_t bucket = 0;
        std::int64_t offset = 0, elements = 0;
    };
    const Place& of(std::size_t weight) const { return m_places[weight]; }
    std::size_t weights() const { return m_places.size(); }

    std::int64_t ranks() const { return m_ranks; }
    std::size_t buckets() const { return m_sizes.size(); }
    std::int64_t bucketElements(std::size_t bucket) const { return m_sizes[bucket]; }
    std::int64_t shardElements(std::size_t bucket) const { return m_sizes[bucket] / m_ranks; }

    /// A rank's shard of a weight.
    struct Shard {
        std::size_t weight = 0, bucket = 0;
        std::int64_t begin = 0, elements = 0;  ///< of the flattened weight
        std::int64_t offset = 0;               ///< in the rank's shard of the bucket
    };
    /// In the order of the weights; none where the rank has nothing of a weight.
    std::vector<Shard> shardsOf(std::int64_t rank) const;

    /// Each weight's view, shaped like it, of buckets that are there.
    std::vector<at::Tensor> views(const Params& weights, const std::vector<at::Tensor>& buckets) const;

private:
    std::int64_t m_ranks;
    std::vector<Place> m_places;
    std::vector<std::int64_t> m_sizes;
};

}  // namespace dailies::trainer
