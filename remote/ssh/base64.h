#pragma once

#include <string>
#include <string_view>

namespace dailies::remote::ssh {

std::string encodeBase64(std::string_view bytes);  ///< with its padding
std::string decodeBase64(std::string_view text);   ///< "" for what is no base64

}  // namespace dailies::remote::ssh
