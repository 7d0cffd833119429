#include "core/config/layout.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "core/config/latent_size.h"

#include <numeric>

namespace dailies::config {

namespace {

/// The divisors of a number next to one that is none, for a person: "2 or 4".
std::string nearestDivisors(std::int64_t of, std::int64_t found) {
    std::int64_t below = 1, above = 0;
    for (std::int64_t divisor = 1; divisor <= of && above == 0; ++divisor) {
        if (of % divisor != 0) continue;
        if (divisor <= found)
            below = divisor;
        else
            above = divisor;
    }
    return std::to_string(below) + (above > 0 ? " or " + std::to_string(above) : "");
}

/// Empty where `found` divides `of`.
std::string notADivisor(const std::string& key, std::int64_t found, const std::string& ofWhat,
                        std::int64_t of) {
    if (of % found == 0) return {};
    return key + ": found " + std::to_string(found) + ", expected a divisor of " + ofWhat + " (" +
           std::to_string(of) + "): " + nearestDivisors(of, found) + ".";
}

/// What heads are dealt by: a rank has as many groups of queries as it has keys.
std::int64_t headsToDivide(const TrainConfig& c) {
    return c.model.kv_heads > 0 ? std::gcd(c.model.heads, c.model.kv_heads) : c.model.heads;
}

std::int64_t mlpWidth(const TrainConfig& c) {
    return c.model.mlp_width > 0 ? c.model.mlp_width : c.model.width * c.model.mlp_ratio;
}

struct Tokens {
    std::int64_t frames = 0;  ///< of tokens
    std::int64_t places = 0;  ///< tokens of each

