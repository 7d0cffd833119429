// Our text encoders for Python: text_tool t5 PATH IN.safetensors OUT.safetensors
//                               text_tool pieces SPIECE.model MOST IN.json OUT.json
// t5: PATH is a published encoder, IN has ids [captions, tokens] with 0 as padding, OUT rows. pieces: IN is a
// list of captions, OUT a list of {clean, ids, uncut}.
#include "core/base/files.h"
#include "core/base/json.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/text/caption_cleaning.h"
#include "trainer/text/sentencepiece_tokenizer.h"
#include "trainer/text/t5/published_t5.h"

#include <torch/types.h>

#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

int encode(char** words) {
    const at::NoGradGuard noGradients;
    Params out;
    out.add("rows", readT5(openT5(words[0]), at::kCPU)(readSafetensors(words[1])["ids"]).contiguous());
    writeSafetensors(words[2], out);
    return 0;
}

int tokenize(char** words) {
    const SentencePieceTokenizer tokenizer(readFile(words[0]), words[0]);
    auto out = Json::array();
    for (const auto& caption : parseJson(readFile(words[2]), words[2])) {
        const auto clean = cleanCaption(caption.get<std::string>());
        const auto pieces = tokenizer(clean, std::stoll(words[1]));
        out.push_back({{"clean", clean}, {"ids", pieces.ids}, {"uncut", pieces.uncut}});
    }
    writeFileAtomically(words[3], out.dump());
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        const std::string verb = count > 1 ? words[1] : "";
        if (verb == "t5" && count == 5) return encode(words + 2);
        if (verb == "pieces" && count == 6) return tokenize(words + 2);
        std::cerr << "text_tool t5|pieces …\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
