#include "core/exchange/derived_run_id.h"

#include "core/digest/sha256.h"

namespace dailies::exchange {

std::string derivedRunId(std::initializer_list<std::string_view> parts) {
    Sha256 digest;
    for (const auto part : parts) {
        digest.addNumber(part.size());  // so that {"a", "bc"} is not {"ab", "c"}
        digest.add(part);
    }
    return digest.hex(kIdDigits);
}

}  // namespace dailies::exchange
