#include "trainer/preflight/rates.h"

#include "core/base/clock.h"
#include "core/preflight/report.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPings = 10;
constexpr std::int64_t kProbeBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMaxBytes = std::int64_t{256} << 20;
constexpr int kSums = 3;

double seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

void waitForDevice(at::Device device) {
    if (!device.is_cuda()) return;
    c10::impl::device_guard_impl_registry[static_cast<std::size_t>(at::kCUDA)].load()->synchronizeDevice(
        device.index());
}

at::Tensor bytesOn(at::Device device, std::int64_t count) {
    return at::zeros({count}, at::TensorOptions(at::kByte).device(device));
}

/// Each end sends and receives once; seconds of this rank.
double exchange(PeerGroup& pair, const at::Tensor& message) {
    const auto begin = Clock::now();
    if (pair.rank() == 0) {
        pair.send(message, 1);
        pair.receive(message, 1);
    } else {
        pair.receive(message, 0);
        pair.send(message, 0);
    }
    waitForDevice(pair.device());
    return seconds(Clock::now() - begin);
}

/// Rank 0 of the pair decides, so that both send as much.
std::int64_t agreedBytes(PeerGroup& pair, double bytesPerSecond, double duration) {
    auto bytes = at::full(
        {1}, std::clamp(static_cast<std::int64_t>(bytesPerSecond * duration / 2), kProbeBytes, kMaxBytes),
        at::TensorOptions(at::kLong).device(pair.device()));
    if (pair.rank() == 0)
        pair.send(bytes, 1);
    else
        pair.receive(bytes, 0);
    return bytes.item<std::int64_t>();
}

struct ClockReading {
    double latency = 0, clockOffset = 0;
};

/// As NTP does it: of several exchanges that with the shortest way there and back knows the other's clock
/// best.
ClockReading compareClocks(PeerGroup& pair) {
    const auto options = at::TensorOptions(at::kDouble).device(pair.device());
    ClockReading best;
    for (int i = 0; i < kPings; ++i) {
        auto times = at::zeros({1}, options);
        if (pair.rank() == 0) {
            const double sent = unixSeconds();
            const auto begin = Clock::now();
            pair.send(times, 1);
            pair.receive(times, 1);
            const double latency = seconds(Clock::now() - begin);
            if (i > 0 && best.latency > 0 && latency >= best.latency) continue;
            best = {latency, sent + latency / 2 - times.item<double>()};
        } else {
            pair.receive(times, 0);
            times.fill_(unixSeconds());
            pair.send(times, 0);
        }
    }
    auto shared = at::full({2}, best.latency, options);
    shared[1].fill_(best.clockOffset);
    if (pair.rank() == 0)
        pair.send(shared, 1);
    else
        pair.receive(shared, 0);
    shared = shared.to(at::kCPU);
    const double clockOffset = shared[1].item<double>();
    return {shared[0].item<double>(), pair.rank() == 0 ? clockOffset : -clockOffset};
}

}  // namespace

double measureMatmul(at::Device device, std::chrono::milliseconds duration) {
    const std::int64_t size = device.is_cuda() ? 8192 : 1024;
    const auto options = at::TensorOptions(device.is_cuda() ? at::kBFloat16 : at::kFloat).device(device);
    const auto a = at::full({size, size}, 0.5, options), b = at::full({size, size}, 0.25, options);
    auto product = at::empty({size, size}, options);
    const double operations =
        2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
    std::vector<double> rates;
    const auto begin = Clock::now();
    while (rates.size() < 3 || Clock::now() - begin < duration) {
        const auto started = Clock::now();
        at::mm_out(product, a, b);
        waitForDevice(device);
        rates.push_back(operations / seconds(Clock::now() - started));
    }
    rates.erase(rates.begin());
    return preflight::median(std::move(rates));
}

PairRates measurePair(PeerGroup& pair, std::chrono::milliseconds duration) {
    const auto clocks = compareClocks(pair);
    const auto probe = bytesOn(pair.device(), kProbeBytes);
    exchange(pair, probe);  // opens what is opened by the first large message
    const double probed = static_cast<double>(2 * kProbeBytes) / exchange(pair, probe);
    const auto message = bytesOn(pair.device(), agreedBytes(pair, probed, seconds(duration)));
    const double took = exchange(pair, message);
    return {static_cast<double>(2 * message.numel()) / took, clocks.latency, clocks.clockOffset};
}

double measureAllReduce(PeerGroup& all) {
    const std::int64_t bytes = all.device().is_cuda() ? std::int64_t{256} << 20 : std::int64_t{16} << 20;
    const auto message = at::zeros({bytes / 4}, at::TensorOptions(at::kFloat).device(all.device()));
    all.allReduce(message);
    waitForDevice(all.device());
    const auto begin = Clock::now();
    for (int i = 0; i < kSums; ++i) all.allReduce(message);
    waitForDevice(all.device());
    const double each = seconds(Clock::now() - begin) / kSums;
    const double ranks = all.size();
    return static_cast<double>(bytes) / each * 2 * (ranks - 1) / ranks;
}

}  // namespace dailies::trainer
