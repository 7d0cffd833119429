#pragma once

#include "core/base/json.h"
#include "trainer/pretrained/recognition.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// What weights are, how large, whether whole, and who reads them, as they lie on disk. Reads headers only.
/// The JSON is a public interface:
///   path, files, bytes, whole (bool: nothing is missing or broken), parts[]: name, files[]: file, bytes,
///   problem; family, model, names, prefix, sizes{}, tensors, parameters, bytes, dtypes{type: parameters},
///   fp8 {scales, without[]}, checked, missing[], unknown[], misshapen[], adapter{}, read_by[], notes{},
///   problems[].
/// Throws `InputError` where there are no weights.
Json inspectWeights(const std::filesystem::path& path, const OwnTensors& own);

/// The same of weights that were found already.
Json inspectWeights(const std::filesystem::path& path, const std::vector<StoredWeights>& found,
                    const OwnTensors& own);

/// The same for people.
std::string inspectionText(const Json& inspection);

}  // namespace dailies::trainer::pretrained
