#include "trainer/data/array.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/serialization/safetensors_header.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace dailies::trainer {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays hold little-endian numbers");

struct NumpyType {
    const char* descr;
    const char* type;
};
constexpr NumpyType kNumpyTypes[] = {{"<f4", "F32"}, {"<f2", "F16"}, {"<f8", "F64"}, {"|u1", "U8"},
                                     {"|i1", "I8"},  {"<i4", "I32"}, {"<i8", "I64"}};

/// Elements of a shape whose bytes must be `bytes`; nullopt when they are not, also where the product
/// overflows.
bool shapeFits(const std::vector<std::int64_t>& shape, std::uint64_t elementBytes, std::uint64_t bytes) {
    const std::uint64_t limit = bytes / elementBytes;
    std::uint64_t elements = 1;
    for (const auto dim : shape) {
        if (dim < 0) return false;
        if (dim == 0) return bytes == 0;
        if (elements > limit / static_cast<std::uint64_t>(dim)) return false;
        elements *= static_cast<std::uint64_t>(dim);
    }
    return elements * elementBytes == bytes;
}

/// The value of a key of the header, which is a Python dict of three keys in any order.
std::string_view dictValue(std::string_view header, std::string_view key) {
    for (const char quote : {'\'', '"'}) {
        const auto at = header.find(quote + std::string(key) + quote);
        if (at == std::string_view::npos) continue;
        const auto colon = header.find(':', at + key.size() + 2);
        if (colon == std::string_view::npos) break;
        return trim(header.substr(colon + 1));
    }
    throw InputError("its header has no '" + std::string(key) + "'");
}

std::vector<std::int64_t> tupleOf(std::string_view text) {
    const auto close = text.find(')');
    if (text.empty() || text[0] != '(' || close == std::string_view::npos)
        throw InputError("its header has no shape");
    std::vector<std::int64_t> dims;
    for (const auto& word : split(text.substr(1, close - 1), ',')) {
        const auto digits = trim(word);
        if (digits.empty()) continue;  // "(4,)"
        std::int64_t dim = 0;
        const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), dim);
        if (bad != std::errc{} || end != digits.data() + digits.size() || dim < 0)
            throw InputError("its shape makes no sense");
        dims.push_back(dim);
    }
    return dims;
}

float fromHalf(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    const int exponent = half >> 10 & 0x1f;
    const std::uint32_t fraction = half & 0x3ff;
    if (exponent == 0) {
        const float small = std::ldexp(static_cast<float>(fraction), -24);
        return sign ? -small : small;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : static_cast<std::uint32_t>(exponent + 112);
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float fromBrain(std::uint16_t brain) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

template <class Number, class Convert>
std::vector<float> converted(const Array& array, Convert convert) {
    std::vector<float> values(array.bytes.size() / sizeof(Number));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Number number;
        std::memcpy(&number, array.bytes.data() + i * sizeof number, sizeof number);
        values[i] = convert(number);
    }
    return values;
}

ArrayHeader npyHead(std::string_view front, std::uint64_t fileBytes) {
    constexpr std::string_view kMagic = "\x93NUMPY";
    if (!front.starts_with(kMagic) || front.size() < 12) throw InputError("it is no .npy file");
    const auto byte = [&](std::size_t at) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(front[at]));
    };
    const auto version = byte(6);
    if (version < 1 || version > 3)
        throw InputError("its .npy version is " + std::to_string(version) + ", expected 1 to 3");
    const std::uint64_t start = version == 1 ? 10 : 12;
    const std::uint64_t length =
        version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (length > front.size() - start) throw InputError("it is truncated in its header");
    const auto header = front.substr(start, length);

    const auto descr = dictValue(header, "descr");
    const NumpyType* type = nullptr;
    for (const auto& known : kNumpyTypes)
        if (descr.size() > 4 && descr.substr(1).starts_with(known.descr) && descr[4] == descr[0])
            type = &known;
    if (!type)
        throw InputError("its type " + sanitizedText(descr.substr(0, 8)) +
                         " cannot be read; expected little-endian float32, float16, float64 or integers");
    ArrayHeader head{type->type, tupleOf(dictValue(header, "shape")), start + length,
                     fileBytes - start - length};
    if (dictValue(header, "fortran_order").starts_with("True") && head.shape.size() > 1)
        throw InputError("it is in Fortran order; write it with numpy.ascontiguousarray");
    if (!shapeFits(head.shape, safetensorsTypeSize(head.type), head.bytes))
        throw InputError("its shape " + shapeText(head.shape) + " does not fit its " +
                         std::to_string(head.bytes) + " bytes");
    return head;
}

ArrayHeader safetensorsHead(std::string_view front, std::uint64_t fileBytes) {
    std::uint64_t length = 0;
    if (front.size() < sizeof length) throw InputError("it is shorter than its first number");
    std::memcpy(&length, front.data(), sizeof length);
    if (length > front.size() - sizeof length) throw InputError("its header is longer than it should be");
    const auto start = sizeof length + length;
    const auto header =
        parseSafetensorsHeader(std::string(front.substr(sizeof length, length)), fileBytes - start);
    if (header.tensors.size() != 1)
        throw InputError("it holds " + std::to_string(header.tensors.size()) + " tensors, expected one");
    const auto& only = header.tensors[0];
    return {only.type, only.shape, start + only.begin, only.end - only.begin};
}

}  // namespace

std::int64_t Array::elements() const {
    std::int64_t count = 1;
    for (const auto dim : shape) count *= dim;
    return count;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::vector<std::string> dims;
    for (const auto dim : shape) dims.push_back(std::to_string(dim));
    return "[" + join(dims, ", ") + "]";
}

Array floatArray(std::vector<std::int64_t> shape, const std::vector<float>& values) {
    Array array{"F32", std::move(shape), {}};
    array.bytes.resize(values.size() * sizeof(float));
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
}

std::vector<float> toFloats(const Array& array) {
    if (array.type == "F32") return converted<float>(array, [](float x) { return x; });
    if (array.type == "F64") return converted<double>(array, [](double x) { return static_cast<float>(x); });
    if (array.type == "F16") return converted<std::uint16_t>(array, fromHalf);
    if (array.type == "BF16") return converted<std::uint16_t>(array, fromBrain);
    throw InputError("it holds numbers of type " + array.type + ", expected F32, F16, BF16 or F64");
}

bool isArrayExtension(std::string_view extension) {
    const auto kind = extension.substr(extension.rfind('.') + 1);
    return kind == "npy" || kind == "safetensors";
}

ArrayHeader parseArrayHeader(std::string_view extension, std::string_view front, std::uint64_t fileBytes) {
    return extension.ends_with("npy") ? npyHead(front, fileBytes) : safetensorsHead(front, fileBytes);
}

Array parseArray(std::string_view extension, std::string_view bytes) {
    auto head = parseArrayHeader(extension, bytes, bytes.size());
    const auto numbers = bytes.substr(head.begin, head.bytes);
    return {std::move(head.type), std::move(head.shape), {numbers.begin(), numbers.end()}};
}

}  // namespace dailies::trainer
