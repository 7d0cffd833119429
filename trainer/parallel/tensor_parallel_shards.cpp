#include "trainer/parallel/tensor_parallel_shards.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/parallel/flat_layout.h"

#include <torch/types.h>

namespace dailies::trainer {

TensorParallelShards::TensorParallelShards(const Model& model, ProcessGroup& ranks,
                                           const PipelineStage* stage)
    : m_ranks(ranks), m_stage(stage) {
    const auto rules = model.tpPlan();
    if (rules.empty() && ranks.size() > 1)
        throw InputError("layout.tp: found " + std::to_string(ranks.size()) + " with model.family " +
                             model.shape().model.family +
                             ", expected 1: nothing says how ranks divide its weights.",
                         "model.family " + join(familiesWithTensorParallel(), ", ") + " can be divided.");
    const auto sizes = model.weightsOnMeta();
    for (const auto& name : sizes.names()) {
        if (stage && !stage->has(name)) continue;
        const auto shape = sizes[name].sizes().vec();
        auto& range = m_ranges[name] = {shape, 0};
        const bool first = !isSharedByStages(name) || stage->stage() == 0;
        if (const auto cut =
                ranks.size() > 1 ? tpShardOf(rules, name, shape, ranks.rank(), ranks.size()) : std::nullopt)
            range.cut = *cut;
        range.written = first && (divides(name) || ranks.rank() == 0);
    }
}

at::Tensor TensorParallelShards::own(const std::string& name, const at::Tensor& whole) const {
    const auto& cut = rangeOf(name).cut;
    if (cut.intervals.empty()) return whole;
    const auto axis = static_cast<std::int64_t>(cut.axis);
    std::vector<at::Tensor> parts;
    for (const auto& [first, size] : cut.intervals) parts.push_back(whole.narrow(axis, first, size));
    return at::cat(parts, axis);
}

Params TensorParallelShards::own(const Params& whole) const {
    Params slices;
    for (const auto& name : whole.names())
        if (has(name)) slices.add(name, own(name, whole[name]));
    return slices;
}

at::Tensor TensorParallelShards::wholeOf(const std::string& name, const at::Tensor& own) const {
    const auto& cut = rangeOf(name).cut;
    if (cut.intervals.empty()) return own;
    auto sizes = own.sizes().vec();
    sizes.insert(sizes.begin(), m_ranks.size());
    const auto ofRanks = at::empty(sizes, own.options().requires_grad(false));
    m_ranks.startAllGather(ofRanks, own.detach().contiguous().unsqueeze(0)).wait();
    // every rank has as much of each matrix
    const auto axis = static_cast<std::int64_t>(cut.axis);
    std::vector<at::Tensor> matrices;
    std::int64_t begin = 0;
    for (const auto& stretch : cut.intervals) {
        matrices.push_back(
            ofRanks.narrow(axis + 1, begin, stretch.size).movedim(0, axis).flatten(axis, axis + 1));
        begin += stretch.size;
    }
    return at::cat(matrices, axis);
}

Params TensorParallelShards::whole(const Params& own) const {
    const at::NoGradGuard noGradients;
    Params whole;
    for (const auto& name : own.names()) whole.add(name, wholeOf(name, own[name]));
    return whole;
}

std::function<at::Tensor(const std::string& name, const at::Tensor& whole)> shardReader(const Model& model,
                                                                                        ProcessGroup& ranks) {
    return [shards = TensorParallelShards(model, ranks)](const std::string& name, const at::Tensor& whole) {
        return shards.own(name, whole);
    };
}

std::vector<std::size_t> TensorParallelShards::bucketsOf(const Params& own) const {
    std::vector<std::size_t> buckets(own.names().size());
    std::size_t next = 0;
    for (const auto& [divided, ofOneStage] :
         {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const auto& name = own.names()[i];
            if (divides(name) != divided || isSharedByStages(name) == ofOneStage) continue;
            const auto more = own.tensors()[i].numel() * static_cast<std::int64_t>(sizeof(float));
            if (bytes > 0 && bytes + more > FlatLayout::kBucketBytes) {
                ++next;
                bytes = 0;
            }
            buckets[i] = next;
            bytes += more;
        }
        if (bytes > 0) ++next;
    }
    return buckets;
}

}  // namespace dailies::trainer
