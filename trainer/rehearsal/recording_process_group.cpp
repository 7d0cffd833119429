#include "trainer/rehearsal/recording_process_group.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace dailies::trainer {

namespace {

class RecordingRanks : public ProcessGroup {
public:
    RecordingRanks(RecordedGroup group, RecordedRank& recorded, std::shared_ptr<Traffic> traffic = {})
        : m_group(std::move(group)), m_recorded(recorded), m_index(recorded.groups.size()) {
        if (traffic) m_traffic = std::move(traffic);
        m_recorded.groups.push_back(m_group);
        begun({.kind = CallKind::newGroup, .group = m_index}).wait();
    }

    std::int64_t rank() const override { return static_cast<std::int64_t>(m_group.own); }
    std::int64_t size() const override { return static_cast<std::int64_t>(m_group.members.size()); }
    std::string name() const override { return "rehearsal"; }

    void allReduce(at::Tensor& tensor) override { startAllReduce(tensor).wait(); }
    void broadcastFromRank0(at::Tensor& tensor) override {
        begun(callOf(CallKind::broadcast, tensor)).wait();
    }

    WorkHandle startAllReduce(const at::Tensor& tensor) override {
        m_traffic->addAllReduce(bytesOf(tensor), size());
        return begun(callOf(CallKind::allReduce, tensor));
    }
    WorkHandle startReduceScatter(const at::Tensor&, const at::Tensor& whole) override {
        m_traffic->addReduceScatter(bytesOf(whole), size());
        return begun(callOf(CallKind::reduceScatter, whole));
    }
    WorkHandle startAllGather(const at::Tensor& whole, const at::Tensor&) override {
        m_traffic->addAllGather(bytesOf(whole), size());
        return begun(callOf(CallKind::allGather, whole));
    }
    WorkHandle startAllToAll(const at::Tensor& taken, const at::Tensor& given,
                             std::vector<std::int64_t> takenRows,
                             std::vector<std::int64_t> givenRows) override {
        m_traffic->addAllToAll(bytesOf(given), given.size(0), givenRows[m_group.own]);
        auto call = callOf(CallKind::allToAll, given);
        for (auto& rows : givenRows) rows *= given.numel() / given.size(0);
        for (auto& rows : takenRows) rows *= taken.numel() / taken.size(0);
        call.given = std::move(givenRows);
        call.taken = std::move(takenRows);
        return begun(std::move(call));
    }

    WorkHandle startSend(const at::Tensor& tensor) override {
        m_traffic->addSend(bytesOf(tensor));
        return begun(callOf(CallKind::send, tensor));
    }
    WorkHandle startReceive(const at::Tensor& tensor) override {
        return begun(callOf(CallKind::receive, tensor));
    }

    std::unique_ptr<ProcessGroup> newGroup(const std::string& name,
                                           const std::vector<std::int64_t>& members) override {
        const auto own = std::ranges::find(members, rank()) - members.begin();
        if (members.size() == 1) return makeProcessGroup({}, at::kMeta);
        RecordedGroup group{m_group.name + "/" + name, {}, static_cast<std::size_t>(own)};
        for (const auto member : members)
            group.members.push_back(m_group.members[static_cast<std::size_t>(member)]);
        return std::make_unique<RecordingRanks>(std::move(group), m_recorded, m_traffic);
    }

private:
    static double bytesOf(const at::Tensor& tensor) { return static_cast<double>(tensor.nbytes()); }

    RecordedCall callOf(CallKind kind, const at::Tensor& tensor) const {
        return {.kind = kind,
                .group = m_index,
                .type = c10::toString(tensor.scalar_type()),
                .sizes = tensor.sizes().vec(),
                .elementBytes = static_cast<std::int64_t>(tensor.element_size())};
    }

    WorkHandle begun(RecordedCall call) {
        m_recorded.calls.push_back(std::move(call));
        return WorkHandle([&recorded = m_recorded, index = m_recorded.calls.size() - 1] {
            recorded.calls.push_back({.kind = CallKind::wait, .of = index});
        });
    }

    RecordedGroup m_group;
    RecordedRank& m_recorded;
    std::size_t m_index;
};

}  // namespace

std::unique_ptr<ProcessGroup> recordingProcessGroup(std::int64_t rank, std::int64_t size,
                                                    RecordedRank& recorded) {
    if (size == 1) return makeProcessGroup({}, at::kMeta);
    RecordedGroup all{"world", std::vector<std::int64_t>(static_cast<std::size_t>(size)),
                      static_cast<std::size_t>(rank)};
    std::iota(all.members.begin(), all.members.end(), 0);
    return std::make_unique<RecordingRanks>(std::move(all), recorded);
}

}  // namespace dailies::trainer
