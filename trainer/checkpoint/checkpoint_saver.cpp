#include "trainer/checkpoint/checkpoint_saver.h"

#include "core/base/error.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/types.h>

#include <chrono>
#include <cstring>

namespace dailies::trainer {

namespace {

using SaverClock = std::chrono::steady_clock;

double secondsSince(SaverClock::time_point began) {
    return std::chrono::duration<double>(SaverClock::now() - began).count();
}

/// Buffers on the host for tensors of these names, types and sizes: those at hand where they fit.
Params hostBuffers(const Params& source, const Params& atHand) {
    Params buffers;
    for (const auto& name : source.names()) {
        const auto& tensor = source[name];
        const bool fits = atHand.contains(name) && atHand[name].sizes() == tensor.sizes() &&
                          atHand[name].scalar_type() == tensor.scalar_type();
        buffers.add(
            name,
            fits
                ? atHand[name]
                : at::empty(tensor.sizes(),
                            at::TensorOptions().dtype(tensor.scalar_type()).pinned_memory(!tensor.is_cpu())));
    }
    return buffers;
}

struct CopyPair {
    at::Tensor from, to;
};

void appendPairs(const Params& from, const Params& to, std::vector<CopyPair>& pairs) {
    for (const auto& name : from.names()) pairs.push_back({from[name].detach(), to[name]});
}

/// Copies without LibTorch's threads: they belong to the step that runs meanwhile.
void copyOnHost(const CopyPair& pair) {
    if (pair.from.is_contiguous())
        std::memcpy(pair.to.mutable_data_ptr(), pair.from.const_data_ptr(), pair.from.nbytes());
    else
        at::Tensor(pair.to).copy_(pair.from);
}

CheckpointSaver::Result written(const Checkpoints& checkpoints, const TrainingState& state) {
    CheckpointSaver::Result result;
    result.step = state.step;
    try {
        result.saved = checkpoints.save(state);
    } catch (const Error& error) {
        result.error = error.full();
    } catch (const std::exception& error) {
        result.error = error.what();
    }
    return result;
}

}  // namespace

CheckpointSaver::~CheckpointSaver() {
    finish();
}

void CheckpointSaver::begin(const TrainingState& state) {
    const auto began = SaverClock::now();
    finish();
    m_stall = 0;
    try {
        startThread(state);
        m_stall += secondsSince(began);
    } catch (const std::exception&) {  // no memory or no thread: the disk is all that is needed
        m_finished.push_back(written(m_checkpoints, state));
        m_finished.back().seconds = m_finished.back().stallSeconds = secondsSince(began);
    }
}

void CheckpointSaver::startThread(const TrainingState& state) {
    TrainingState host = state;
    host.weights = hostBuffers(state.weights, m_host.weights);
    host.average = hostBuffers(state.average, m_host.average);
    host.optimizer = hostBuffers(state.optimizer, m_host.optimizer);
    m_host = std::move(host);

    std::vector<CopyPair> pairs, onDevice;
    appendPairs(state.weights, m_host.weights, pairs);
    appendPairs(state.average, m_host.average, pairs);
    appendPairs(state.optimizer, m_host.optimizer, pairs);
    std::erase_if(pairs, [&](const CopyPair& pair) {
        if (!pair.from.is_cpu()) onDevice.push_back(pair);
        return !pair.from.is_cpu();
    });
    std::shared_ptr<c10::Event> queued;
    if (!onDevice.empty()) {
        for (auto& [from, to] : onDevice) to.copy_(from, /*non_blocking=*/true);
        const auto device = onDevice.front().from.device();
        queued = std::make_shared<c10::Event>(device.type());
        queued->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
    }

    std::promise<void> copied;
    auto copiedFuture = copied.get_future();
    m_writing =
        std::async(std::launch::async, [this, pairs = std::move(pairs), queued, copied = std::move(copied),
                                        began = SaverClock::now()]() mutable {
            for (const auto& pair : pairs) copyOnHost(pair);
            copied.set_value();
            if (queued) queued->synchronize();
            auto result = written(m_checkpoints, m_host);
            result.seconds = secondsSince(began);
            return result;
        });
    m_copied = std::move(copiedFuture);
}

void CheckpointSaver::waitUntilCopied() {
    if (!m_copied.valid()) return;
    const auto began = SaverClock::now();
    m_copied.get();
    m_stall += secondsSince(began);
}

std::vector<CheckpointSaver::Result> CheckpointSaver::takeFinished() {
    if (m_writing.valid() && m_writing.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        collect();
    return std::exchange(m_finished, {});
}

void CheckpointSaver::finish() {
    waitUntilCopied();
    if (m_writing.valid()) collect();
}

void CheckpointSaver::collect() {
    m_finished.push_back(m_writing.get());
    m_finished.back().stallSeconds = m_stall;
}

}  // namespace dailies::trainer
