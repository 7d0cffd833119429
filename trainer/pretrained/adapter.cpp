#include "trainer/pretrained/adapter.h"

#include "core/base/error.h"
#include "trainer/models/unianimate/pose_names.h"
#include "trainer/serialization/binary_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <regex>
#include <set>

// Names as peft, diffusers, kohya-ss, ComfyUI and DiffSynth-Studio write them.

namespace dailies::trainer::pretrained {

namespace {

enum class Role { down, up, alpha, other };

constexpr std::pair<std::string_view, Role> kEndings[] = {
    {".lora_A.weight", Role::down},
    {".lora_B.weight", Role::up},
    {".lora_A.default.weight", Role::down},
    {".lora_B.default.weight", Role::up},
    {".lora_down.weight", Role::down},
    {".lora_up.weight", Role::up},
    {".lora.down.weight", Role::down},
    {".lora.up.weight", Role::up},
    {".alpha", Role::alpha},
    {".lora_B.bias", Role::other},
    {".lora_magnitude_vector", Role::other},
    {".lora_magnitude_vector.weight", Role::other},
    {".dora_scale", Role::other},
    {".diff", Role::other},
    {".diff_b", Role::other},
};

struct Module {
    const StoredTensor *down = nullptr, *up = nullptr, *alpha = nullptr;
};

struct Prefix {
    std::string_view text;
    const char* format;
};

constexpr Prefix kPrefixes[] = {
    {"base_model.model.", "peft"},  {"transformer.", "diffusers"},   {"transformer_2.", "diffusers"},
    {"unet.", "diffusers"},         {"diffusion_model.", "comfyui"}, {"lora_unet_", "kohya"},
    {"lora_transformer_", "kohya"}, {"pipe.dit.", "lightning"},
};

/// A number that a file holds as one element.
std::optional<double> numberIn(const StoredWeights& weights, const StoredTensor& tensor) {
    if (tensor.elements() != 1 || tensor.end - tensor.begin > 8) return std::nullopt;
    unsigned char bytes[8] = {};
    BinaryFile::openForRead(weights.files[tensor.file].path)
        .readAt(tensor.begin, bytes, tensor.end - tensor.begin);
    const auto as = [&]<class T>(T value) {
        std::memcpy(&value, bytes, sizeof value);
        return static_cast<double>(value);
    };
    if (tensor.type == "F32") return as(float{});
    if (tensor.type == "F64") return as(double{});
    if (tensor.type == "I64") return as(std::int64_t{});
    std::uint16_t half = 0;
    std::memcpy(&half, bytes, sizeof half);
    if (tensor.type == "BF16") return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
    if (tensor.type != "F16") return std::nullopt;
    const auto exponent = (half >> 10U) & 31U, fraction = half & 1023U;
    const double sign = (half & 0x8000U) != 0 ? -1 : 1;
    if (exponent == 31) return std::nullopt;
    return exponent == 0 ? sign * std::ldexp(fraction, -24)
                         : sign * std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
}

/// Scale of the modules as a configuration tells it, for module names without a prefix.
class Configured {
public:
    /// The config of peft beside the file, else the metadata that diffusers or kohya's tools write into it.
    explicit Configured(const StoredWeights& weights) {
        if (weights.adapterConfig.contains("r")) {
            read(weights.adapterConfig, "");
            from = "config";
            return;
        }
        if (const auto text = weights.metadata("lora_adapter_metadata"); !text.empty()) {
            const auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
            if (json.is_object()) read(json, "transformer.");
            if (m_alpha) from = "metadata";
        }
    }

    std::optional<double> alpha(const std::string& module) const {
        for (const auto& [pattern, value] : m_alphas)
            if (module == pattern || module.ends_with("." + pattern)) return value;
        return m_alpha;
    }

    bool rslora = false;
    std::string from;

private:
    void read(const Json& json, const std::string& prefix) {
        const auto find = [&](const char* key) { return json.value(prefix + key, Json()); };
        if (const auto value = find("lora_alpha"); value.is_number()) m_alpha = value.get<double>();
        if (const auto value = find("use_rslora"); value.is_boolean()) rslora = value.get<bool>();
        if (const auto values = find("alpha_pattern"); values.is_object())
            for (const auto& [module, value] : values.items())
                if (value.is_number()) m_alphas[module] = value.get<double>();
    }

