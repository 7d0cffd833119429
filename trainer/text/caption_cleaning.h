#pragma once

#include <string>
#include <string_view>

namespace dailies::trainer {

/// A caption as the published models' programs give it to their tokenizers (Wan-Video,
/// wan/modules/tokenizers.py): HTML's references resolved twice, because captions from the web often went
/// through two encoders; no white space at its ends, and one blank for each run of it inside, by Unicode's
/// white space as Python knows it. What they do before, ftfy's repair of broken encodings, has no twin here:
/// it leaves plain prompts as they are, but makes curly quotes straight and composes accents.
std::string cleanCaption(std::string_view text);

}  // namespace dailies::trainer
