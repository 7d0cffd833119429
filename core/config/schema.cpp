#include "core/config/schema.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <charconv>
#include <cmath>

namespace dailies::config {

namespace {

Field field(std::string key, std::string label, std::string unit, std::string doc,
            std::function<Slot(TrainConfig&)> slot) {
    Field f;
    f.key = std::move(key);
    f.label = std::move(label);
    f.unit = std::move(unit);
    f.doc = std::move(doc);
    f.slot = std::move(slot);
    return f;
}

Field between(Field f, std::optional<double> minimum, std::optional<double> maximum) {
    f.minimum = minimum;
    f.maximum = maximum;
    return f;
}

Field oneOf(Field f, std::vector<std::string> choices) {
    f.choices = std::move(choices);
    return f;
}

Field logarithmic(Field f) {
    f.logarithmic = true;
    return f;
}

#define SLOT(member) [](TrainConfig& c) -> Slot { return &c.member; }

std::vector<Field> describe() {
    return {
        between(field("steps", "Steps", "steps", "How many optimizer updates the run makes.", SLOT(steps)), 1,
                1e9),
        between(field("seed", "Seed", "", "Seeds the weights, the data order, the noise and the timesteps.",
                      SLOT(seed)),
                0, 9007199254740991.0),

        oneOf(field("model.family", "Model family", "",
                    "dit: a video diffusion transformer with full 3-D attention.", SLOT(model.family)),
              {"dit"}),
        between(field("model.width", "Width", "", "Channels of every token; a multiple of the heads.",
                      SLOT(model.width)),
                8, 16384),
        between(field("model.depth", "Depth", "blocks", "Transformer blocks.", SLOT(model.depth)), 1, 256),
        between(field("model.heads", "Heads", "", "Attention heads; each gets width / heads channels.",
                      SLOT(model.heads)),
                1, 256),
        between(field("model.mlp_ratio", "MLP ratio", "×",
                      "Hidden channels of the MLP as a multiple of the width.", SLOT(model.mlp_ratio)),
                1, 16),
        between(field("model.patch_frames", "Patch frames", "frames", "Frames folded into one token.",
                      SLOT(model.patch_frames)),
                1, 64),
        between(field("model.patch_size", "Patch size", "px",
                      "Height and width of the square folded into one token.", SLOT(model.patch_size)),
                1, 64),
        oneOf(field("model.activation", "Activation", "",
                    "Non-linearity of the MLP; relu2 is the square of ReLU.", SLOT(model.activation)),
              {"relu2", "gelu"}),

        oneOf(field("data.source", "Data source", "",
                    "shapes: captioned moving shapes made on the fly; folder: every video below data.folder, "
                    "cut into clips.",
                    SLOT(data.source)),
              {"shapes", "folder"}),
        field("data.folder", "Video folder", "",
              "Folder on the cluster with video files; a caption stands beside each as NAME.txt, else the "
              "file's name is it.",
              SLOT(data.folder)),
        between(field("data.frames", "Frames", "frames",
                      "Length of a training clip; a multiple of model.patch_frames.", SLOT(data.frames)),
                1, 1024),
        between(field("data.height", "Height", "px",
                      "Height of a training clip; a multiple of model.patch_size.", SLOT(data.height)),
                8, 4096),
        between(field("data.width", "Width", "px",
                      "Width of a training clip; a multiple of model.patch_size.", SLOT(data.width)),
                8, 4096),
        between(field("data.fps", "Frame rate", "frames/s",
                      "Rate at which sampled clips are written and play.", SLOT(data.fps)),
                1, 240),
        between(field("data.frame_stride", "Frame stride", "frames",
                      "For data.source folder: take every n-th frame of the source, so that motion is large "
                      "enough to learn.",
                      SLOT(data.frame_stride)),
                1, 64),
        between(field("data.batch_size", "Batch size", "clips", "Clips in one step, summed over all ranks.",
                      SLOT(data.batch_size)),
                1, 65536),

        oneOf(field("diffusion.prediction", "Prediction", "",
                    "What the network puts out: the clean clip, or the velocity. The loss is on the velocity "
                    "in both cases.",
                    SLOT(diffusion.prediction)),
              {"clip", "velocity"}),
        between(field("diffusion.timestep_mean", "Timestep mean", "",
                      "Mean m of the logit-normal: t = 1 - sigmoid(m + s·z), t = 1 being pure noise; lower "
                      "trains on more noise.",
                      SLOT(diffusion.timestep_mean)),
                -10, 10),
        between(field("diffusion.timestep_std", "Timestep spread", "",
                      "Standard deviation s of that logit-normal.", SLOT(diffusion.timestep_std)),
                0, 10),
        between(field("diffusion.caption_drop", "Caption drop", "",
                      "Share of clips trained without their caption, which classifier-free guidance needs.",
                      SLOT(diffusion.caption_drop)),
                0, 1),

        logarithmic(between(
            field("optimizer.lr", "Learning rate", "", "Peak learning rate of AdamW.", SLOT(optimizer.lr)), 0,
            10)),
        between(
            field("optimizer.beta1", "Beta 1", "", "Decay of AdamW's first moment.", SLOT(optimizer.beta1)),
            0, 0.999999),
        between(
            field("optimizer.beta2", "Beta 2", "", "Decay of AdamW's second moment.", SLOT(optimizer.beta2)),
            0, 0.999999),
        between(field("optimizer.weight_decay", "Weight decay", "", "AdamW's decoupled decay of matrices.",
                      SLOT(optimizer.weight_decay)),
                0, 10),
        between(field("optimizer.grad_clip", "Gradient clip", "",
                      "Largest global gradient norm; 0 does not clip.", SLOT(optimizer.grad_clip)),
                0, 1e6),
        oneOf(field("optimizer.schedule", "Schedule", "",
                    "Learning rate after warm-up: constant; linear holds, then falls to 0 over the last "
                    "decay_fraction; "
                    "cosine falls to 0 over all steps.",
                    SLOT(optimizer.schedule)),
              {"linear", "cosine", "constant"}),
        between(field("optimizer.warmup_steps", "Warm-up", "steps",
                      "Steps over which the learning rate rises from 0.", SLOT(optimizer.warmup_steps)),
                0, 1e9),
        between(field("optimizer.decay_fraction", "Decay fraction", "",
                      "Share of the steps over which schedule linear falls to 0.",
                      SLOT(optimizer.decay_fraction)),
                0, 1),
        between(field("optimizer.ema_decay", "EMA decay", "",
                      "Decay of the averaged weights that clips are sampled from; 0 samples from the trained "
                      "weights.",
                      SLOT(optimizer.ema_decay)),
                0, 0.999999),

        between(field("sampling.every", "Sample every", "steps",
                      "Steps between sampled clips; the last step always samples.", SLOT(sampling.every)),
                1, 1e9),
        field("sampling.prompts", "Prompts", "",
              "Prompts of the clips to write; empty takes six of the data's own captions.",
              SLOT(sampling.prompts)),
        between(
            field("sampling.seed", "Sampling seed", "",
                  "Seeds the noise that clips start from: the same for every step and every run of a sweep.",
                  SLOT(sampling.seed)),
            0, 9007199254740991.0),
        between(field("sampling.steps", "Sampler steps", "steps", "Euler steps from noise to clip.",
                      SLOT(sampling.steps)),
                1, 1000),
        between(field("sampling.guidance", "Guidance", "×", "Scale of classifier-free guidance; 1 is none.",
                      SLOT(sampling.guidance)),
                0, 100),
        between(field("sampling.adherence_clips", "Adherence clips", "clips",
                      "For data.source shapes: how many prompts are sampled and read back for the adherence "
                      "metrics; 0 is none.",
                      SLOT(sampling.adherence_clips)),
                0, 4800),

        between(field("checkpoint.every", "Checkpoint every", "steps",
                      "Steps between checkpoints; the last step always writes one.", SLOT(checkpoint.every)),
                1, 1e9),
        between(field("checkpoint.keep", "Checkpoints kept", "", "Newest complete checkpoints to keep.",
                      SLOT(checkpoint.keep)),
                1, 1e6),

        oneOf(field("runtime.device", "Device", "", "auto takes CUDA where a GPU is visible.",
                    SLOT(runtime.device)),
              {"auto", "cpu", "cuda"}),
        oneOf(field("runtime.precision", "Precision", "",
                    "bf16 runs matrix products in bfloat16; weights stay fp32.", SLOT(runtime.precision)),
              {"fp32", "bf16"}),
        between(field("runtime.threads", "Threads", "threads", "CPU threads of each rank.",
                      SLOT(runtime.threads)),
                1, 1024),
        between(field("runtime.log_every", "Log every", "steps", "Steps between metric events.",
                      SLOT(runtime.log_every)),
                1, 1e6),
    };
}

#undef SLOT

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Slot slotIn(const Field& f, const TrainConfig& config) {
    return f.slot(const_cast<TrainConfig&>(config));  // only read through by the callers below
}

Json readSlot(const Slot& slot) {
    return std::visit([](auto* value) { return Json(*value); }, slot);
}

std::string plainNumber(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return std::to_string(static_cast<std::int64_t>(value));
    return shortNumber(value);
}

}  // namespace

std::string Field::typeName() const {
    TrainConfig config;
    return std::visit(
        Overloaded{[](bool*) { return "true or false"; }, [](std::int64_t*) { return "integer"; },
                   [](double*) { return "number"; }, [](std::string*) { return "text"; },
                   [](std::vector<std::string>*) { return "list of texts"; }},
        slot(config));
}

std::string Field::accepted() const {
    if (!choices.empty()) return "one of: " + join(choices, ", ");
    std::string text = typeName();
    if (text == "integer")
        text = "an integer";
    else if (text != "true or false")
        text = "a " + text;
    if (minimum && maximum) text += " from " + plainNumber(*minimum) + " to " + plainNumber(*maximum);
    if (!unit.empty()) text += " (" + unit + ")";
    return text;
}

Json Field::defaultValue() const {
    return readSlot(slotIn(*this, TrainConfig{}));
}

const std::vector<Field>& trainSchema() {
    static const std::vector<Field> schema = describe();
    return schema;
}

const Field* findField(std::string_view key) {
    for (const auto& f : trainSchema())
        if (f.key == key) return &f;
    return nullptr;
}

Json parseValue(const Field& f, const std::string& text) {
    const std::string word(trim(text));
    const auto refuse = [&]() -> Json {
        throw InputError(f.key + ": found \"" + inertText(word) + "\", expected " + f.accepted() + ".");
    };
    TrainConfig config;
    return std::visit(
        Overloaded{[&](bool*) -> Json {
                       if (word == "true") return true;
                       if (word == "false") return false;
                       return refuse();
                   },
                   [&](std::int64_t*) -> Json {
                       std::int64_t value = 0;
                       const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), value);
                       if (bad != std::errc{} || end != word.data() + word.size()) return refuse();
                       return value;
                   },
                   [&](double*) -> Json {
                       double value = 0;
                       const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), value);
                       if (bad != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
                           return refuse();
                       return value;
                   },
                   [&](std::string*) -> Json { return text; },
                   [&](std::vector<std::string>*) -> Json {
                       Json list = Json::array();
                       for (const auto& item : split(text, '\n'))
                           if (!trim(item).empty()) list.push_back(std::string(trim(item)));
                       return list;
                   }},
        f.slot(config));
}

