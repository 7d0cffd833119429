#include "core/sources/tensor_value.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <proto/tensorboard_event.pb.h>
#include <string>

namespace dailies::sources {

namespace {

enum Type {  // tensorflow/core/framework/types.proto
    kFloat = 1,
    kDouble = 2,
    kInt32 = 3,
    kUint8 = 4,
    kInt16 = 5,
    kInt8 = 6,
    kInt64 = 9,
    kBool = 10,
    kBfloat16 = 14,
    kUint16 = 17,
    kHalf = 19,
    kUint32 = 22,
    kUint64 = 23,
};

double fromHalf(std::uint16_t bits) {
    const int sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent == 31)
        return fraction ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double fromBfloat16(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

/// The element from the raw bytes, else from the typed list; nothing unless there is exactly one.
template <class Raw, class List>
std::optional<Raw> only(const std::string& content, const List& list) {
    Raw value;
    if (content.size() == sizeof value) {
        std::memcpy(&value, content.data(), sizeof value);
        return value;
    }
    if (!content.empty() || list.size() != 1) return std::nullopt;
    return static_cast<Raw>(list[0]);
}

template <class Raw>
std::optional<double> toDouble(std::optional<Raw> value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

std::optional<double> scalarOf(const tensorboard::Tensor& tensor) {
    for (const auto& dim : tensor.shape().dim())
        if (dim.size() != 1) return std::nullopt;
    const auto& raw = tensor.content();
    switch (tensor.dtype()) {
        case kFloat:
            return toDouble(only<float>(raw, tensor.float_val()));
        case kDouble:
            return only<double>(raw, tensor.double_val());
        case kInt32:
            return toDouble(only<std::int32_t>(raw, tensor.int_val()));
        case kUint8:
            return toDouble(only<std::uint8_t>(raw, tensor.int_val()));
        case kInt16:
            return toDouble(only<std::int16_t>(raw, tensor.int_val()));
        case kInt8:
            return toDouble(only<std::int8_t>(raw, tensor.int_val()));
        case kUint16:
            return toDouble(only<std::uint16_t>(raw, tensor.int_val()));
        case kInt64:
            return toDouble(only<std::int64_t>(raw, tensor.int64_val()));
        case kBool:
            return toDouble(only<std::uint8_t>(raw, tensor.bool_val()));
        case kUint32:
            return toDouble(only<std::uint32_t>(raw, tensor.uint32_val()));
        case kUint64:
            return toDouble(only<std::uint64_t>(raw, tensor.uint64_val()));
        case kHalf: {
            const auto bits = only<std::uint16_t>(raw, tensor.half_val());
            return bits ? std::optional(fromHalf(*bits)) : std::nullopt;
        }
        case kBfloat16: {
            const auto bits = only<std::uint16_t>(raw, tensor.half_val());
            return bits ? std::optional(fromBfloat16(*bits)) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

}  // namespace dailies::sources
