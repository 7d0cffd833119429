#include "trainer/text/prompt_embeddings.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

Array readPromptEmbeddings(const std::string& key, const std::filesystem::path& file, std::int64_t width) {
    const auto refuse = [&](const std::string& why) {
        throw InputError(key + ": " + file.string() + ": " + why + ".",
                         "Write it as the data's embeddings were written, by the same encoder.");
    };
    if (!std::filesystem::is_regular_file(file)) refuse("there is no such file");
    Array array;
    try {
        array = parseArray(file.filename().string(), readFile(file));
    } catch (const InputError& error) {
        refuse(error.what());
    }
    auto shape = array.shape;
    if (shape.size() == 3 && shape[0] == 1) shape.erase(shape.begin());
    if (shape.size() != 2 || shape[0] == 0 || shape[1] != width)
        refuse("it has the shape " + shapeText(array.shape) + ", expected [tokens, " + std::to_string(width) +
               "], the width of the data's embeddings");
    const auto values = toFloats(array);
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
        refuse("it holds a number that is not finite");
    return floatArray(shape, values);
}

}  // namespace dailies::trainer
