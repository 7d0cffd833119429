#include "core/config/train_config.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/bucket.h"
#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "core/config/latent_size.h"
#include "core/config/layout.h"
#include "core/config/lr_factors.h"
#include "core/config/prompt_files.h"
#include "core/config/schema.h"
#include "core/config/shape_colours.h"
#include "core/config/unet_problems.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace dailies::config {

namespace {

class Problems {
public:
    void add(const std::string& line) { m_lines.push_back(line); }
    void found(const Field& field, const Json& value) {
        add(field.key + ": found " +
            sanitizedText(value.dump(-1, ' ', false, Json::error_handler_t::replace)) + ", expected " +
            field.accepted() + ".");
    }
    void throwIfAny() const {
        if (m_lines.empty()) return;
        throw InputError(m_lines.size() == 1 ? "Invalid configuration. " + m_lines.front()
                                             : "Invalid configuration:\n  " + join(m_lines, "\n  "));
    }

private:
    std::vector<std::string> m_lines;
};

bool inRange(const Field& field, double value) {
    return std::isfinite(value) && (!field.minimum || value >= *field.minimum) &&
           (!field.maximum || value <= *field.maximum);
}

bool assign(bool& slot, const Json& value, const Field&) {
    if (!value.is_boolean()) return false;
    slot = value.get<bool>();
    return true;
}

bool assign(std::int64_t& slot, const Json& value, const Field& field) {
    // 1e3 in a JSON or YAML file is a whole number to the person who wrote it
    const bool whole = value.is_number_integer() ||
                       (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
    if (!whole || !inRange(field, value.get<double>())) return false;
    slot = value.is_number_integer() ? value.get<std::int64_t>()
                                     : static_cast<std::int64_t>(value.get<double>());
    return true;
}

bool assign(double& slot, const Json& value, const Field& field) {
    if (!value.is_number() || !inRange(field, value.get<double>())) return false;
    slot = value.get<double>();
    return true;
}

bool assign(std::string& slot, const Json& value, const Field& field) {
    if (!value.is_string()) return false;
    const auto text = value.get<std::string>();
    if (!field.choices.empty() &&
        std::find(field.choices.begin(), field.choices.end(), text) == field.choices.end())
        return false;
    slot = text;
    return true;
}

bool assign(std::vector<std::string>& slot, const Json& value, const Field&) {
    if (!value.is_array()) return false;
    for (const auto& item : value)
        if (!item.is_string()) return false;
    slot = value.get<std::vector<std::string>>();
    return true;
}

void refuseMirror(const std::string& url, Problems& problems) {
    if (url.empty() || (url.starts_with("s3://") && url.size() > 5 && url[5] != '/')) return;
    problems.add("checkpoint.mirror: found \"" + sanitizedText(url) +
                 "\", expected a folder of a bucket, s3://bucket/folder, or nothing.");
}

std::vector<std::string> schemaKeys() {
    std::vector<std::string> keys;
    for (const auto& field : trainSchema()) keys.push_back(field.key);
    return keys;
}

void refuseUnknownKeys(const Json& flat, Problems& problems) {
    for (const auto& [key, value] : flat.items()) {
        if (findField(key)) continue;
        const auto suggestion = nearestWord(key, schemaKeys());
        problems.add(sanitizedText(key) + ": no such key" +
                     (suggestion.empty() ? "." : "; did you mean " + suggestion + "?"));
    }
}

void requireMultiple(Problems& problems, const char* key, std::int64_t value, const char* ofKey,
                     std::int64_t of) {
    if (of > 0 && value % of == 0) return;
    const std::int64_t below = value / std::max<std::int64_t>(of, 1) * of;
    problems.add(std::string(key) + ": found " + std::to_string(value) + ", expected a multiple of " + ofKey +
                 " (" + std::to_string(of) + "): " + (below > 0 ? std::to_string(below) + " or " : "") +
                 std::to_string(below + of) + ".");
}

bool isPowerOfTwo(std::int64_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

/// None where one is no bucket, which `refuseBuckets` says.
std::vector<Bucket> wellFormedBuckets(const TrainConfig& c) {
    try {
        return bucketsOf(c.data);
    } catch (const InputError&) {
        return {};
    }
}

/// Clips that the tokenizer takes and whose pixels or latents the model can cut into patches.
void refuseClips(const TrainConfig& c, Problems& problems) {
    const bool latents = c.tokenizer.kind != "none";
    const auto check = [&](const std::string& key, std::int64_t length, bool frames) {
        try {
            const auto seen = !latents ? length
                              : frames ? latentFrames(length, c.tokenizer.frames_factor)
                                       : latentSide(length, c.tokenizer.space_factor);
            requireMultiple(problems, (latents ? key + " in latents" : key).c_str(), seen,
                            frames ? "model.patch_frames" : "model.patch_size",
                            frames ? c.model.patch_frames : c.model.patch_size);
        } catch (const InputError& error) {
            problems.add(key + ": " + error.what());
        }
    };
    check("data.frames", c.data.frames, true);
    check("data.height", c.data.height, false);
    check("data.width", c.data.width, false);
    if (c.data.buckets.empty() || c.data.source != "webdataset") return;
    for (const auto& bucket : wellFormedBuckets(c)) {
        check("data.buckets: frames of " + bucket.text(), bucket.frames, true);
        check("data.buckets: sides of " + bucket.text(), bucket.height, false);
        check("data.buckets: sides of " + bucket.text(), bucket.width, false);
    }
}

std::int64_t framesSeen(const TrainConfig& c) {
    return c.tokenizer.kind == "none" ? c.data.frames : 1 + (c.data.frames - 1) / c.tokenizer.frames_factor;
}

void refuseTokenizer(const TrainConfig& c, Problems& problems) {
    const auto& tokenizer = c.tokenizer;
    const bool encodes = c.data.latents.empty() || !c.sampling.given_files.empty();
    if (tokenizer.kind == "torchscript" &&
        ((tokenizer.encoder.empty() && encodes) || tokenizer.decoder.empty()))
        problems.add(encodes ? "tokenizer.encoder and tokenizer.decoder: found nothing, expected the two "
                               "modules of tokenizer.kind torchscript."
                             : "tokenizer.decoder: found nothing, expected the module of tokenizer.kind "
                               "torchscript that turns data.latents back into clips.");
    for (const auto& [kind, publisher] :
         {std::pair{"wan_vae", "Wan"}, {"ltx_vae", "LTX-Video"}, {"sd_vae", "Stable Diffusion"}})
        if (tokenizer.kind == kind && tokenizer.weights.empty())
            problems.add("tokenizer.weights: found nothing, expected the file or folder of a published " +
                         std::string(publisher) + " VAE for tokenizer.kind " + tokenizer.kind + ".");
    if (tokenizer.kind != "vae") return;
    for (const auto& [key, factor] : {std::pair{"tokenizer.frames_factor", tokenizer.frames_factor},
                                      std::pair{"tokenizer.space_factor", tokenizer.space_factor}})
        if (!isPowerOfTwo(factor))
            problems.add(std::string(key) + ": found " + std::to_string(factor) +
                         " with tokenizer.kind vae, expected a power of two.");
    if (tokenizer.frames_factor > tokenizer.space_factor)
        problems.add("tokenizer.frames_factor: found " + std::to_string(tokenizer.frames_factor) +
                     ", expected at most tokenizer.space_factor (" + std::to_string(tokenizer.space_factor) +
                     "): a VAE halves the frames where it halves the sides.");
}

void refuseLatentScale(const TrainConfig& c, Problems& problems) {
    if (c.data.latent_scale.empty() || c.tokenizer.kind != "none" || !c.data.latents.empty()) return;
    problems.add("data.latent_scale: found " + c.data.latent_scale +
                 ", expected nothing: the model learns pixels, which have a scale of their own.");
}

void refuseText(const TrainConfig& c, Problems& problems) {
    const bool embeddings = c.text.encoder != "words" || !c.data.text_embeddings.empty();
    if (textPlaces(c.model) > 0 && !embeddings)
        problems.add(
            "model.text_places: found " + std::to_string(c.model.text_places) +
            " with captions that come as words, expected data.text_embeddings or text.encoder bytes, "
            "t5 or torchscript, or 0 places: words are not told one after the other.");
    if (c.text.encoder == "words") return;
    if (!c.data.text_embeddings.empty())
        problems.add("text.encoder: found " + c.text.encoder +
                     " with data.text_embeddings, expected words: the embeddings in the data are used.");
    if (c.text.encoder == "torchscript" && c.text.module.empty())
        problems.add("text.module: found nothing, expected the module of text.encoder torchscript.");
    if (c.text.encoder == "t5" && c.text.weights.empty())
        problems.add(
            "text.weights: found nothing, expected the published encoder (a file or a folder) for "
            "text.encoder "
            "t5.");
    if (c.text.encoder == "bytes" && (c.text.width % c.text.heads != 0 || c.text.width % 2 != 0))
        problems.add("text.width: found " + std::to_string(c.text.width) +
                     ", expected an even multiple of text.heads (" + std::to_string(c.text.heads) + ").");
}

void refuseBuckets(const TrainConfig& c, Problems& problems) {
    try {
        const auto buckets = bucketsOf(c.data);
        if (c.data.buckets.empty()) return;  // data.frames, height and width are checked by their names
        if (c.data.source != "webdataset")
            problems.add("data.buckets: found " + std::to_string(buckets.size()) + " with data.source " +
                         c.data.source + ", expected none: only webdataset has them.");
        const bool oneSize = std::ranges::all_of(buckets, [&](const Bucket& bucket) {
            return bucket.frames == c.data.frames && bucket.height == c.data.height &&
                   bucket.width == c.data.width;
        });
        if (!oneSize && hasPositionTable(c.model))
            problems.add(
                "model.positions: found learned with data.buckets, expected none: a table of positions fits "
                "clips of data.frames, height and width only.");
    } catch (const InputError& error) {
        problems.add(error.what());
    }
}

void refuseFilesOfPrompts(const TrainConfig& c, Problems& problems) {
    const auto prompts = c.sampling.prompts.size();
    for (const auto& files : kPromptFiles)
        if (const auto count = (c.sampling.*files.ofRun).size(); !fitsPrompts(count, prompts))
            problems.add(std::string("sampling.") + files.key + ": found " + std::to_string(count) + " for " +
                         std::to_string(prompts) +
                         " of sampling.prompts, expected one for all prompts or one for each.");
}

void refuseGivenFiles(const TrainConfig& c, Problems& problems) {
    const auto files = c.sampling.given_files.size();
    if (files == 0) return;
    if (c.model.conditioning == "none")
        problems.add("sampling.given_files: found " + std::to_string(files) +
                     " with model.conditioning none, expected none: clips begin with noise.");
    if (animates(c.model) && c.model.conditioning != "none")
        problems.add("sampling.given_files: found " + std::to_string(files) + " with model.family " +
                     c.model.family + ", expected none: clips begin with sampling.reference_files.");
}

void refuseLastFiles(const TrainConfig& c, Problems& problems) {
    const auto files = c.sampling.last_files.size(), first = c.sampling.given_files.size();
    const auto found = "sampling.last_files: found " + std::to_string(files) + " ";
    if (!readsLastImages(c.model.conditioning)) {
        if (files > 0)
            problems.add(found + "with model.conditioning " + c.model.conditioning +
                         ", expected none: only clips of first_last end with an image.");
        return;
    }
    if ((files > 0) != (first > 0))
        problems.add(found + "with " + std::to_string(first) +
                     " of sampling.given_files, expected both or neither: a clip needs its first image and "
                     "its last.");
}

/// Image to video, as Wan is told of the image.
void refuseImage(const TrainConfig& c, Problems& problems) {
    const auto& model = c.model;
    if (!model.image_encoder.empty() && !isUnet(model) && (!isWan(model) || !readsImages(model.conditioning)))
        problems.add(
            "model.image_encoder: found " + model.image_encoder + " with model.family " + model.family +
            " and model.conditioning " + model.conditioning +
            ", expected nothing: only animate, mimic-motion, svd, unianimate, and wan with conditioning "
            "image or first_last, read what it sees.");
    if (!readsImages(model.conditioning) || (isUnet(model) && animates(model))) return;
    const auto found = "model.conditioning: found " + model.conditioning + " with ";
    if (c.tokenizer.kind == "none")
        problems.add(found +
                     "tokenizer.kind none, expected a tokenizer, such as wan_vae: the model "
                     "reads latents of the image.");
    else if (!isUnet(model) && c.tokenizer.frames_factor != kImageMaskChannels)
        problems.add(found + "tokenizer.frames_factor " + std::to_string(c.tokenizer.frames_factor) +
                     ", expected " + std::to_string(kImageMaskChannels) +
                     ": its mask has a channel for each of them.");
    if (!c.data.latents.empty())
        problems.add(found +
                     "data.latents, expected pixels: the first frame is encoded anew, with "
                     "grey frames behind it.");
    if (const std::int64_t given = readsLastImages(model.conditioning) ? 2 : 1; framesSeen(c) <= given)
        problems.add(found + "clips of " + (given > 1 ? "two frames" : "one frame") +
                     " of latents, expected more: no frames are left to generate.");
}

/// The first frame in the noisy clip itself.
void refuseInPlace(const TrainConfig& c, Problems& problems) {
    const auto& model = c.model;
    if (model.conditioning != "in_place") return;
    const std::string found = "model.conditioning: found in_place with ";
    if (model.family != "wan" && model.family != "ltx")
        problems.add(found + "model.family " + model.family +
                     ", expected wan or ltx: they tell frames apart by their noise.");
    if (c.diffusion.objective != "rectified_flow")
        problems.add(found + "diffusion.objective " + c.diffusion.objective + ", expected rectified_flow.");
    if (model.patch_frames != 1)
        problems.add(found + "model.patch_frames " + std::to_string(model.patch_frames) +
                     ", expected 1: a token is of one frame.");
    if (model.given_frames != 1)
        problems.add(found + "model.given_frames " + std::to_string(model.given_frames) + ", expected 1.");
    if (framesSeen(c) < 2)
        problems.add(found + "clips of one frame, expected more: no frames are left to generate.");
}

/// The other model of a pair, for samples.
void refuseOtherExpert(const TrainConfig& c, Problems& problems) {
    if (c.sampling.other_expert.empty()) return;
    const auto found = "sampling.other_expert: found " + c.sampling.other_expert + " with ";
    if (c.diffusion.objective != "rectified_flow")
        problems.add(found + "diffusion.objective " + c.diffusion.objective + ", expected rectified_flow.");
    if ((c.diffusion.timestep_from > 0) == (c.diffusion.timestep_to < 1))
        problems.add(found + "diffusion.timestep_from " + shortNumber(c.diffusion.timestep_from) +
                     " and timestep_to " + shortNumber(c.diffusion.timestep_to) +
                     ", expected the noise of one of two models, such as timestep_from 0.875 or timestep_to "
                     "0.875.");
    for (const auto& [key, count] :
         {std::pair{"layout.tp", c.layout.tp}, std::pair{"layout.pp", c.layout.pp}})
        if (count > 1)
            problems.add(found + key + " " + std::to_string(count) +
                         ", expected 1: every rank that samples has it whole.");
}

void refusePromptEmbeddings(const TrainConfig& c, Problems& problems) {
    const auto files = c.sampling.prompt_embeddings.size(), prompts = c.sampling.prompts.size();
    if (files == 0) return;
    if (c.data.text_embeddings.empty())
        problems.add("sampling.prompt_embeddings: found " + std::to_string(files) +
                     " without data.text_embeddings, expected none: text.encoder reads the prompts.");
    if (files != prompts)
        problems.add("sampling.prompt_embeddings: found " + std::to_string(files) + " for " +
                     std::to_string(prompts) + " of sampling.prompts, expected one for each.");
}

void refuseNegativePrompt(const TrainConfig& c, Problems& problems) {
    if (c.sampling.negative_prompt.empty() || c.data.text_embeddings.empty()) return;
    problems.add(
        "sampling.negative_prompt: found one with data.text_embeddings, expected none: nothing encodes it "
        "there. "
        "Choose a text.encoder.");
}

/// Layouts are refused with others of their kind (layoutProblems).
void refuseLora(const TrainConfig& c, Problems& problems) {
    const auto& lora = c.lora;
    if (lora.rank == 0) {
        const auto needsRank = [&](const char* key, const std::string& found) {
            problems.add(std::string(key) + ": found " + found +
                         " with lora.rank 0, expected lora.rank above 0 (it turns the adapter on), or the "
                         "key left out.");
        };
        if (lora.alpha != 0) needsRank("lora.alpha", shortNumber(lora.alpha));
        if (lora.rslora) needsRank("lora.rslora", "true");
        if (lora.dropout != 0) needsRank("lora.dropout", shortNumber(lora.dropout));
        if (!lora.targets.empty()) needsRank("lora.targets", join(lora.targets, ", "));
        if (lora.base_precision != "run") needsRank("lora.base_precision", lora.base_precision);
        if (lora.blocks_to_swap > 0) needsRank("lora.blocks_to_swap", std::to_string(lora.blocks_to_swap));
        return;
    }
    const auto found = "lora.rank: found " + std::to_string(lora.rank);
    if (c.model.init.empty())
        problems.add(found +
                     " without model.init, expected the weights that the adapter is trained on top "
                     "of, or lora.rank 0, which trains all weights.");
    if (std::ranges::any_of(lora.targets, &std::string::empty))
        problems.add("lora.targets: found an empty pattern, expected names of layers such as attn1.to_q.");
    const auto swapped = "lora.blocks_to_swap: found " + std::to_string(lora.blocks_to_swap) + " with ";
    if (lora.blocks_to_swap > c.model.depth)
        problems.add(swapped + "model.depth " + std::to_string(c.model.depth) + ", expected at most that.");
    if (lora.blocks_to_swap > 0 && c.runtime.cuda_graphs)
        problems.add(swapped +
                     "runtime.cuda_graphs, expected 0: a recorded pass finds its weights where they "
                     "were.");
    if (lora.base_precision == "int8" && c.runtime.cuda_graphs)
        problems.add(
            "lora.base_precision: found int8 with runtime.cuda_graphs, expected run: a recorded pass finds "
            "its weights where they were.");
    if (lora.dropout == 0) return;
    const auto dropout = "lora.dropout: found " + shortNumber(lora.dropout) + " with ";
    if (c.data.packing)
        problems.add(dropout +
                     "data.packing, expected 0: clips in one sequence would share what is dropped.");
    if (c.runtime.cuda_graphs)
        problems.add(dropout +
                     "runtime.cuda_graphs, expected 0: a recorded pass would drop the same in each step.");
}

void refuseOffload(const TrainConfig& c, Problems& problems) {
    if (c.model.recompute == "offload" && c.runtime.cuda_graphs)
        problems.add(
            "model.recompute: found offload with runtime.cuda_graphs, expected full: a recorded pass copies "
            "nothing to the node's memory.");
}

void refuseColours(const TrainConfig& c, Problems& problems) {
    std::set<std::string> seen;
    for (const auto& colour : c.data.colours) {
        const auto found = "data.colours: found " + sanitizedText(colour);
        if (std::ranges::find(kShapeColourNames, colour) == kShapeColourNames.end())
            problems.add(
                found + ", expected some of: " +
                join(std::vector<std::string>(kShapeColourNames.begin(), kShapeColourNames.end()), ", ") +
                ".");
        else if (!seen.insert(colour).second)
            problems.add(found + " twice, expected each colour once.");
    }
}

void refusePrior(const TrainConfig& c, Problems& problems) {
    if (c.data.prior_folder.empty()) return;
    const auto found = "data.prior_folder: found " + c.data.prior_folder + " with ";
    if (c.data.source != "folder")
        problems.add(found + "data.source " + c.data.source + ", expected data.source folder, or none.");
    if (animates(c.model))
        problems.add(found + "model.family " + c.model.family +
                     ", expected none: prior clips have no poses.");
}

void refuseLrFactors(const TrainConfig& c, Problems& problems) {
    for (const auto& line : c.optimizer.lr_factors) try {
            parseLrFactor(line);
        } catch (const InputError& error) {
            problems.add(error.what());
        }
}

void refuseFreeze(const TrainConfig& c, Problems& problems) {
    const auto& freeze = c.optimizer.freeze;
    if (freeze.empty()) return;
    const auto found = "optimizer.freeze: found " + join(freeze, ", ") + " with ";
    if (c.model.init.empty())
        problems.add(found + "no model.init, expected the weights that stay as they are.");
    if (c.lora.rank > 0)
        problems.add(found + "lora.rank " + std::to_string(c.lora.rank) +
                     ", expected none: an adapter freezes all other weights.");
    for (const auto& [key, count] :
         {std::pair{"layout.tp", c.layout.tp}, std::pair{"layout.pp", c.layout.pp}})
        if (count > 1)
            problems.add(std::string(key) + ": found " + std::to_string(count) +
                         " with optimizer.freeze, expected 1: every rank holds all frozen weights.");
    if (std::ranges::any_of(freeze, [](const auto& pattern) { return pattern.empty() || pattern == "!"; }))
        problems.add("optimizer.freeze: found an empty pattern, expected parts of names of weights.");
}

/// Learning from pairs of clips: the model that it began as is the base of an adapter.
void refusePreferences(const TrainConfig& c, Problems& problems) {
    if (c.data.source != "preferences") return;
    const auto refuse = [&](const std::string& key, const std::string& found, const std::string& expected) {
        problems.add(key + ": found " + found + " with data.source preferences, expected " + expected + ".");
    };
    if (c.data.folder.empty())
        refuse("data.folder", "nothing", "the file that dailies export --what preferences wrote");
    if (c.lora.rank == 0) refuse("lora.rank", "0", "an adapter: its base is what the model is compared with");
    if (c.data.batch_size % (2 * c.optimizer.accumulate) != 0)
        refuse("data.batch_size", std::to_string(c.data.batch_size),
               "an even number of clips for each of optimizer.accumulate " +
                   std::to_string(c.optimizer.accumulate) + ": two of each pair");
    if (c.validation.every > 0)
        refuse("validation.every", std::to_string(c.validation.every),
               "0: clips of models are no measure of the data");
    if (c.model.conditioning != "none") refuse("model.conditioning", c.model.conditioning, "none");
}

/// What no single field can see: combinations that could not train.
void refuseImpossible(const TrainConfig& c, Problems& problems) {
    refuseMirror(c.checkpoint.mirror, problems);
    requireMultiple(problems, "model.width", c.model.width, "model.heads", c.model.heads);
    // 3-D RoPE turns pairs of channels on each of three axes, so a head needs at least one pair an axis
    if (!isUnet(c.model) && c.model.width % c.model.heads == 0 &&
        (c.model.width / c.model.heads % 2 != 0 || c.model.width / c.model.heads < 6))
        problems.add("model.heads: found " + std::to_string(c.model.heads) + " heads for width " +
                     std::to_string(c.model.width) + ", expected width / heads to be even and at least 6.");
    if (c.model.kv_heads > 0)
        requireMultiple(problems, "model.heads", c.model.heads, "model.kv_heads", c.model.kv_heads);
    if (projectsText(c.model) && c.model.kv_heads != 0 && c.model.kv_heads != c.model.heads)
        problems.add("model.kv_heads: found " + std::to_string(c.model.kv_heads) + " with model.family " +
                     c.model.family + ", expected 0: it has no grouped queries.");
    if (c.model.conditioning == "frames" && c.model.given_frames >= framesSeen(c))
        problems.add("model.given_frames: found " + std::to_string(c.model.given_frames) +
                     ", expected fewer than the frames that the model sees (" +
                     std::to_string(framesSeen(c)) + "); otherwise no frames are left to generate.");
    refuseClips(c, problems);
    refuseTokenizer(c, problems);
    refuseText(c, problems);
    refuseLatentScale(c, problems);
    refuseFilesOfPrompts(c, problems);
    refuseGivenFiles(c, problems);
    refuseLastFiles(c, problems);
    refuseImage(c, problems);
    refuseInPlace(c, problems);
    refuseOtherExpert(c, problems);
    refusePromptEmbeddings(c, problems);
    refuseNegativePrompt(c, problems);
    refuseLora(c, problems);
    for (const auto& problem : unetProblems(c)) problems.add(problem);
    refuseOffload(c, problems);
    refusePrior(c, problems);
    refuseColours(c, problems);
    refuseLrFactors(c, problems);
    refuseFreeze(c, problems);
    for (const auto& problem : layoutProblems(c)) problems.add(problem);
    requireMultiple(problems, "data.height", c.data.height, "2 pixels, as H.264 needs", 2);
    requireMultiple(problems, "data.width", c.data.width, "2 pixels, as H.264 needs", 2);
    if (!c.data.packing)
        requireMultiple(problems, "data.batch_size", c.data.batch_size, "optimizer.accumulate",
                        c.optimizer.accumulate);
    if (c.optimizer.master_weights && c.runtime.precision != "bf16")
        problems.add("optimizer.master_weights: found true with runtime.precision " + c.runtime.precision +
                     ", expected runtime.precision bf16: other precisions compute with float32 weights.");
    if (c.optimizer.ema_power > 0 && c.optimizer.ema_decay == 0)
        problems.add("optimizer.ema_power: found " + shortNumber(c.optimizer.ema_power) +
                     " with optimizer.ema_decay 0, expected a decay above 0 (it turns averaging on).");
    if (c.optimizer.min_lr > c.optimizer.lr)
        problems.add("optimizer.min_lr: found " + shortNumber(c.optimizer.min_lr) +
                     ", expected at most optimizer.lr (" + shortNumber(c.optimizer.lr) + ").");
    if (c.optimizer.warmup_steps > c.steps)
        problems.add("optimizer.warmup_steps: found " + std::to_string(c.optimizer.warmup_steps) +
                     ", expected at most steps (" + std::to_string(c.steps) + ").");
    if (c.data.source == "folder" && c.data.folder.empty())
        problems.add(
            "data.folder: found nothing, expected the folder of videos that data.source folder reads.");
    refusePreferences(c, problems);
    if (c.data.source == "webdataset" && c.data.shards.empty())
        problems.add("data.shards: found nothing, expected the tars that data.source webdataset reads.");
    refuseBuckets(c, problems);
    if (c.diffusion.timestep_from >= c.diffusion.timestep_to)
        problems.add("diffusion.timestep_from: found " + shortNumber(c.diffusion.timestep_from) +
                     ", expected less than diffusion.timestep_to (" + shortNumber(c.diffusion.timestep_to) +
                     ").");
    if (c.data.packing && c.optimizer.accumulate > 1)
        problems.add("optimizer.accumulate: found " + std::to_string(c.optimizer.accumulate) +
                     " with data.packing, expected 1: lower data.tokens_per_step instead.");
    if (c.sampling.guidance_from > c.sampling.guidance_to)
        problems.add("sampling.guidance_from: found " + shortNumber(c.sampling.guidance_from) +
                     ", expected at most sampling.guidance_to (" + shortNumber(c.sampling.guidance_to) +
                     ").");
    if (c.sampling.first_guidance != 0 && c.sampling.guidance == 1)
        problems.add("sampling.first_guidance: found " + shortNumber(c.sampling.first_guidance) +
                     " with sampling.guidance 1, expected another guidance, to which it grows.");
    if (c.sampling.isGuided() && c.diffusion.caption_drop == 0.0 && c.sampling.negative_prompt.empty())
        problems.add(
            "diffusion.caption_drop: found 0 with sampling.guidance " + shortNumber(c.sampling.guidance) +
            ", expected a drop above 0 (guidance needs it), a sampling.negative_prompt, or guidance 1.");
}

}  // namespace

bool accepts(const Field& field, const Json& value) {
    TrainConfig scratch;
    return std::visit([&](auto* slot) { return assign(*slot, value, field); }, field.slot(scratch));
}

TrainConfig resolve(const Json& partial) {
    Problems problems;
    TrainConfig config;
    if (!partial.is_object()) {
        problems.add("found " + std::string(partial.type_name()) + ", expected an object.");
        problems.throwIfAny();
    }
    const Json flat = flatten(partial);
    refuseUnknownKeys(flat, problems);
    for (const auto& field : trainSchema()) {
        const auto given = flat.find(field.key);
        if (given == flat.end()) continue;
        const bool ok =
            std::visit([&](auto* slot) { return assign(*slot, *given, field); }, field.slot(config));
        if (!ok) problems.found(field, *given);
    }
    problems.throwIfAny();  // combinations of wrong values would only be noise
    // a short run is not refused for a default that nobody wrote
    if (!flat.contains("optimizer.warmup_steps"))
        config.optimizer.warmup_steps = std::min(config.optimizer.warmup_steps, config.steps);
    refuseImpossible(config, problems);
    problems.throwIfAny();
    return config;
}

Json toJson(const TrainConfig& config) {
    Json nested = Json::object();
    for (const auto& field : trainSchema())
        std::visit([&](auto* slot) { setByKey(nested, field.key, Json(*slot)); },
                   field.slot(const_cast<TrainConfig&>(config)));
    return nested;
}

}  // namespace dailies::config
