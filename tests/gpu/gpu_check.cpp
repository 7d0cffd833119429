// gpu_check parity: models with the fused kernels and without them, and each kernel beside the same
// arithmetic on the CPU. gpu_check speed: seconds and share of the peak of a train step of a dit of 24 layers
// of width 2048 on 8,192 tokens, bf16, without recomputation, optimizer included, three ways.
// tests/gpu/run.sh builds it.
#include "trainer/meters/device_info.h"
#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/model_family.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/gradients.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/device_phase_clock.h"
#include "trainer/tensors/precision.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/training/graph_capture.h"

#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

double difference(const at::Tensor& ours, const at::Tensor& theirs) {
    const auto exact = theirs.to(at::kCPU, at::kDouble), found = ours.to(at::kCPU, at::kDouble);
    return ((found - exact).norm() / exact.norm().clamp_min(1e-30)).item<double>();
}

int failures = 0;

void judge(const std::string& what, double found, double limit) {
    const bool good = found <= limit;  // not a number is not good
    failures += !good;
    std::printf("%-62s %.2e (≤ %.0e) %s\n", what.c_str(), found, limit, good ? "ok" : "FAILED");
}

using Tensors = std::vector<at::Tensor>;

/// Outputs, then the gradients of all inputs for fixed random gradients of the outputs.
template <class F>
Tensors withGradients(const F& operation, const Tensors& inputs) {
    Tensors leaves;
    for (const auto& input : inputs) leaves.push_back(input.clone().set_requires_grad(true));
    auto results = operation(leaves);
    Tensors given;
    for (std::size_t i = 0; i < results.size(); ++i)
        given.push_back(normalTensor(100 + i, results[i].sizes().vec())
                            .to(results[i].device(), results[i].scalar_type()));
    const auto gradients = torch::autograd::grad(results, leaves, given);
    results.insert(results.end(), gradients.begin(), gradients.end());
    return results;
}

/// Each number of an operation on the GPU beside the same arithmetic on the CPU, where tests prove it.
template <class F>
void checkOperation(const std::string& name, const F& operation, const Tensors& inputs, at::Device gpu) {
    const fused::FusedBackendScope kernels(fused::FusedBackend::kernels);
    Tensors there;
    for (const auto& input : inputs) there.push_back(input.to(gpu));
    const auto found = withGradients(operation, there), wanted = withGradients(operation, inputs);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double one = difference(found[i], wanted[i]);
        worst = one <= worst ? worst : one;
    }
    judge(name, worst, inputs[0].scalar_type() == at::kBFloat16 ? 4e-3 : 1e-5);
}

void checkOperations(at::Device gpu) {
    for (const std::int64_t width : {64, 384, 2048, 6144, 8192}) {
        const auto x = normalTensor(1, {2, 300, width}), change = normalTensor(2, {2, 300, width});
        const std::vector<std::int64_t> conditioning = {2, 1, width};
        const Tensors inputs = {x, change, normalTensor(3, conditioning), normalTensor(4, conditioning),
                                normalTensor(5, conditioning)};
        const auto size = ", width " + std::to_string(width);
        checkOperation(
            "gate, sum, norm, modulation" + size,
            [](const Tensors& in) {
                const auto [sum, normed] =
                    fused::gatedResidualNormModulate(in[0], in[1], in[2], in[3], in[4]);
                return Tensors{sum, normed};
            },
            inputs, gpu);
        checkOperation(
            "norm, modulation" + size,
            [](const Tensors& in) { return Tensors{fused::normModulate(in[0], in[1], in[2])}; },
            {x, inputs[3], inputs[4]}, gpu);
    }
    for (const bool across : {false, true})
        for (const bool interleaved : {false, true})
            for (const std::int64_t headWidth : {16, 64, 96, 128, 256})
                for (const auto type : {at::kFloat, at::kBFloat16}) {
                    const std::int64_t width = 4 * headWidth, tokens = 37;
                    const auto half = normalTensor(9, {tokens, 1, headWidth / 2});
                    const auto angles = interleaved ? half : at::cat({half, half}, -1);
                    const auto gain = [&](std::uint64_t key) {
                        return normalTensor(key, {across ? width : headWidth});
                    };
                    checkOperation(
                        std::string("norm, turn, ") + (across ? "all heads, " : "each head, ") +
                            (interleaved ? "neighbours, " : "halves, ") + std::to_string(headWidth) +
                            (type == at::kFloat ? ", fp32" : ", bf16"),
                        [&](const Tensors& in) {
                            const layers::RopeTable rope{at::cos(angles).to(in[0].device()),
                                                         at::sin(angles).to(in[0].device()), interleaved};
                            const auto parts = fused::qkNormRope(in[0], {width, width, headWidth, across},
                                                                 in[1], in[2], rope);
                            return Tensors(parts.begin(), parts.end());
                        },
                        {normalTensor(1, {2, tokens, 3 * width}).to(type), gain(2), gain(3)}, gpu);
                }
}

