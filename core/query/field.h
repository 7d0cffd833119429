#pragma once

#include "core/query/query.h"

#include <array>
#include <string>
#include <string_view>
#include <variant>

// Inside of core/query: the names of what a run can be asked for, and the answers.
namespace dailies::query::detail {

struct AttributeName {
    Attribute attribute;
    std::string_view name;  ///< as MLflow writes it
    bool isNumber;
    std::string_view hint;
};

inline constexpr std::array kAttributes = {
    AttributeName{Attribute::Status, "status", false, "the run's state"},
    AttributeName{Attribute::RunName, "run_name", false, "the run's name"},
    AttributeName{Attribute::RunId, "run_id", false, "32 hexadecimal digits"},
    AttributeName{Attribute::StartTime, "start_time", true, "milliseconds since 1970"},
    AttributeName{Attribute::EndTime, "end_time", true, "milliseconds since 1970"},
    AttributeName{Attribute::Experiment, "experiment", false, "its experiment's name"},
    AttributeName{Attribute::UserId, "user_id", false, "who started it"},
    AttributeName{Attribute::ArtifactUri, "artifact_uri", false, "where its files are"},
};
const AttributeName& nameOf(Attribute attribute);

/// "metrics", "params", "tags", "attributes": the spelling that Dailies writes.
std::string_view nameOf(Entity entity);

/// Whether the field's values are numbers of their own kind, not texts.
bool isNumber(const Field& field);

/// Why a text names no field; `begin` and `end` are bytes of that text, and so is what `proposal` replaces.
struct FieldProblem {
    std::string what, remedy;
    std::size_t begin = 0, end = 0;
    Proposal proposal = {};
};

/// The field that a word names: "metrics.`train loss`", "status", "attr.run_id".
std::variant<Field, FieldProblem> fieldOf(std::string_view word, const Vocabulary& known = {});

/// Nothing where the run lacks it. A text is valid as long as the run.
using Value = std::variant<std::monostate, double, std::string_view>;
Value valueOf(const Field& field, const tracking::Run& run);

/// What `word` most likely meant to be among `candidates`, or "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Foreign text for a message: harmless, in quotes, and cut where it is long.
std::string inQuotes(std::string_view text);

}  // namespace dailies::query::detail