void setByKey(Json& config, std::string_view key, Json value) {
    Json* at = &config;
    for (auto dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
        at = &(*at)[std::string(key.substr(0, dot))];
        key.remove_prefix(dot + 1);
    }
    (*at)[std::string(key)] = std::move(value);
}

namespace {

void flattenInto(const Json& nested, const std::string& prefix, Json& flat) {
    for (const auto& [name, value] : nested.items()) {
        if (value.is_object())
            flattenInto(value, prefix + name + ".", flat);
        else
            flat[prefix + name] = value;
    }
}

}  // namespace

Json flatten(const Json& nested) {
    Json flat = Json::object();
    flattenInto(nested, "", flat);
    return flat;
}

Json schemaToJson() {
    Json fields = Json::array();
    for (const auto& f : trainSchema()) {
        Json entry = {{"key", f.key}, {"type", f.typeName()}, {"default", f.defaultValue()}, {"doc", f.doc}};
        if (!f.unit.empty()) entry["unit"] = f.unit;
        if (f.minimum) entry["minimum"] = *f.minimum;
        if (f.maximum) entry["maximum"] = *f.maximum;
        if (!f.choices.empty()) entry["choices"] = f.choices;
        fields.push_back(std::move(entry));
    }
    return {{"schema", 1}, {"fields", std::move(fields)}};
}

}  // namespace dailies::config