/// Weights drawn on the device: a GPU fills what a CPU would draw for minutes.
Params drawnWeights(const Model& model, at::Device device) {
    Params weights;
    const auto shapes = model.weightsOnMeta();
    for (const auto& name : shapes.names())
        weights.add(name, at::randn(shapes[name].sizes(), at::device(device).dtype(at::kFloat)) * 0.02 +
                              (name.find("norm") != std::string::npos ? 1.0 : 0.0));
    return weights;
}

ModelShape shapeOf(const std::string& family, std::int64_t width, std::int64_t depth, std::int64_t heads,
                   std::int64_t side) {
    ModelShape shape;
    shape.model.family = family;
    shape.model.width = width;
    shape.model.depth = depth;
    shape.model.heads = heads;
    shape.model.patch_frames = 1;
    shape.model.patch_size = 2;
    shape.model.positions = "none";
    shape.model.activation = "gelu-tanh";
    shape.frames = 8;
    shape.height = shape.width = side;
    shape.channels = 16;
    shape.captionTokens = 16;
    return shape;
}

/// What a step reads; nothing changes from step to step, so that it can be recorded.
struct Step {
    Step(const ModelShape& shape, std::int64_t clips, at::Device gpu)
        : device(gpu), model(makeModel(shape, gpu)), weights(drawnWeights(*model, gpu)), gradients(weights) {
        const auto options = at::device(gpu).dtype(at::kFloat);
        const std::vector<std::int64_t> sizes = {clips, shape.frames, shape.height, shape.width,
                                                 shape.channels};
        input.groups.push_back({.clips = at::randn(sizes, options)});
        input.times = at::rand({clips}, options);
        input.text.words = at::ones({clips, shape.captionTokens}, options);
        target = at::randn(sizes, options);
    }

    at::Tensor forward(const std::string& precision) {
        const AutocastScope autocast(device, precision);
        return at::mse_loss(model->forward(weights, input).front().to(at::kFloat), target);
    }

    at::Device device;
    std::unique_ptr<Model> model;
    Params weights;
    Gradients gradients;
    ModelInput input;
    at::Tensor target;
};

/// Work that has run a few times, so that libraries have chosen and allocated what they need, recorded.
std::unique_ptr<CapturedGraph> recorded(const std::function<void()>& work, at::Device gpu) {
    for (int i = 0; i < CudaGraphCache::kWarmUps; ++i) work();
    return makeGraphCapture(gpu)(work);
}

void checkModels(at::Device gpu) {
    for (const std::string family : {"dit", "wan", "st-dit"})
        for (const std::string precision : {"fp32", "bf16"}) {
            at::manual_seed(1);
            Step step(shapeOf(family, 256, 4, 4, 16), 2, gpu);
            const auto run = [&](fused::FusedBackend route) {
                const fused::FusedBackendScope scope(route);
                step.gradients.clear();
                const auto loss = step.forward(precision);
                loss.backward();
                Tensors results = {loss.detach().clone()};
                for (const auto& view : step.gradients.own()) results.push_back(view.clone());
                return results;
            };
            const auto wanted = run(fused::FusedBackend::layers), found = run(fused::FusedBackend::kernels);
            double worst = 0;
            std::string where;
            for (std::size_t i = 1; i < found.size(); ++i)
                if (const double one = difference(found[i], wanted[i]); !(one <= worst)) {
                    worst = one;
                    where = step.weights.names()[i - 1];
                }
            judge(family + " " + precision + ": loss", difference(found[0], wanted[0]),
                  precision == "fp32" ? 1e-5 : 2e-3);
            judge(family + " " + precision + ": gradients, worst at " + where, worst,
                  precision == "fp32" ? 1e-4 : 6e-2);

            const fused::FusedBackendScope kernels(fused::FusedBackend::kernels);
            try {
                const auto ofGraph = at::zeros({}, step.target.options());
                const auto graph = recorded(
                    [&] {
                        step.gradients.clear();
                        const auto loss = step.forward(precision);
                        loss.backward();
                        at::Tensor(ofGraph).copy_(loss.detach());
                    },
                    gpu);
                graph->replay();
                c10::cuda::getCurrentCUDAStream().synchronize();
                judge(family + " " + precision + ": loss of the graph", difference(ofGraph, found[0]), 1e-6);
                double most = 0;
                for (std::size_t i = 0; i < step.gradients.own().size(); ++i) {
                    const double one = difference(step.gradients.own()[i], found[i + 1]);
                    most = one <= most ? most : one;
                }
                // attention's backward pass adds up in no fixed order
                judge(family + " " + precision + ": gradients of the graph", most,
                      precision == "fp32" ? 1e-4 : 6e-2);
            } catch (const std::exception& error) {
                ++failures;
                std::printf("%s %s: the graph FAILED: %.400s\n", family.c_str(), precision.c_str(),
                            error.what());
            }
        }
}