    std::int64_t all() const { return frames * places; }
};

Tokens tokensOf(const TrainConfig& config, const Bucket& clip) {
    const auto size = modelInputSize(config, clip);
    return {size.frames / config.model.patch_frames,
            size.height / config.model.patch_size * (size.width / config.model.patch_size)};
}

/// Whether a block of st-dit attends over whole clips.
bool attendsOverClips(const TrainConfig& c) {
    const auto every = c.model.full_attention_every;
    return every > 0 && every <= c.model.depth;
}

/// By how many ranks the frames of every clip and their places can be divided, as blocks within frames and
/// along time need.
std::int64_t framesToDivide(const TrainConfig& c) {
    std::int64_t all = 0;
    for (const auto& bucket : bucketsOf(c.data)) {
        const auto tokens = tokensOf(c, bucket);
        all = std::gcd(all, std::gcd(tokens.frames, tokens.places));
    }
    return all;
}

/// Empty where the heads can be dealt to those of layout.cp that exchange tokens for heads.
std::string undealtHeads(const TrainConfig& c) {
    const auto cp = c.layout.cp, ring = c.layout.ring, tp = c.layout.tp, all = headsToDivide(c);
    const auto heads = all % tp == 0 ? all / tp : all;  // else told by the checks of layout.tp
    if (heads % (cp / ring) == 0) return {};
    return "layout.cp: found " + std::to_string(cp) + ", of which " + std::to_string(cp / ring) +
           " exchange tokens for heads, expected a divisor of " +
           (c.model.kv_heads > 0 ? "model.kv_heads" : "model.heads") + (tp > 1 ? " / layout.tp (" : " (") +
           std::to_string(heads) + "): layout.cp " + nearestDivisors(heads, cp / ring) +
           " times layout.ring, or a larger layout.ring.";
}

/// What keeps st-dit from sharing tokens; empty: nothing. Where frames and places can be divided, only blocks
/// over whole clips exchange tokens for heads.
std::string unsharedFrames(const TrainConfig& c) {
    const auto sharing = c.layout.cp * c.layout.tp, divisor = framesToDivide(c);
    if (divisor % sharing == 0) return attendsOverClips(c) ? undealtHeads(c) : std::string();
    if (c.layout.ring == 1) return undealtHeads(c);
    return "layout.ring: found " + std::to_string(c.layout.ring) + " with model.family st-dit and layout.cp" +
           (c.layout.tp > 1 ? " × layout.tp " : " ") + std::to_string(sharing) +
           ", expected 1, or a divisor of each clip's frames of tokens and of the tokens of a frame (" +
           std::to_string(divisor) + ") in place of " + std::to_string(sharing) + ": " +
           nearestDivisors(divisor, sharing) + ".";
}

void addContextProblems(const TrainConfig& c, std::vector<std::string>& problems) {
    const auto add = [&](const std::string& problem) {
        if (!problem.empty()) problems.push_back(problem);
    };
    const auto cp = c.layout.cp, ring = c.layout.ring;
    if (cp % ring != 0) return add(notADivisor("layout.ring", ring, "layout.cp", cp));
    if (cp == 1) return;
    const bool byFrames = c.model.family == "st-dit";
    if (!byFrames) add(undealtHeads(c));
    if (c.data.packing)
        add("layout.cp: found " + std::to_string(cp) +
            " with data.packing, expected 1: a packed clip cannot be split across ranks. data.buckets has no "
            "such "
            "limit.");
    try {
        if (byFrames) add(unsharedFrames(c));
        for (const auto& bucket : bucketsOf(c.data))
            add(notADivisor("layout.cp", cp, "the tokens of a clip of " + bucket.text(),
                            tokensOf(c, bucket).all()));
    } catch (const InputError&) {  // told by the checks of clips
    }
}

/// One for each length of clips whose tokens the ranks of a clip cannot share evenly.
void addTokenProblems(const TrainConfig& c, std::vector<std::string>& problems) {
    const auto cp = c.layout.cp, tp = c.layout.tp;
    try {
        for (const auto& bucket : bucketsOf(c.data)) {
            const auto tokens = tokensOf(c, bucket).all();
            if (tokens % cp != 0 || tokens % (cp * tp) == 0) continue;
            problems.push_back(notADivisor(
                "layout.tp", tp,
                "the tokens of a clip of " + bucket.text() + (cp > 1 ? " that a rank of layout.cp has" : ""),
                tokens / cp));
        }
    } catch (const InputError&) {  // told by the checks of clips
    }
}

void addTensorProblems(const TrainConfig& c, std::vector<std::string>& problems) {
    const auto tp = c.layout.tp;
    if (tp == 1) return;
    const auto found = "layout.tp: found " + std::to_string(tp);
    const auto heads = headsToDivide(c), hidden = mlpWidth(c), both = std::gcd(heads, hidden);
    std::vector<std::string> undivided;
    if (heads % tp != 0)
        undivided.push_back((c.model.kv_heads > 0 ? "model.kv_heads (" : "model.heads (") +
                            std::to_string(heads) + ")");
    if (hidden % tp != 0) undivided.push_back("the MLP's width (" + std::to_string(hidden) + ")");
    if (!undivided.empty())
        problems.push_back(found + ", expected a divisor of " + join(undivided, " and ") + ": " +
                           nearestDivisors(both, tp) + ".");
    if (c.data.packing)
        problems.push_back(found +
                           " with data.packing, expected 1: a packed clip cannot be split across ranks. "
                           "data.buckets has no such limit.");
    else
        addTokenProblems(c, problems);
    if (c.optimizer.name == "adamw8bit")
        problems.push_back(
            found +
            " with optimizer.name adamw8bit, expected adamw: 8-bit moments have a scale for "
            "every block of 256 values in a weight, which layout.tp would split. layout.shard divides "
            "them.");
}

/// The multiples of a number next to one that is none, for a person: "2 or 4".
std::string nearestMultiples(std::int64_t of, std::int64_t found) {
    const auto below = found / of * of;
    return (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + of);
}

void addPipelineProblems(const TrainConfig& c, std::vector<std::string>& problems) {
    const auto pp = c.layout.pp, chunks = c.layout.pp_chunks, depth = c.model.depth;
    const auto found = "layout.pp: found " + std::to_string(pp);
    if (pp == 1 && chunks > 1)
        problems.push_back("layout.pp_chunks: found " + std::to_string(chunks) +
                           " with layout.pp 1, expected 1: interleaving needs more than one pipeline stage.");
    if (pp == 1) return;
    auto undivided = notADivisor("layout.pp", pp, "model.depth", depth);
    if (undivided.empty())
        undivided = notADivisor("layout.pp_chunks", chunks, "model.depth / layout.pp", depth / pp);
    if (!undivided.empty()) problems.push_back(undivided);
    if (chunks > 1 && c.optimizer.accumulate % pp != 0)
        problems.push_back("optimizer.accumulate: found " + std::to_string(c.optimizer.accumulate) +
                           " with layout.pp_chunks " + std::to_string(chunks) +
                           ", expected a multiple of layout.pp (" + std::to_string(pp) +
                           "): " + nearestMultiples(pp, c.optimizer.accumulate) + ". Or layout.pp_chunks 1.");
    if (c.data.packing)
        problems.push_back(found +
                           " with data.packing, expected 1: stages pass on parts of one size. data.buckets "
                           "has no such limit.");
    if (c.layout.shard == "zero2" || c.layout.shard == "zero3")
        problems.push_back("layout.shard: found " + c.layout.shard + " with layout.pp " + std::to_string(pp) +
                           ", expected none or zero1: several micro-batches are in flight at once, and " +
                           (c.layout.shard == "zero3" ? "weights would be gathered for each of them"
                                                      : "gradients would be summed for each of them") +
                           ". A stage has a layout.pp-th of them as it is; zero1 divides its moments and "
                           "average.");
}

void addAdapterProblems(const TrainConfig& config, std::vector<std::string>& problems) {
    const auto& lora = config.lora;
    if (lora.rank == 0) return;
    if (config.layout.pp > 1)
        problems.push_back(
            "layout.pp: found " + std::to_string(config.layout.pp) + " with lora.rank " +
            std::to_string(lora.rank) +
            ", expected 1: every rank holds all blocks of an adapter's base. layout.tp divides "
            "the base, layout.dp and layout.cp the clips.");
    for (const auto& [key, count] :
         {std::pair{"layout.cp", config.layout.cp}, std::pair{"layout.tp", config.layout.tp}})
        if (lora.dropout > 0 && count > 1)
            problems.push_back(
                "lora.dropout: found " + shortNumber(lora.dropout) + " with " + key + " " +
                std::to_string(count) +
                ", expected 0: ranks that share a clip would drop other values than one process does.");
}

/// The levels of a U-Net differ in size, and no rule says how ranks would share them.
void addUnetProblems(const TrainConfig& config, std::vector<std::string>& problems) {
    if (!isUnet(config.model)) return;
    for (const auto& [key, count] :
         {std::pair{"layout.cp", config.layout.cp}, std::pair{"layout.tp", config.layout.tp},
          std::pair{"layout.pp", config.layout.pp}})
        if (count > 1)
            problems.push_back(std::string(key) + ": found " + std::to_string(count) + " with model.family " +
                               config.model.family +
                               ", expected 1: layout.dp and layout.shard spread it over ranks.");
}

/// Muon's update of a matrix needs all of it, on the device that computes.
void addMuonProblems(const TrainConfig& config, std::vector<std::string>& problems) {
    if (config.optimizer.name != "muon") return;
    const auto refuse = [&](const std::string& key, const std::string& found, const std::string& expected) {
        problems.push_back(key + ": found " + found + " with optimizer.name muon, expected " + expected +
                           ".");
    };
    const auto& layout = config.layout;
    if (layout.shard != "none")
        refuse("layout.shard", layout.shard, "none: it orthogonalises whole matrices");
    if (layout.tp > 1) refuse("layout.tp", std::to_string(layout.tp), "1: it orthogonalises whole matrices");
    if (config.optimizer.offload) refuse("optimizer.offload", "true", "false: a host would take too long");
    if (config.lora.rank > 0)
        refuse("lora.rank", std::to_string(config.lora.rank), "0: factors are no matrices of the model's");
    if (isUnet(config.model))
        refuse("model.family", config.model.family,
               "a transformer: most of a U-Net's weights are convolutions");
}

}  // namespace

std::string LayoutSizes::text(const std::string& shard) const {
    std::string text;
    if (pp > 1) text = "pp " + std::to_string(pp);
    if (ppChunks > 1) text += " (" + std::to_string(ppChunks) + " chunks)";
    text += (pp > 1 ? " × dp " : "dp ") + std::to_string(dp);
    if (cp() > 1) {
        text += " × cp " + std::to_string(cp()) + " (";
        if (ulysses > 1) text += "Ulysses " + std::to_string(ulysses);
        if (ring > 1) text += (ulysses > 1 ? ", ring " : "ring ") + std::to_string(ring);
        text += ")";
    }
    if (tp > 1) text += " × tp " + std::to_string(tp);
    if (shardRanks > 1) text += ", " + shard + " over " + std::to_string(shardRanks) + " ranks";
    return text;
}

std::vector<std::string> layoutProblems(const TrainConfig& config) {
    std::vector<std::string> problems;
    addContextProblems(config, problems);
    addTensorProblems(config, problems);
    addPipelineProblems(config, problems);
    if (config.layout.shard_ranks > 0 && config.layout.shard == "none")
        problems.push_back("layout.shard_ranks: found " + std::to_string(config.layout.shard_ranks) +
                           " with layout.shard none, expected 0: nothing is sharded.");
    const bool talksWithinPasses = config.layout.cp > 1 || config.layout.tp > 1 || config.layout.pp > 1 ||
                                   config.layout.shard == "zero2" || config.layout.shard == "zero3";
    if (config.runtime.cuda_graphs && talksWithinPasses)
        problems.push_back(
            "runtime.cuda_graphs: found true with layout.cp " + std::to_string(config.layout.cp) +
            ", layout.tp " + std::to_string(config.layout.tp) + ", layout.pp " +
            std::to_string(config.layout.pp) + " and layout.shard " + config.layout.shard +
            ", expected false: CUDA graphs cannot capture communication within a forward or backward pass.");
    addAdapterProblems(config, problems);
    addUnetProblems(config, problems);
    addMuonProblems(config, problems);
    return problems;
}

bool provesLayout(const TrainConfig& config, std::int64_t ranks) {
    const auto& wish = config.layout.certificate;
    return ranks > 1 && (wish == "always" || (wish == "auto" && config.steps >= kStepsWorthProving));
}

LayoutSizes layoutOf(const TrainConfig& config, std::int64_t ranks) {
    const auto refuse = [](const std::string& problem) {
        if (!problem.empty()) throw InputError(problem);
    };
    const auto& layout = config.layout;
    std::string ofAlike = "the number of ranks";
    auto alike = ranks;  // that hold the same weights
    const auto divideBy = [&](const std::string& key, std::int64_t count) {
        refuse(notADivisor(key, count, ofAlike, alike));
        alike /= count;
        if (count > 1) ofAlike += " / " + key;
    };
    divideBy("layout.pp", layout.pp);
    divideBy("layout.tp", layout.tp);
    refuse(notADivisor("layout.cp", layout.cp, ofAlike, alike));
    LayoutSizes sizes{alike / layout.cp, layout.ring,     layout.cp / layout.ring, layout.tp, 1,
                      layout.pp,         layout.pp_chunks};
    if (layout.dp > 0 && layout.dp != sizes.dp)
        throw InputError(
            "layout.dp: found " + std::to_string(layout.dp) + " with layout.cp " + std::to_string(layout.cp) +
                (layout.tp > 1 ? ", layout.tp " + std::to_string(layout.tp) : "") +
                (layout.pp > 1 ? ", layout.pp " + std::to_string(layout.pp) : "") + " on " +
                std::to_string(ranks) + " ranks, expected " + std::to_string(sizes.dp) +
                " (or 0: use the remaining ranks).",
            "Or start " + std::to_string(layout.dp * layout.cp * layout.tp * layout.pp) + " ranks.");
    if (layout.shard != "none") {
        sizes.shardRanks = layout.shard_ranks > 0 ? layout.shard_ranks : alike;
        refuse(notADivisor("layout.shard_ranks", sizes.shardRanks, ofAlike, alike));
    }
    return sizes;
}

}  // namespace dailies::config
