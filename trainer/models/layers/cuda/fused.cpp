#include "trainer/models/layers/cuda/fused.h"

#include "trainer/models/layers/cuda/kernels/fused_residual_adaln.h"
#include "trainer/models/layers/cuda/kernels/norm_rope.h"
#include "trainer/models/layers/cuda/kernels/run_on_host.h"
#include "trainer/models/layers/fused.h"
#include "trainer/models/layers/norms.h"
#include "trainer/tensors/autocast_type.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>

#ifdef DAILIES_CUDA
#include "trainer/models/layers/cuda/kernels/run_on_device.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace dailies::trainer::fused {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr auto kEpsilon = static_cast<float>(layers::kNormEpsilon);
/// Pieces that fill a GPU of a hundred-odd multiprocessors several times over.
constexpr std::int64_t kChunks = 1024, kLanes = 16384;

std::atomic<FusedBackend> chosenBackend{FusedBackend::automatic};

template <class Kernel>
void launch(const Kernel& kernel, at::Device device) {
    if (device.is_meta()) return;  // sizes only
#ifdef DAILIES_CUDA
    if (device.is_cuda()) {
        const c10::cuda::CUDAGuard onDevice(device);
        return kernels::runOnDevice(kernel, c10::cuda::getCurrentCUDAStream(device.index()).stream());
    }
#else
    static_cast<void>(device);
#endif
    kernels::runOnHost(kernel);
}

bool usesKernels(const at::Tensor& x) {
    const auto route = chosenBackend.load();
    if (route != FusedBackend::automatic) return route == FusedBackend::kernels;
#ifdef DAILIES_CUDA
    return x.is_cuda();
#else
    static_cast<void>(x);
    return false;
#endif
}

bool isFloat(const at::Tensor& x) {
    return x.scalar_type() == at::kFloat;
}

bool isTaken(at::ScalarType type) {
    return type == at::kFloat || type == at::kBFloat16;
}

/// What autocast gives to matrix products.
at::ScalarType productType(const at::Tensor& x) {
    const auto device = layers::autocastType(x.device());
    return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device) : at::kFloat;
}

/// `f` with a value of the C++ type of float32 or bfloat16.
template <class F>
void withType(at::ScalarType type, const F& f) {
    if (type == at::kBFloat16)
        f(c10::BFloat16());
    else
        f(float());
}

template <class T>
const T* read(const at::Tensor& x) {
    return x.defined() ? x.const_data_ptr<T>() : nullptr;
}

template <class T>
T* write(const at::Tensor& x) {
    return x.defined() ? x.mutable_data_ptr<T>() : nullptr;
}

kernels::ModulatedRows rowsOf(const at::Tensor& x, const at::Tensor& conditioning) {
    const auto width = x.size(-1), rows = x.numel() / width;
    return {rows, rows / (conditioning.numel() / width), static_cast<int>(width)};
}

/// Adds up rows of partial sums to the shape of what they are the gradient of.
at::Tensor summed(const at::Tensor& partial, const at::Tensor& like) {
    if (!partial.defined()) return {};
    const auto steerings = like.numel() / like.size(-1);
    return partial.view({steerings, -1, like.size(-1)}).sum(1).view(like.sizes());
}

/// Whether rows of x can be steered by the kernels.
bool residualAdaLnTakes(const at::Tensor& x, const at::Tensor& conditioning) {
    return usesKernels(x) && isFloat(x) && isFloat(conditioning) && x.dim() == 3 && x.numel() > 0 &&
           x.size(-1) % kernels::kPack == 0 && x.size(-1) <= kernels::kMaxWidth &&
           conditioning.numel() % x.size(-1) == 0 &&
           (conditioning.sizes() == at::IntArrayRef({x.size(0), 1, x.size(-1)}) ||
            conditioning.sizes() == x.sizes());
}