constexpr int kWarmUp = 5, kSteps = 20;

/// Seconds of a step and of its phases, the middle of many.
PhaseSeconds middleOf(std::vector<PhaseSeconds> steps) {
    const auto total = [](const PhaseSeconds& step) {
        double sum = 0;
        for (const double part : step) sum += part;
        return sum;
    };
    std::ranges::sort(steps, {}, total);
    return steps[steps.size() / 2];
}

void printStep(const char* how, const PhaseSeconds& seconds, double flops, double peak) {
    double total = 0;
    for (const double part : seconds) total += part;
    const auto of = [&](Phase phase) { return 1e3 * seconds[static_cast<std::size_t>(phase)]; };
    std::printf(
        "%-26s %7.2f ms a step (forward %.2f, backward %.2f, update %.2f), %.0f TFLOP/s, MFU %.1f %%\n", how,
        1e3 * total, of(Phase::forward), of(Phase::backward), of(Phase::update), flops / total / 1e12,
        100 * flops / total / peak);
}

void measure(at::Device gpu) {
    const auto shape = shapeOf("dit", 2048, 24, 16, 64);
    Step step(shape, 1, gpu);
    config::TrainConfig::Optimizer settings;
    settings.lr = 1e-5;
    const auto optimizer = makeOptimizer(step.weights, settings);
    const auto each = step.model->flops({shape.frames, shape.height, shape.width}, 0);
    const double flops = static_cast<double>(each.forward() + each.backward());
    const double peak = peakFlops(deviceName(gpu)).value_or(989e12);
    std::printf("dit, %lld weights, %lld tokens, %.1f TFLOP a step, peak %.0f TFLOP/s\n",
                static_cast<long long>(step.weights.elementCount()),
                static_cast<long long>(step.model->tokensPerClip()), flops / 1e12, peak / 1e12);

    const auto clock = makePhaseClock(gpu);
    const auto update = [&] {
        const at::NoGradGuard noGradients;
        const auto norm = step.gradients.norm();
        step.gradients.scale(at::clamp_max(1.0 / (norm + 1e-6), 1.0));
        optimizer->step(step.gradients.own(), settings.lr);
    };
    const auto timed = [&](const auto& learn) {
        std::vector<PhaseSeconds> all;
        for (int i = 0; i < kWarmUp + kSteps; ++i) {
            learn();
            clock->enter(Phase::update);
            update();
            const auto seconds = clock->finish();
            if (i >= kWarmUp) all.push_back(seconds);
        }
        return middleOf(all);
    };
    const auto eager = [&] {
        clock->enter(Phase::forward);
        step.gradients.clear();
        const auto loss = step.forward("bf16");
        clock->enter(Phase::backward);
        loss.backward();
    };
    {
        const fused::FusedBackendScope route(fused::FusedBackend::layers);
        printStep("ATen's operations", timed(eager), flops, peak);
    }
    const fused::FusedBackendScope route(fused::FusedBackend::kernels);
    printStep("fused kernels", timed(eager), flops, peak);
    const auto graph = recorded(
        [&] {
            step.gradients.clear();
            step.forward("bf16").backward();
        },
        gpu);
    printStep("fused, forward+backward as a graph", timed([&] {
                  clock->enter(Phase::backward);
                  graph->replay();
              }),
              flops, peak);
    std::printf("peak memory %.1f GiB\n", static_cast<double>(peakMemory(gpu)) / (1 << 30));
}

}  // namespace

int main(int count, char** words) try {
    const std::string what = count > 1 ? words[1] : "";
    const auto gpu = chooseDevice("cuda", 0);
    std::printf("%s; attention tries %s\n", deviceName(gpu).c_str(), attentionOrder(gpu).c_str());
    if (what == "parity") {
        checkOperations(gpu);
        checkModels(gpu);
        std::printf(failures ? "%d checks FAILED\n" : "all checks passed\n", failures);
    } else if (what == "speed") {
        measure(gpu);
    } else {
        std::cerr << "gpu_check: say parity or speed.\n";
        return 2;
    }
    return failures ? 1 : 0;
} catch (const std::exception& error) {
    std::cerr << "gpu_check: " << error.what() << '\n';
    return 1;
}
