#include "trainer/parallel/pipeline_stage.h"

#include "core/config/pipeline_schedule.h"
#include "trainer/models/unianimate/pose_names.h"
#include "trainer/tensors/precision.h"

#include <torch/types.h>

#include <charconv>
#include <deque>
#include <map>
#include <utility>

namespace dailies::trainer {

namespace {

constexpr std::string_view kBlockPrefix = "blocks.";

bool isOfEmbedding(const std::string& weight) {
    return weight.starts_with("patch.") || weight == "positions" || unianimate::isOfPoseEncoders(weight);
}

bool isOfOutput(const std::string& weight) {
    return weight.starts_with("final.");
}

}  // namespace

/// One step of one stage.
class PipelineStage::Step {
public:
    Step(const PipelineStage& stage, const MicroBatches& batches, PhaseClock& clock)
        : m_stage(stage),
          m_batches(batches),
          m_clock(clock),
          m_options(at::TensorOptions(batches.device).dtype(at::kFloat)) {}

    void forward(std::int64_t chunk, std::int64_t index) {
        m_clock.enter(Phase::forward);
        const AutocastScope autocast(m_batches.device, m_batches.precision);
        const auto pass = m_batches.begin(index);
        auto& held = m_held[{chunk, index}];
        if (!m_stage.embeds(chunk)) {
            held.given = at::empty(pass->tokenSizes(), m_options);
            waitFor(m_stage.m_links.startReceiveForward(held.given), Phase::forward);
            held.given.set_requires_grad(true);
        }
        const auto first = m_stage.embeds(chunk) ? pass->embedded() : held.given;
        held.made = m_stage.through(chunk, *pass, first);
        if (m_stage.makesOutput(chunk)) {
            held.made = m_batches.loss(index, outputOf(*pass, held.made));
            return;
        }
        held.made = held.made.contiguous();
        held.sent = m_stage.m_links.startSendForward(held.made.detach());
    }

    void backward(std::int64_t chunk, std::int64_t index) {
        auto held = std::move(m_held.extract({chunk, index}).mapped());
        at::Tensor gradient;
        if (!m_stage.makesOutput(chunk)) {
            gradient = at::empty(held.made.sizes(), held.made.options().requires_grad(false));
            waitFor(m_stage.m_links.startReceiveBackward(gradient), Phase::backward);
            held.sent.wait();  // over: the next stage has been through it
        }
        m_clock.enter(Phase::backward);
        held.made.backward(gradient);
        if (!m_stage.embeds(chunk)) sendBack(held.given.grad().contiguous());
    }

    void finish() {
        m_clock.enter(Phase::reduce);
        while (!m_sentBack.empty()) settleOldest();
    }

private:
    struct Held {
        at::Tensor given;  ///< by the stage before, a leaf; undefined where there is none
        at::Tensor made;   ///< what the next stage gets, or the loss
        WorkHandle sent;
    };

    void waitFor(WorkHandle pending, Phase then) {
        m_clock.enter(Phase::reduce);
        pending.wait();
        m_clock.enter(then);
    }

    /// The stage before takes gradients in the same order, each at most as many of its passes later as there
    /// are stages: holding no more than those never keeps anybody waiting.
    void sendBack(at::Tensor gradient) {
        if (static_cast<std::int64_t>(m_sentBack.size()) == m_stage.stages()) settleOldest();
        auto sent = m_stage.m_links.startSendBackward(gradient);
        m_sentBack.emplace_back(std::move(gradient), std::move(sent));
    }

    void settleOldest() {
        m_sentBack.front().second.wait();
        m_sentBack.pop_front();
    }

    const PipelineStage& m_stage;
    const MicroBatches& m_batches;
    PhaseClock& m_clock;
    at::TensorOptions m_options;
    std::map<std::pair<std::int64_t, std::int64_t>, Held> m_held;  ///< by chunk and part
    std::deque<std::pair<at::Tensor, WorkHandle>> m_sentBack;
};

PipelineStage::PipelineStage(const PipelineLinks& links, std::int64_t depth)
    : m_links(links), m_blocks(depth / (links.stages() * links.chunks())) {}

bool PipelineStage::isOnEveryStage(const std::string& weight) {
    return !weight.starts_with(kBlockPrefix) && !isOfEmbedding(weight) && !isOfOutput(weight);
}

bool PipelineStage::has(const std::string& weight) const {
    if (isOnEveryStage(weight)) return true;
    if (isOfEmbedding(weight)) return stage() == 0;
    if (isOfOutput(weight)) return stage() + 1 == stages();
    std::int64_t index = 0;
    std::from_chars(weight.data() + kBlockPrefix.size(), weight.data() + weight.size(), index);
    return hasBlock(index);
}

at::Tensor PipelineStage::through(std::int64_t chunk, const ModelPass& pass, at::Tensor tokens) const {
    const auto first = (chunk * stages() + stage()) * m_blocks;
    for (auto index = first; index < first + m_blocks; ++index) tokens = pass.block(index, tokens);
    return tokens;
}

std::vector<at::Tensor> PipelineStage::outputOf(const ModelPass& pass, const at::Tensor& tokens) {
    auto outputs = pass.output(tokens);
    for (auto& output : outputs) output = output.to(at::kFloat);
    return outputs;
}

std::vector<at::Tensor> PipelineStage::outputs(const ModelPass& pass, const ModelInput& input) const {
    // what all but the last stage add to the sum that tells every stage
    std::vector<at::Tensor> outputs;
    for (const auto& group : input.groups) outputs.push_back(at::zeros_like(group.clips, at::kFloat));
    for (std::int64_t chunk = 0; chunk < m_links.chunks(); ++chunk) {
        at::Tensor tokens;
        if (embeds(chunk)) {
            tokens = pass.embedded();
        } else {
            tokens = at::empty(pass.tokenSizes(), input.groups.front().clips.options().dtype(at::kFloat));
            m_links.startReceiveForward(tokens).wait();
        }
        tokens = through(chunk, pass, tokens);
        if (makesOutput(chunk))
            outputs = outputOf(pass, tokens);
        else
            m_links.startSendForward(tokens.contiguous()).wait();
    }
    for (auto& output : outputs) {
        output = output.contiguous();
        m_links.all().allReduce(output);
    }
    return outputs;
}

void PipelineStage::forwardBackward(const MicroBatches& batches, PhaseClock& clock) const {
    Step step(*this, batches, clock);
    for (const auto& task : config::pipelineSchedule({stages(), m_links.chunks(), batches.count}, stage())) {
        if (task.backward)
            step.backward(task.chunk, task.microBatch);
        else
            step.forward(task.chunk, task.microBatch);
    }
    step.finish();
}

}  // namespace dailies::trainer
