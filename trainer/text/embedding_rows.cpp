#include "trainer/text/embedding_rows.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

TextInput padded(const std::vector<at::Tensor>& rows, std::int64_t width) {
    std::int64_t longest = 1;
    for (const auto& row : rows) longest = std::max(longest, row.size(0));
    const auto count = static_cast<std::int64_t>(rows.size());
    auto embeddings = at::zeros({count, longest, width}, at::kFloat);
    auto mask = at::zeros({count, longest}, at::kBool);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto& row = rows[static_cast<std::size_t>(i)];
        embeddings[i].slice(0, 0, row.size(0)).copy_(row);
        mask[i].slice(0, 0, row.size(0)).fill_(true);
    }
    return {.embeddings = embeddings, .mask = mask};
}

std::optional<at::Tensor> KeptRows::find(const std::string& caption) const {
    const std::lock_guard lock(m_mutex);
    const auto kept = m_rows.find(caption);
    return kept == m_rows.end() ? std::nullopt : std::optional(kept->second);
}

void KeptRows::keep(const std::string& caption, const at::Tensor& row) {
    const std::lock_guard lock(m_mutex);
    if (m_numbers > kMaxKept) {
        m_rows.clear();
        m_numbers = 0;
    }
    if (m_rows.emplace(caption, row).second) m_numbers += row.numel();
}

}  // namespace dailies::trainer