    std::optional<double> m_alpha;
    std::map<std::string, double> m_alphas;
};

std::string withStars(const std::string& module, bool underscores) {
    static const std::regex dotted(R"(\.\d+(?=\.|$))"), flat(R"(_(\d+)_)");
    // only the block's number: that of ffn.0 says which layer
    return underscores ? std::regex_replace(module, flat, "_*_", std::regex_constants::format_first_only)
                       : std::regex_replace(module, dotted, ".*", std::regex_constants::format_first_only);
}

/// Whose modules these are, by the words that only its names have.
std::string baseOf(const std::string& target) {
    const auto has = [&](const char* part) { return target.find(part) != std::string::npos; };
    if (has("down_blocks") || has("up_blocks") || has("input_blocks")) return "sd15_unet";
    if (has("transformer_blocks")) return "ltx";
    if (has("blocks") &&
        (has("attn1") || has("attn2") || has("self_attn") || has("cross_attn") || has("ffn")))
        return "wan";
    return "";
}

/// Diffusers reads kohya's names of a Wan only where each block has all of these.
bool hasEveryWanModule(const std::set<std::string>& modules) {
    std::int64_t blocks = 0;
    for (const auto& module : modules) {
        const auto at = module.find("blocks_");
        if (at == std::string::npos) continue;
        blocks = std::max<std::int64_t>(blocks, std::atoll(module.c_str() + at + 7) + 1);
    }
    for (std::int64_t i = 0; i < std::min<std::int64_t>(blocks, 1000); ++i)
        for (const auto* part : {"self_attn_q", "self_attn_k", "self_attn_v", "self_attn_o", "cross_attn_q",
                                 "cross_attn_k", "cross_attn_v", "cross_attn_o", "ffn_0", "ffn_2"})
            if (!modules.contains("blocks_" + std::to_string(i) + "_" + part)) return false;
    return blocks > 0;
}

}  // namespace

std::optional<Adapter> adapterIn(const StoredWeights& weights) {
    Adapter found;
    std::map<std::string, Module> modules;
    std::set<std::string> formats;
    for (const auto& tensor : weights.tensors) {
        const auto* ending = std::ranges::find_if(
            kEndings, [&](const auto& each) { return tensor.name.ends_with(each.first); });
        if (ending == std::end(kEndings)) {
            const bool known = unianimate::isOfPoseEncoders(tensor.name);
            (known ? found.beside : found.unknown).push_back(tensor.name);
            continue;
        }
        auto name = tensor.name.substr(0, tensor.name.size() - ending->first.size());
        found.dora = found.dora || ending->first.find("magnitude") != std::string_view::npos ||
                     ending->first == ".dora_scale";
        if (ending->second == Role::other) continue;
        auto& module = modules[name];
        (ending->second == Role::down ? module.down
         : ending->second == Role::up ? module.up
                                      : module.alpha) = &tensor;
    }
    if (std::ranges::none_of(modules, [](const auto& each) { return each.second.down || each.second.up; }))
        return std::nullopt;

    const Configured configured(weights);
    found.rslora = configured.rslora;
    std::set<std::string> targets, bare;
    std::set<double> alphas;
    bool everyAlpha = true;
    for (const auto& [name, module] : modules) {
        const auto* prefix =
            std::ranges::find_if(kPrefixes, [&](const auto& each) { return name.starts_with(each.text); });
        const bool hasPrefix = prefix != std::end(kPrefixes);
        formats.insert(hasPrefix ? prefix->format : "bare");
        const auto plain = hasPrefix ? name.substr(prefix->text.size()) : name;
        bare.insert(plain);
        targets.insert(withStars(plain, hasPrefix && std::string_view(prefix->format) == "kohya"));
        const auto *down = module.down, *up = module.up;
        if (!down || !up || down->shape.size() < 2 || up->shape.size() < 2 || down->shape[0] < 1 ||
            down->shape[0] != up->shape[1]) {
            found.incomplete.push_back(name);
            continue;
        }
        const auto rank = down->shape[0];
        auto alpha = module.alpha ? numberIn(weights, *module.alpha) : std::nullopt;
        everyAlpha = everyAlpha && alpha;
        if (!alpha) alpha = configured.alpha(plain);
        const auto divisor = found.rslora ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank);
        const double scale = alpha ? *alpha / divisor : 1;
        if (alpha) alphas.insert(*alpha);
        const bool first = found.modules == 0;
        found.smallestRank = first ? rank : std::min(found.smallestRank, rank);
        found.largestRank = std::max(found.largestRank, rank);
        found.smallestScale = first ? scale : std::min(found.smallestScale, scale);
        found.largestScale = first ? scale : std::max(found.largestScale, scale);
        ++found.modules;
        found.matrices.push_back({plain, *down, *up, scale});
        const auto base = baseOf(plain);
        if (found.base.empty()) found.base = base;
        const bool ofWidth = plain.ends_with("q") || plain.ends_with("to_q");
        if (found.baseWidth == 0 && ofWidth) found.baseWidth = down->shape[1];
    }
    found.format = formats.size() == 1 ? *formats.begin() : "mixed";
    found.targets.assign(targets.begin(), targets.end());
    found.everyModule = hasEveryWanModule(bare);
    if (alphas.size() == 1) found.alpha = *alphas.begin();
    found.scaleFrom = everyAlpha && !alphas.empty() ? "alpha tensors" : alphas.empty() ? "" : configured.from;
    return found;
}

}  // namespace dailies::trainer::pretrained