/// What a junction does; autograd takes no undefined tensors, so absent inputs are left out.
struct FusedResidualAdaLnFunction : torch::autograd::Function<FusedResidualAdaLnFunction> {
    /// Of x, then change and gate if it `adds`, then shift and scale if it `norms`: the sum, if any, then
    /// what is normed, if any.
    static variable_list forward(AutogradContext* context, at::TensorList inputs, bool adds, bool norms,
                                 std::int64_t type) {
        const auto normedType = static_cast<at::ScalarType>(type);
        std::size_t next = 1;
        const auto input = [&](bool given) { return given ? inputs[next++].contiguous() : at::Tensor(); };
        const auto x = inputs[0], from = x.contiguous();
        const auto added = input(adds), open = input(adds), moved = input(norms), stretched = input(norms);
        const auto rows = rowsOf(x, adds ? open : moved);
        at::Tensor sum, normed, mean, rstd;
        if (adds) sum = at::empty_like(from);
        if (norms) {
            normed = at::empty(x.sizes(), x.options().dtype(normedType));
            mean = at::empty({rows.rows}, x.options());
            rstd = at::empty_like(mean);
        }
        withType(adds ? added.scalar_type() : at::kFloat, [&](auto changeType) {
            withType(normedType, [&](auto normType) {
                using Change = decltype(changeType);
                using Normed = decltype(normType);
                launch(
                    kernels::FusedResidualAdaLn<Change, Normed>{
                        rows, read<float>(from), read<Change>(added), read<float>(open), write<float>(sum),
                        read<float>(moved), read<float>(stretched), write<Normed>(normed), write<float>(mean),
                        write<float>(rstd), kEpsilon},
                    x.device());
            });
        });
        context->set_materialize_grads(false);
        // the sum itself is needed only to normalise it again
        context->save_for_backward({normed.defined() ? (sum.defined() ? sum : from) : at::Tensor(), added,
                                    open, stretched, mean, rstd});
        context->saved_data["type"] = type;
        if (!normed.defined()) return {sum};
        if (!sum.defined()) return {normed};
        return {sum, normed};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &sum = saved[0], &change = saved[1], &gate = saved[2], &scale = saved[3], &mean = saved[4],
                   &rstd = saved[5];
        const auto normedType = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
        const bool hasSum = change.defined(), hasNormed = scale.defined();
        const auto whole = [](const at::Tensor& t) { return t.defined() ? t.contiguous() : t; };
        const auto sumGradient = hasSum ? whole(gradients[0]) : at::Tensor();
        const auto normedGradient = hasNormed ? whole(gradients[hasSum ? 1 : 0]) : at::Tensor();
        // the inputs' gradients, then nothing for the three arguments that are no tensors
        variable_list results(1 + (hasSum ? 2 : 0) + (hasNormed ? 2 : 0) + 3);
        if (!sumGradient.defined() && !normedGradient.defined()) return results;

        const auto& like = hasSum ? change : sum;
        const auto& conditioning = hasSum ? gate : scale;
        const auto options = conditioning.options();
        const auto rows = rowsOf(like, conditioning);
        const auto chunk = std::clamp<std::int64_t>(rows.rows / kChunks, 1, rows.rowsPerGroup);
        const auto chunks = rows.rows / rows.rowsPerGroup * ((rows.rowsPerGroup + chunk - 1) / chunk);
        const auto partial = [&](bool wanted) {
            return wanted ? at::empty({chunks, rows.width}, options) : at::Tensor();
        };
        // where nothing was normed, x has the gradient of the sum
        const auto xGradient = normedGradient.defined() ? at::empty(like.sizes(), options) : at::Tensor();
        const auto changeGradient = hasSum ? at::empty_like(change) : at::Tensor();
        const auto gateSums = partial(hasSum), shiftSums = partial(normedGradient.defined()),
                   scaleSums = partial(normedGradient.defined());
        withType(hasSum ? change.scalar_type() : at::kFloat, [&](auto changeType) {
            withType(normedType, [&](auto normType) {
                using Change = decltype(changeType);
                using Normed = decltype(normType);
                launch(
                    kernels::FusedResidualAdaLnBackward<Change, Normed>{
                        rows, chunk, read<float>(sum), read<Change>(change), read<float>(gate),
                        read<float>(scale), read<float>(mean), read<float>(rstd), read<float>(sumGradient),
                        read<Normed>(normedGradient), write<float>(xGradient), write<Change>(changeGradient),
                        write<float>(gateSums), write<float>(shiftSums), write<float>(scaleSums)},
                    like.device());
            });
        });
        results[0] = xGradient.defined() ? xGradient : sumGradient;
        std::size_t next = 1;
        if (hasSum) {
            results[next++] = changeGradient;
            results[next++] = summed(gateSums, conditioning);
        }
        if (hasNormed) {
            results[next++] = summed(shiftSums, conditioning);
            results[next++] = summed(scaleSums, conditioning);
        }
        return results;
    }
};

