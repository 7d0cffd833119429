#include "trainer/text/t5/published_t5.h"

#include "core/base/error.h"

#include <torch/types.h>

namespace dailies::trainer {

pretrained::PublishedModel openT5(const std::filesystem::path& path) {
    auto model = pretrained::openPublished("text.weights", path, {"umt5", "t5"}, "T5 or UMT5 encoder");
    const auto mlp = model.weights.config.value("feed_forward_proj", Json("gated-gelu"));
    if (mlp != "gated-gelu")
        throw InputError("text.weights: the encoder of " + path.string() + " has the MLP " + mlp.dump() +
                         ", expected \"gated-gelu\", that of T5 v1.1 and UMT5.");
    return model;
}

T5Encoder readT5(const pretrained::PublishedModel& model, at::Device device) {
    const std::string words = "shared.weight", tied = "encoder.embed_tokens.weight";
    const auto& stored = model.found.stored;
    Params weights;
    for (const auto& [name, inFile] : stored) {
        if (name == tied && stored.contains(words)) continue;
        weights.add(name == tied ? words : name, model.readAsStored(name).to(device));
    }
    const auto distance = model.weights.config.value("relative_attention_max_distance", Json());
    return T5Encoder(std::move(weights),
                     distance.is_number_integer() ? distance.get<std::int64_t>() : T5Encoder::kMaxDistance);
}

}  // namespace dailies::trainer
