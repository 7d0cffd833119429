#pragma once

#include "trainer/models/params.h"
#include "trainer/parallel/communicator.h"

#include <vector>

namespace dailies::trainer {

/// The gradients of a model in a few flat buckets: every weight's gradient is a view into one, where backward
/// adds to it, in float32 whatever the weight's own type. So clearing, summing over ranks, measuring and
/// clipping are each a handful of large operations.
class Gradients {
public:
    /// Makes the weights require gradients and gives each its view. `bucketBytes` bounds one collective's
    /// message.
    explicit Gradients(const Params& weights, std::int64_t bucketBytes = std::int64_t{32} << 20);

    void clear();
    void sumOver(Communicator& ranks);
    at::Tensor norm() const;  ///< Euclidean, over all weights; 0-dim
    void scale(const at::Tensor& factor);

    /// Views in the order of the weights.
    const std::vector<at::Tensor>& views() const { return m_views; }

private:
    std::vector<at::Tensor> m_buckets;
    std::vector<at::Tensor> m_views;
};

}  // namespace dailies::trainer
