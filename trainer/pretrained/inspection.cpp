#include "trainer/pretrained/inspection.h"

#include "core/base/counts.h"
#include "core/base/json.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "trainer/pretrained/adapter.h"
#include "trainer/pretrained/fp8_scales.h"
#include "trainer/pretrained/readers.h"

#include <algorithm>
#include <cctype>

namespace dailies::trainer::pretrained {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kNamesShown = 5;

std::string typeName(const std::string& type) {
    if (type == "F32") return "fp32";
    if (type == "F16") return "fp16";
    if (type == "F8_E4M3") return "fp8 e4m3";
    if (type == "F8_E5M2") return "fp8 e5m2";
    const std::string lower = lowered(type);
    return lower;
}

Json filesJson(const StoredWeights& weights) {
    auto files = Json::array();
    for (const auto& file : weights.files) {
        Json entry = {{"file", file.path.filename().string()}, {"bytes", file.bytes}};
        if (!file.problem.empty()) entry["problem"] = file.problem;
        files.push_back(std::move(entry));
    }
    return files;
}

void countInto(Json& part, const std::vector<const StoredTensor*>& tensors,
               const std::set<std::string>& helpers) {
    std::int64_t parameters = 0, count = 0;
    std::uint64_t bytes = 0;
    std::map<std::string, std::int64_t> types;
    for (const auto* tensor : tensors) {
        bytes += tensor->end - tensor->begin;
        if (helpers.contains(tensor->name)) continue;
        ++count;
        parameters += tensor->elements();
        types[typeName(tensor->type)] += tensor->elements();
    }
    part["tensors"] = count;
    part["parameters"] = parameters;
    part["bytes"] = bytes;
    part["dtypes"] = types;
}

void addReaders(Json& part, const std::vector<Reader>& readers) {
    part["read_by"] = Json::array();
    part["notes"] = Json::object();
    for (const auto& [program, note] : readers) {
        part["read_by"].push_back(program);
        if (!note.empty()) part["notes"][program] = note;
    }
}

Json adapterPart(const StoredWeights& weights, const Adapter& adapter) {
    const auto* model = adapter.beside.empty() ? "" : "UniAnimate-DiT";
    Json part = {{"family", "lora"}, {"model", model}, {"names", adapter.format}, {"prefix", ""}};
    part["sizes"] = Json::object();
    if (adapter.baseWidth > 0) part["sizes"]["dim"] = adapter.baseWidth;
    std::vector<const StoredTensor*> tensors;
    for (const auto& tensor : weights.tensors) tensors.push_back(&tensor);
    countInto(part, tensors, {});
    part["fp8"] = nullptr;
    part["checked"] = true;
    part["missing"] = adapter.incomplete;
    part["unknown"] = adapter.unknown;
    part["misshapen"] = Json::array();
    part["adapter"] = {{"base", adapter.base},
                       {"modules", adapter.modules},
                       {"rank", adapter.largestRank},
                       {"smallest_rank", adapter.smallestRank},
                       {"alpha", adapter.alpha ? Json(*adapter.alpha) : Json()},
                       {"scale", adapter.largestScale},
                       {"smallest_scale", adapter.smallestScale},
                       {"scale_from", adapter.scaleFrom},
                       {"rslora", adapter.rslora},
                       {"dora", adapter.dora},
                       {"targets", adapter.targets},
                       {"beside", adapter.beside}};
    addReaders(part, readersOf(adapter));
    return part;
}

Json modelPart(const StoredWeights& weights, const std::vector<const StoredTensor*>& tensors,
               const Fp8Scales& scales, const Hints& hints, const OwnTensors& own) {
    const auto found = recognise(weights, tensors, scales.helpers, hints, own);
    Json part = {{"family", found.family.name},
                 {"model", found.family.model},
                 {"names", found.names},
                 {"prefix", found.prefix},
                 {"sizes", found.family.sizes}};
    countInto(part, tensors, scales.helpers);
    part["fp8"] =
        scales.kind.empty()
            ? Json()
            : Json{{"scales", scales.kind},
                   {"scaled", scales.scaleOf.size()},
                   {"without", scales.kind == "none" ? std::vector<std::string>() : scales.without}};
    part["checked"] = found.checked;
    part["missing"] = found.missing;
    part["unknown"] = found.unknown;
    part["misshapen"] = found.misshapen;
    part["adapter"] = nullptr;
    addReaders(part, readersOf(found, scales, weights));
    return part;
}

bool isWhole(const Json& part) {
    for (const auto& file : part.at("files"))
        if (file.contains("problem")) return false;
    return part.at("missing").empty() && part.at("misshapen").empty() && part.at("problems").empty();
}

std::vector<Json> partsOf(const StoredWeights& weights, const fs::path& path, const OwnTensors& own) {
    std::vector<Json> parts;
    const auto add = [&](Json facts, const std::string& name) {
        Json part = {{"name", name}, {"files", filesJson(weights)}};
        part.update(facts);
        part["problems"] = weights.problems;
        part["whole"] = isWhole(part);
        parts.push_back(std::move(part));
    };
    if (const auto adapter = adapterIn(weights)) {
        add(adapterPart(weights, *adapter), weights.name);
        return parts;
    }
    const auto scales = fp8ScalesOf(weights);
    const auto hints = hintsOf(path, weights);
    auto models = modelsIn(weights);
    if (models.empty()) models[""] = {};
    for (const auto& [name, tensors] : models)
        add(modelPart(weights, tensors, scales, hints, own),
            weights.name + (name.empty() || weights.name.empty() ? "" : "/") + name);
    return parts;
}

/// Names from files, which may hold anything, in one line.
std::string shown(const std::string& name) {
    std::string line;
    for (const char c : sanitizedText(name)) line += c == '\n' || c == '\t' ? ' ' : c;
    return line;
}

std::string namesText(const Json& names) {
    if (names.empty()) return "none";
    std::vector<std::string> first;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
        first.push_back(shown(names[i].get<std::string>()));
    auto text = grouped(static_cast<long long>(names.size())) + ": " + join(first, ", ");
    return names.size() > kNamesShown ? text + ", …" : text;
}

std::string valueText(const std::string& key, const Json& value) {
    if (!value.is_array()) return value.is_string() ? shown(value.get<std::string>()) : value.dump();
    std::vector<std::string> parts;
    for (const auto& each : value) parts.push_back(each.dump());
    return join(parts, key == "patch" ? "×" : ", ");
}

std::string sizesText(const Json& sizes) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : sizes.items()) parts.push_back(shown(key) + " " + valueText(key, value));
    return join(parts, " · ");
}

