#include "trainer/preflight/phase_barrier.h"

#include "core/base/error.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <thread>

namespace dailies::trainer {

namespace {

constexpr std::chrono::milliseconds kLookEvery{5};

std::string hereKey(const std::string& phase, std::int64_t rank) {
    return "here/" + phase + "/" + std::to_string(rank);
}

std::string partKey(std::int64_t rank) {
    return "part/" + std::to_string(rank);
}

void put(c10d::Store& store, const std::string& key, const std::string& text) {
    store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string take(c10d::Store& store, const std::string& key) {
    const auto bytes = store.get(key);
    return {bytes.begin(), bytes.end()};
}

}  // namespace

PhaseBarrier::PhaseBarrier(const DistEnv& ranks, c10::intrusive_ptr<c10d::Store> store, Clock::time_point end)
    : m_ranks(ranks), m_store(std::move(store)), m_end(end) {
    for (std::int64_t rank = 0; rank < ranks.size; ++rank) m_members.push_back({rank, {}});
}

const std::vector<PhaseBarrier::Member>& PhaseBarrier::enter(const std::string& phase,
                                                             const std::string& node,
                                                             Clock::time_point deadline) {
    const auto go = "go/" + phase;
    try {
        put(*m_store, hereKey(phase, m_ranks.rank), node);
        if (m_ranks.isRank0()) {
            waitForOthers(phase, deadline);
            Json members = Json::array();
            for (const auto& member : m_members) members.push_back({member.rank, member.node});
            put(*m_store, go, members.dump());
            return m_members;
        }
        m_store->setTimeout(
            std::max(std::chrono::milliseconds(1),
                     std::chrono::duration_cast<std::chrono::milliseconds>(m_end - Clock::now())));
        const auto members = parseJson(take(*m_store, go), go);
        m_members.clear();
        for (const auto& member : members)
            m_members.push_back({member.at(0).get<std::int64_t>(), member.at(1).get<std::string>()});
    } catch (const Error&) {
        throw;
    } catch (const std::exception&) {
        throw Error("Rank 0 no longer answers.");
    }
    if (std::ranges::find(m_members, m_ranks.rank, &Member::rank) == m_members.end())
        throw Error("This rank came too late for the phase \"" + phase + "\".");
    return m_members;
}

void PhaseBarrier::waitForOthers(const std::string& phase, Clock::time_point deadline) {
    std::vector<std::string> keys;
    for (const auto& member : m_members) keys.push_back(hereKey(phase, member.rank));
    while (!m_store->check(keys) && Clock::now() < deadline) std::this_thread::sleep_for(kLookEvery);
    std::erase_if(m_members,
                  [&](const Member& member) { return !m_store->check({hereKey(phase, member.rank)}); });
    for (auto& member : m_members) member.node = take(*m_store, hereKey(phase, member.rank));
}

void PhaseBarrier::tell(const preflight::RankReport& part) {
    try {
        put(*m_store, partKey(part.rank), toJson(part).dump(-1, ' ', false, Json::error_handler_t::replace));
    } catch (const std::exception&) {
        throw Error("Rank 0 no longer answers.");
    }
}

std::vector<preflight::RankReport> PhaseBarrier::told() const {
    std::vector<preflight::RankReport> parts;
    for (std::int64_t rank = 0; rank < m_ranks.size; ++rank)
        if (m_store->check({partKey(rank)}))
            parts.push_back(
                preflight::rankReportFromJson(parseJson(take(*m_store, partKey(rank)), partKey(rank))));
    return parts;
}

}  // namespace dailies::trainer
