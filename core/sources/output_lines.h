#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Lines that training programs print, and the numbers in them. Each function gives nothing for a line that is
// none of its kind; all of them take time in proportion to the line.
namespace dailies::sources {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// Without escape sequences (colours) and control characters, in UTF-8.
std::string plainText(std::string_view line);

/// A progress bar of tqdm: "Steps:  38%|███▊ | 37/96 [13:19<21:14, 21.61s/it, loss=0.08, lr=1e-4]".
struct ProgressBar {
    std::string description;  ///< "Steps"; may be empty
    std::int64_t step =
        0;  ///< 37; of a bar for each epoch counted through, and as the postfix says where it does
    NamedValues values;  ///< of its postfix
};
std::optional<ProgressBar> parseProgressBar(std::string_view line);

/// Numbers that a line names, and the step that they are of where the line says it.
struct OutputRow {
    std::optional<std::int64_t> step;
    NamedValues values;
};

/// A Python dict of plain values: "{'loss': 0.51, 'epoch': 0.1}". Numbers in quotes count as numbers.
std::optional<OutputRow> parsePythonDict(std::string_view line);

/// Pairs "key: value" or "key=value" in a line that names its step: Megatron's "iteration 10/ 100 | lm loss:
/// 1.2E+00 |", DeepSpeed's "steps: 10 loss: 0.12 iter time (s): 0.3", torchtitan's "step: 10  loss:  7.5".
std::optional<OutputRow> parsePairs(std::string_view line);

}  // namespace dailies::sources
