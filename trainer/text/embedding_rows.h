#pragma once

#include "trainer/models/model_input.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Captions' embeddings, [tokens, width] each, side by side: padded with zeros, with their mask.
TextInput padded(const std::vector<at::Tensor>& rows, std::int64_t width);

/// Embeddings by caption, up to a bound: captions stand in the data again and again, and encoding them is
/// dear. Any number of threads.
class KeptRows {
public:
    std::optional<at::Tensor> find(const std::string& caption) const;
    void keep(const std::string& caption, const at::Tensor& row);

private:
    static constexpr std::int64_t kMaxKept = 64 << 20;  ///< numbers, 256 MiB
    mutable std::mutex m_mutex;
    std::map<std::string, at::Tensor> m_rows;
    std::int64_t m_numbers = 0;
};

}  // namespace dailies::trainer