kernels::HeadRows headRows(const at::Tensor& joined, const Heads& heads, std::int64_t width,
                           const at::Tensor& cos, bool interleaved) {
    const auto norm = heads.normAcrossHeads ? width : heads.headWidth;
    return {joined.size(0) * joined.size(1),
            joined.size(2),
            static_cast<int>(width / norm),
            static_cast<int>(norm),
            static_cast<int>(heads.headWidth),
            interleaved,
            cos.size(0),
            static_cast<int>(cos.size(-1))};
}

bool headsTaken(const at::Tensor& joined, const Heads& heads, const at::Tensor& queryGain,
                const at::Tensor& keyGain, const layers::RopeTable& rope) {
    return usesKernels(joined) && !rope.differsByHead() && heads.epsilon == layers::kNormEpsilon &&
           isTaken(joined.scalar_type()) && isFloat(queryGain) && isFloat(keyGain) && joined.dim() == 3 &&
           joined.numel() > 0 && heads.headWidth % (2 * kernels::kPack) == 0 &&
           heads.queryWidth <= kernels::kMaxWidth && rope.cos.size(0) == joined.size(1);
}

struct HeadsFunction : torch::autograd::Function<HeadsFunction> {
    static variable_list forward(AutogradContext* context, const at::Tensor& given,
                                 const at::Tensor& queryGain, const at::Tensor& keyGain,
                                 const at::Tensor& cos, const at::Tensor& sin, std::int64_t queryWidth,
                                 std::int64_t kvWidth, std::int64_t headWidth, bool normAcrossHeads,
                                 bool interleaved) {
        const Heads heads{queryWidth, kvWidth, headWidth, normAcrossHeads};
        const auto joined = given.contiguous();
        const auto turned = [&](std::int64_t first, std::int64_t width, const at::Tensor& gain) {
            const auto y =
                at::empty({joined.size(0), joined.size(1), width / headWidth, headWidth}, joined.options());
            withType(joined.scalar_type(), [&](auto type) {
                using T = decltype(type);
                launch(kernels::NormRope<T>{headRows(joined, heads, width, cos, interleaved),
                                            read<T>(joined) + first, read<float>(gain), read<float>(cos),
                                            read<float>(sin), write<T>(y), kEpsilon},
                       joined.device());
            });
            return y;
        };
        const auto query = turned(0, queryWidth, queryGain), key = turned(queryWidth, kvWidth, keyGain);
        context->set_materialize_grads(false);
        context->save_for_backward({joined, queryGain, keyGain, cos, sin});
        context->saved_data["heads"] = std::vector<std::int64_t>{queryWidth, kvWidth, headWidth};
        context->saved_data["across"] = normAcrossHeads;
        context->saved_data["interleaved"] = interleaved;
        const auto value = joined.narrow(-1, queryWidth + kvWidth, kvWidth);
        return {query, key, value.unflatten(-1, {kvWidth / headWidth, headWidth})};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &joined = saved[0], &queryGain = saved[1], &keyGain = saved[2], &cos = saved[3],
                   &sin = saved[4];
        const auto widths = context->saved_data["heads"].toIntVector();
        const Heads heads{widths[0], widths[1], widths[2], context->saved_data["across"].toBool()};
        const bool interleaved = context->saved_data["interleaved"].toBool();
        const auto joinedGradient = at::empty_like(joined);
        const auto back = [&](const at::Tensor& gradient, std::int64_t first, std::int64_t width,
                              const at::Tensor& gain) -> at::Tensor {
            if (!gradient.defined()) {
                joinedGradient.narrow(-1, first, width).zero_();
                return {};
            }
            const auto yGradient = gradient.contiguous();
            const auto shape = headRows(joined, heads, width, cos, interleaved);
            const auto lanes = std::min(shape.rows(), heads.normAcrossHeads ? kChunks : kLanes);
            const auto gainSums = at::empty({lanes, shape.width}, gain.options());
            withType(joined.scalar_type(), [&](auto type) {
                using T = decltype(type);
                launch(kernels::NormRopeBackward<T>{shape, lanes, read<T>(joined) + first, read<float>(gain),
                                                    read<float>(cos), read<float>(sin), read<T>(yGradient),
                                                    write<T>(joinedGradient) + first, write<float>(gainSums),
                                                    kEpsilon},
                       joined.device());
            });
            return gainSums.sum(0);
        };
        const auto queryGainGradient = back(gradients[0], 0, heads.queryWidth, queryGain);
        const auto keyGainGradient = back(gradients[1], heads.queryWidth, heads.kvWidth, keyGain);
        auto values = joinedGradient.narrow(-1, heads.queryWidth + heads.kvWidth, heads.kvWidth);
        if (gradients[2].defined())
            values.copy_(gradients[2].flatten(2));
        else
            values.zero_();
        return {joinedGradient, queryGainGradient, keyGainGradient, {}, {}, {}, {}, {}, {}, {}};
    }
};

}  // namespace

