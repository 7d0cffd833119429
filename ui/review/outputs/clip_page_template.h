#pragma once

#include <string_view>

namespace dailies::ui {

/// resources/pages/clip_page.html, with {{NAMES}} of what is filled in.
extern const std::string_view kClipPageTemplate;

}  // namespace dailies::ui
