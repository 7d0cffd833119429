#pragma once

#include "trainer/data/data_source.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// Clips that are known by their captions: "0", "1", …
class NumberedSource : public DataSource {
public:
    explicit NumberedSource(std::vector<std::int64_t> sizes) : m_sizes(std::move(sizes)) {}

    std::int64_t size() const override {
        return std::accumulate(m_sizes.begin(), m_sizes.end(), std::int64_t{0});
    }
    Example example(std::int64_t index) override {
        Example example;
        example.caption = std::to_string(index);
        return example;
    }
    std::vector<std::int64_t> bucketSizes() const override { return m_sizes; }
    std::string identity(std::int64_t index) const override { return "clip " + std::to_string(index); }
    std::vector<std::string> captions() const override { return {}; }
    ValueScale valueScale() const override { return {}; }

private:
    std::vector<std::int64_t> m_sizes;
};

}  // namespace dailies::trainer