FusedBackendScope::FusedBackendScope(FusedBackend route) : m_before(chosenBackend.exchange(route)) {}

FusedBackendScope::~FusedBackendScope() {
    chosenBackend = m_before;
}

at::Tensor normModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    const auto type = productType(x);
    if (!residualAdaLnTakes(x, shift) || shift.sizes() != scale.sizes() || !isTaken(type))
        return layers::normModulate(x, shift, scale);
    return FusedResidualAdaLnFunction::apply(at::TensorList({x, shift, scale}), false, true,
                                             static_cast<std::int64_t>(type))[0];
}

at::Tensor gatedResidual(const at::Tensor& x, const at::Tensor& change, const at::Tensor& gate) {
    if (!residualAdaLnTakes(x, gate) || change.sizes() != x.sizes() || !isTaken(change.scalar_type()))
        return layers::fusableGate(x, change, gate) ? layers::fusedGatedResidual(x, change, gate)
                                                    : at::addcmul(x, change, gate);
    return FusedResidualAdaLnFunction::apply(at::TensorList({x, change, gate}), true, false,
                                             static_cast<std::int64_t>(at::kFloat))[0];
}

std::pair<at::Tensor, at::Tensor> gatedResidualNormModulate(const at::Tensor& x, const at::Tensor& change,
                                                            const at::Tensor& gate, const at::Tensor& shift,
                                                            const at::Tensor& scale) {
    const auto type = productType(x);
    if (!residualAdaLnTakes(x, gate) || change.sizes() != x.sizes() || !isTaken(change.scalar_type()) ||
        !isTaken(type) || gate.sizes() != shift.sizes() || shift.sizes() != scale.sizes()) {
        const auto sum = gatedResidual(x, change, gate);
        return {sum, normModulate(sum, shift, scale)};
    }
    const auto both = FusedResidualAdaLnFunction::apply(at::TensorList({x, change, gate, shift, scale}), true,
                                                        true, static_cast<std::int64_t>(type));
    return {both[0], both[1]};
}

std::array<at::Tensor, 3> qkNormRope(const at::Tensor& joined, const Heads& heads,
                                     const at::Tensor& queryGain, const at::Tensor& keyGain,
                                     const layers::RopeTable& rope) {
    const auto byHead = [&](const at::Tensor& x) {
        return x.unflatten(-1, {x.size(-1) / heads.headWidth, heads.headWidth});
    };
    if (headsTaken(joined, heads, queryGain, keyGain, rope)) {
        const auto parts =
            HeadsFunction::apply(joined, queryGain, keyGain, rope.cos, rope.sin, heads.queryWidth,
                                 heads.kvWidth, heads.headWidth, heads.normAcrossHeads, rope.interleaved);
        return {parts[0], parts[1], parts[2]};
    }
    const auto parts = joined.split_with_sizes({heads.queryWidth, heads.kvWidth, heads.kvWidth}, -1);
    const auto through = [&](const at::Tensor& x, const at::Tensor& gain) {
        if (!heads.normAcrossHeads && heads.epsilon == layers::kNormEpsilon && layers::fusableRope(x, rope))
            return layers::fusedNormRope(byHead(x), gain, rope);
        const auto normed = heads.normAcrossHeads ? byHead(layers::rmsNorm(x, gain, heads.epsilon))
                                                  : layers::rmsNorm(byHead(x), gain, heads.epsilon);
        return layers::rotated(normed, rope).to(x.scalar_type());
    };
    return {through(parts[0], queryGain), through(parts[1], keyGain), byHead(parts[2])};
}

}  // namespace dailies::trainer::fused