std::string typesText(const Json& part) {
    std::vector<std::string> types;
    for (const auto& [type, parameters] : part.at("dtypes").items())
        types.push_back(part.at("dtypes").size() == 1
                            ? shown(type)
                            : shown(type) + " " + grouped(parameters.get<long long>()));
    auto text = join(types, " · ");
    const auto& fp8 = part.at("fp8");
    if (fp8.is_null()) return text;
    const auto kind = fp8.at("scales").get<std::string>();
    if (kind == "none") return text + "; fp8 without scales";
    text += "; " + fp8.at("scaled").dump() + " with scales as " +
            (kind == "comfyui"  ? "ComfyUI's (.scale_weight)"
             : kind == "musubi" ? "musubi-tuner's (.scale_weight by row or block)"
                                : "torchao's (.weight_scale)");
    if (!fp8.at("without").empty()) text += ", " + namesText(fp8.at("without")) + " without";
    return text;
}

std::string readersText(const Json& part) {
    std::vector<std::string> readers;
    for (const auto& program : part.at("read_by")) {
        const auto name = program.get<std::string>();
        const auto note = part.at("notes").value(name, "");
        readers.push_back(note.empty() ? name : name + " (" + note + ")");
    }
    return readers.empty() ? "not known" : join(readers, ", ");
}

std::string rangeText(const Json& low, const Json& high) {
    const auto text = [](const Json& number) { return shortNumber(number.get<double>()); };
    return low == high ? text(low) : text(low) + " to " + text(high);
}

std::string adapterText(const Json& adapter) {
    auto text = "rank " + rangeText(adapter.at("smallest_rank"), adapter.at("rank"));
    if (!adapter.at("alpha").is_null()) text += ", alpha " + shortNumber(adapter.at("alpha").get<double>());
    text += ", effective scale " + rangeText(adapter.at("smallest_scale"), adapter.at("scale"));
    const auto from = adapter.at("scale_from").get<std::string>();
    text += adapter.at("rslora").get<bool>() ? " (alpha / √rank, rslora)"
            : from.empty()                   ? " (no alpha is told: as if alpha were the rank)"
                                             : " (alpha / rank)";
    return text + (adapter.at("dora").get<bool>() ? ", DoRA" : "");
}

