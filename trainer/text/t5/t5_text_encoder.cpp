#include "trainer/text/t5/t5_text_encoder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "trainer/pretrained/families/t5.h"
#include "trainer/text/caption_cleaning.h"
#include "trainer/text/t5/published_t5.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizerKey = "text.tokenizer";
// a table of words has rows for pieces that the tokenizer does not know (T5: 128, UMT5: 384, mT5: 12)
constexpr std::int64_t kMostSpareRows = 512;

/// The spiece.model of a published encoder lies in its own folder, in `tokenizer` beside it (diffusers), or
/// in the original Wan's google/umt5-xxl.
std::vector<fs::path> placesBeside(const fs::path& weights) {
    const auto folder = fs::is_directory(weights) ? weights : weights.parent_path();
    std::vector<fs::path> places;
    for (const auto& inside : {folder, folder / "tokenizer", folder / "google/umt5-xxl",
                               fs::absolute(folder).lexically_normal().parent_path() / "tokenizer"})
        places.push_back(inside / "spiece.model");
    return places;
}

fs::path tokenizerFile(const config::TrainConfig::Text& config) {
    const fs::path named = config.tokenizer;
    auto places = named.empty() ? placesBeside(config.weights)
                  : fs::is_directory(named)
                      ? std::vector<fs::path>{named / "spiece.model", named / "tokenizer/spiece.model"}
                      : std::vector<fs::path>{named};
    const auto found =
        std::ranges::find_if(places, [](const auto& place) { return fs::is_regular_file(place); });
    if (found != places.end()) return *found;
    std::vector<std::string> names;
    for (const auto& place : places) names.push_back(place.string());
    throw InputError(
        std::string(kTokenizerKey) + ": there is no file " + join(names, ", nor ") + ".",
        "Name the spiece.model that was published with the encoder; a tokenizer.json is not enough.");
}

SentencePieceTokenizer openTokenizer(const config::TrainConfig::Text& config,
                                     const pretrained::PublishedModel& model) {
    const std::string key = std::string(kTokenizerKey) + ": ";
    const auto* inside = model.inFile(pretrained::kT5TokenizerTensor);
    if (config.tokenizer.empty() && inside)
        return {model.readBytes(*inside), key + "the tokenizer in " + config.weights};
    const auto file = tokenizerFile(config);
    return {readFile(file), key + file.string()};
}

/// `spiece.model` and the table of words belong together, or every word is another.
void requireSameVocabulary(const SentencePieceTokenizer& tokenizer, const pretrained::PublishedModel& model,
                           const std::string& path) {
    const auto pieces = tokenizer.pieceCount();
    const auto rows = model.found.family.sizes.value("vocabulary", std::int64_t{0});
    if (pieces <= rows && rows - pieces <= kMostSpareRows) return;
    throw InputError(std::string(kTokenizerKey) + ": the tokenizer has " + std::to_string(pieces) +
                         " pieces, but the encoder of " + path + " has a vocabulary of " +
                         std::to_string(rows) + ": it is another model's.",
                     "Name the spiece.model that was published with the encoder.");
}

Array arrayOf(const at::Tensor& row) {
    Array array{"F32", row.sizes().vec(), std::vector<std::uint8_t>(row.nbytes())};
    std::memcpy(array.bytes.data(), row.const_data_ptr(), array.bytes.size());
    return array;
}

at::Tensor tensorOf(const Array& array) {
    auto row = at::empty(array.shape, at::kFloat);
    std::memcpy(row.mutable_data_ptr(), array.bytes.data(), array.bytes.size());
    return row;
}

}  // namespace

T5TextEncoder::T5TextEncoder(const config::TrainConfig& config, at::Device device,
                             const std::filesystem::path& cacheFolder)
    : m_config(config.text),
      m_tokens(config.text.tokens),
      m_tokensKey("text.tokens"),
      m_device(device),
      m_model(openT5(m_config.weights)),
      m_tokenizer(openTokenizer(m_config, m_model)) {
    if (const auto places = config::textPlaces(config.model); places > 0) {
        m_tokens = places;
        m_tokensKey = "model.text_places";
    }
    const auto width = m_model.found.family.sizes.value("dim", std::int64_t{0});
    if (width != m_config.width)
        throw InputError("text.width: found " + std::to_string(m_config.width) + ", but the encoder of " +
                         m_config.weights + " has " + std::to_string(width) + ".");
    requireSameVocabulary(m_tokenizer, m_model, m_config.weights);
    m_identity = contentKey({"t5", m_model.identity(), m_tokenizer.identity()});
    if (!cacheFolder.empty()) m_cache = std::make_unique<ArrayCache>(cacheFolder / "text");
}

TextInput T5TextEncoder::encode(const std::vector<Caption>& captions) const {
    std::vector<at::Tensor> rows;
    for (const auto& caption : captions) rows.push_back(embedded(caption.text));
    return padded(rows, m_config.width);
}

at::Tensor T5TextEncoder::embedded(const std::string& caption) const {
    if (const auto kept = m_kept.find(caption)) return *kept;
    const auto key = m_cache ? contentKey({m_identity, std::to_string(m_tokens), caption}) : "";
    if (m_cache)
        if (const auto kept = m_cache->find(key)) {
            auto row = tensorOf(*kept);
            m_kept.keep(caption, row);
            return row;
        }
    const std::lock_guard lock(m_mutex);
    if (const auto kept = m_kept.find(caption)) return *kept;  // by the thread that had the lock
    auto row = computed(caption);
    m_kept.keep(caption, row);
    if (m_cache) m_cache->put(key, arrayOf(row));
    return row;
}

/// Alone, so that a caption's embeddings do not depend on its neighbours in a batch.
at::Tensor T5TextEncoder::computed(const std::string& caption) const {
    const at::NoGradGuard noGradients;
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    if (!m_encoder) m_encoder = std::make_unique<T5Encoder>(readT5(m_model, m_device));
    const auto pieces = m_tokenizer(cleanCaption(caption), m_tokens);
    if (pieces.uncut > m_tokens) noteCut(caption, pieces.uncut);
    const auto ids = at::tensor(pieces.ids, at::kLong).unsqueeze(0);
    return (*m_encoder)(ids).squeeze(0).to(at::kCPU).contiguous();
}

void T5TextEncoder::noteCut(const std::string& caption, std::int64_t pieces) const {
    if (std::exchange(m_toldOfCut, true)) return;
    constexpr std::size_t kShown = 60;
    m_notes.push_back("A caption of " + std::to_string(pieces) + " pieces was cut to " +
                      std::to_string(m_tokens) + " (" + m_tokensKey + "): \"" +
                      sanitizedText(caption.substr(0, kShown)) + (caption.size() > kShown ? "…" : "") +
                      "\". Others that are too long are cut without a word.");
}

void T5TextEncoder::flush() const {
    if (m_cache) m_cache->flush();
}

std::vector<std::string> T5TextEncoder::takeNotes() const {
    std::vector<std::string> notes;
    if (m_cache) notes = m_cache->takeProblems();
    const std::lock_guard lock(m_mutex);
    std::ranges::move(m_notes, std::back_inserter(notes));
    m_notes.clear();
    return notes;
}

}  // namespace dailies::trainer
