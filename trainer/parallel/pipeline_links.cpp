#include "trainer/parallel/pipeline_links.h"

namespace dailies::trainer {

PipelineLinks::PipelineLinks(const Mesh& mesh, ProcessGroup& world)
    : m_chunks(mesh.sizes().ppChunks), m_stages(world.newGroup("stages", mesh.pipelineGroup())) {
    const auto ranks = mesh.pipelineGroup();
    const auto own = mesh.stage(), count = stages();
    // pair by pair in one order, for both must be there when their group is made
    for (std::int64_t from = 0; from < (m_chunks > 1 ? count : count - 1); ++from) {
        const auto to = (from + 1) % count;
        if (own != from && own != to) continue;
        const auto first = ranks[static_cast<std::size_t>(from)],
                   second = ranks[static_cast<std::size_t>(to)];
        auto on = world.newGroup("stage on", {first, second});
        auto back = world.newGroup("stage back", {second, first});
        (own == from ? m_forwardToNext : m_forwardFromPrevious) = std::move(on);
        (own == from ? m_backwardFromNext : m_backwardToPrevious) = std::move(back);
    }
}

}  // namespace dailies::trainer