std::string familyText(const Json& part) {
    const auto family = part.at("family").get<std::string>(), model = part.at("model").get<std::string>();
    if (family.empty()) return "not recognised";
    if (!part.at("adapter").is_null()) {
        const auto base = part.at("adapter").at("base").get<std::string>();
        return base.empty() ? "lora, of a base that its names do not tell" : "lora of " + base;
    }
    return shown(family) + (model.empty() ? "" : ": " + model);
}

void partText(std::string& text, const Json& part) {
    const auto line = [&](const std::string& key, const std::string& value) {
        if (!value.empty()) text += "  " + key + std::string(13 - key.size(), ' ') + value + "\n";
    };
    const auto& files = part.at("files");
    const auto name = part.at("name").get<std::string>();
    if (!name.empty()) text += shown(name) + "\n";
    line("family", familyText(part));
    const auto names = part.at("names").get<std::string>(), prefix = part.at("prefix").get<std::string>();
    line("names", names + (prefix.empty() ? "" : (names.empty() ? "behind " : " behind ") + prefix));
    line("sizes", sizesText(part.at("sizes")));
    const auto tensors = part.at("tensors").get<long long>();
    line("parameters",
         grouped(part.at("parameters").get<long long>()) + " in " + pluralize(tensors, "tensor", "tensors"));
    line("bytes", sizeText(part.at("bytes").get<std::uint64_t>()) + " in " +
                      pluralize(static_cast<long long>(files.size()), "file", "files"));
    line("types", typesText(part));
    if (!part.at("adapter").is_null()) {
        line("adapter", adapterText(part.at("adapter")));
        std::vector<std::string> targets;
        for (const auto& target : part.at("adapter").at("targets"))
            targets.push_back(shown(target.get<std::string>()));
        const auto all = targets.size();
        targets.resize(std::min<std::size_t>(all, 12));
        line("modules", part.at("adapter").at("modules").dump() + ": " + join(targets, ", ") +
                            (all > targets.size() ? ", …" : ""));
        if (const auto& beside = part.at("adapter").at("beside"); !beside.empty())
            line("beside", namesText(beside));
    }
    if (part.at("checked").get<bool>()) {
        line("missing", namesText(part.at("missing")));
        line("unknown", namesText(part.at("unknown")));
    } else {
        line("missing", "not checked: the names of this family are not listed here");
    }
    if (!part.at("misshapen").empty()) line("other shape", namesText(part.at("misshapen")));
    line("read by", readersText(part));
    for (const auto& file : files)
        if (file.contains("problem"))
            line("problem", shown(file.at("file").get<std::string>()) + ": " +
                                shown(file.at("problem").get<std::string>()));
    for (const auto& problem : part.at("problems")) line("problem", shown(problem.get<std::string>()));
}

}  // namespace

Json inspectWeights(const fs::path& path, const OwnTensors& own) {
    return inspectWeights(path, findWeights(path), own);
}

Json inspectWeights(const fs::path& path, const std::vector<StoredWeights>& found, const OwnTensors& own) {
    Json inspection = {{"path", path.string()}, {"files", 0}, {"bytes", 0}, {"whole", true}};
    auto parts = Json::array();
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    bool whole = true;
    for (const auto& weights : found) {
        files += weights.files.size();
        for (const auto& file : weights.files) bytes += file.bytes;
        for (auto& part : partsOf(weights, path, own)) {
            whole = whole && part.at("whole").get<bool>();
            parts.push_back(std::move(part));
        }
    }
    inspection["files"] = files;
    inspection["bytes"] = bytes;
    inspection["whole"] = whole;
    inspection["parts"] = std::move(parts);
    return inspection;
}

std::string inspectionText(const Json& inspection) {
    auto text = shown(inspection.at("path").get<std::string>()) + ": " +
                pluralize(inspection.at("files").get<long long>(), "file", "files") + ", " +
                sizeText(inspection.at("bytes").get<std::uint64_t>()) +
                (inspection.at("whole").get<bool>() ? "" : ", not whole") + "\n";
    for (const auto& part : inspection.at("parts")) partText(text, part);
    return text;
}

}  // namespace dailies::trainer::pretrained
