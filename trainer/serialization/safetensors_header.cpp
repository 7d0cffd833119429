#include "trainer/serialization/safetensors_header.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "trainer/serialization/binary_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace dailies::trainer {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit

constexpr std::pair<std::string_view, std::uint64_t> kTypes[] = {
    {"F32", 4}, {"BF16", 2}, {"F16", 2}, {"U8", 1},  {"I64", 8}, {"F64", 8},     {"I32", 4},     {"I16", 2},
    {"I8", 1},  {"BOOL", 1}, {"U16", 2}, {"U32", 4}, {"U64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1},
};

/// Throws when the shape does not describe the entry's bytes (also when the product would overflow).
void checkSize(const SafetensorsEntry& entry) {
    const auto bytes = entry.end - entry.begin;
    const auto size = safetensorsTypeSize(entry.type);
    if (size == 0) throw InputError(entry.name + " is of the unknown type " + entry.type);
    std::uint64_t elements = 1;
    const bool empty = std::ranges::find(entry.shape, 0) != entry.shape.end();
    for (const auto extent : entry.shape) {
        if (extent < 0) throw InputError(entry.name + " has a negative dimension");
        const auto limit =
            empty ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) : bytes / size;
        if (extent > 0 && elements > limit / static_cast<std::uint64_t>(extent))
            throw InputError(entry.name + " is larger than its bytes");
        if (extent > 0) elements *= static_cast<std::uint64_t>(extent);
    }
    if ((empty ? 0 : elements * size) != bytes) throw InputError(entry.name + " has the wrong size");
}

SafetensorsEntry parseEntry(const std::string& name, const Json& value, std::uint64_t dataBytes) {
    if (!value.is_object()) throw InputError(name + " is not an object");
    SafetensorsEntry entry{name, value.at("dtype").get<std::string>(),
                           value.at("shape").get<std::vector<std::int64_t>>(), 0, 0};
    const auto& offsets = value.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2) throw InputError(name + " lacks its two offsets");
    const auto begin = offsets[0].get<std::int64_t>(), end = offsets[1].get<std::int64_t>();
    if (begin < 0 || end < begin) throw InputError(name + " lies outside of the file");
    if (static_cast<std::uint64_t>(end) > dataBytes)
        throw InputError("it ends before " + name +
                         " does, as after a download or a copy that was cut short");
    entry.begin = static_cast<std::uint64_t>(begin);
    entry.end = static_cast<std::uint64_t>(end);
    checkSize(entry);
    return entry;
}

/// A JSON object may say a name twice, of which a parser keeps one: readers would then differ in which.
void refuseDuplicates(const std::string& text) {
    std::unordered_set<std::string> names;
    const auto look = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !names.insert(parsed.get_ref<const std::string&>()).second)
            throw InputError(parsed.get<std::string>() + " stands in it twice");
        return event == Json::parse_event_t::key || depth == 0;  // nothing is kept
    };
    std::ignore = Json::parse(text, look, /*allow_exceptions=*/false);
}

/// The format has neither holes nor overlaps, so that no byte is hidden and none is read twice.
void refuseHoles(const std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes) {
    std::vector<const SafetensorsEntry*> inOrder;
    for (const auto& entry : entries) inOrder.push_back(&entry);
    std::ranges::sort(inOrder, {}, [](const SafetensorsEntry* e) { return std::pair(e->begin, e->end); });
    std::uint64_t at = 0;
    for (const auto* entry : inOrder) {
        if (entry->begin != at)
            throw InputError(entry->name + " overlaps another tensor or leaves a hole before it");
        at = entry->end;
    }
    if (at != dataBytes) throw InputError("bytes are left over after the last tensor");
}

}  // namespace

const SafetensorsEntry* SafetensorsHeader::find(std::string_view name) const {
    const auto found = std::ranges::find(tensors, name, &SafetensorsEntry::name);
    return found == tensors.end() ? nullptr : &*found;
}

std::uint64_t safetensorsTypeSize(std::string_view type) {
    const auto* found = std::ranges::find(kTypes, type, &std::pair<std::string_view, std::uint64_t>::first);
    return found == std::end(kTypes) ? 0 : found->second;
}

SafetensorsHeader parseSafetensorsHeader(const std::string& text, std::uint64_t dataBytes) {
    SafetensorsHeader header;
    try {
        refuseDuplicates(text);
        const Json json = parseJson(text, "header");
        if (!json.is_object()) throw InputError("the header is no JSON object");
        for (const auto& [name, value] : json.items()) {
            if (name == "__metadata__")
                header.metadata = value.get<std::map<std::string, std::string>>();
            else
                header.tensors.push_back(parseEntry(name, value, dataBytes));
        }
    } catch (const Json::exception&) {
        throw InputError("its header lacks a type, a shape or offsets");
    }
    refuseHoles(header.tensors, dataBytes);
    return header;
}

SafetensorsHeader readSafetensorsHeader(const std::filesystem::path& path) {
    const auto file = BinaryFile::openForRead(path);
    const auto size = file.size();
    std::uint64_t length = 0;
    try {
        if (size < sizeof length) throw InputError("it is shorter than its first number");
        file.readAt(0, &length, sizeof length);
        if (length > kLongestHeader || length > size - sizeof length)
            throw InputError("the header is longer than the file");
        std::string text(length, '\0');
        file.readAt(sizeof length, text.data(), length);
        const auto start = sizeof length + length;
        auto header = parseSafetensorsHeader(text, size - start);
        header.start = start;
        return header;
    } catch (const InputError& error) {
        throw Error(path.string() + " is not a whole safetensors file: " + error.what() + ".");
    }
}

std::string encodeSafetensorsHeader(const SafetensorsHeader& header) {
    Json json = Json::object();
    if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
    for (const auto& entry : header.tensors)
        json[entry.name] = {
            {"dtype", entry.type}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
    std::string text = json.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + text;
}

}  // namespace dailies::trainer
