#pragma once

#include "core/base/json.h"
#include "core/tracking/keyed_values.h"
#include "core/tracking/metric_point.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What the readers of foreign programs' files (core/sources) hand to the store.
namespace dailies::tracking {

/// Where to go on reading one file of a program. Commits together with what was read up to there.
struct SourceCursor {
    std::int64_t offset = 0;      ///< bytes of the file that have been read
    bool stopped = false;         ///< nothing behind the offset can be read: a damaged file
    Json state = Json::object();  ///< what the reader needs beyond the offset; small
    /// Which attempt of the run writes the file, from 1: whoever follows the run says it of a new file, and
    /// of one that was begun anew. Readers leave it as it is.
    std::int64_t attempt = 1;
    bool operator==(const SourceCursor&) const = default;
};

/// A video or picture that a program wrote as a file, and told of in its tracker or named so that it tells.
struct SourceMedia {
    std::string key;  ///< "samples/video"
    /// Relative to the folder of the tracker's media (`Source::mediaFolder`); in a batch for the
    /// store relative to the run directory.
    std::string path;
    std::string caption;  ///< mostly the prompt; may be empty
    std::string type;     ///< the tracker's word for it: "video-file", "image-file"
    std::int64_t step = 0;
    std::int64_t timestampMs = 0;
    std::int64_t seed = 0;  ///< or its number among those of the same caption
    bool byName = false;    ///< all of this was read from its path; what a tracker tells of it counts more
    /// The video itself, where it lies inside the tracker's file; whoever reads that keeps it. Not in the
    /// store.
    std::string bytes = {};
    /// Of a video, as events::Clip has them: what it was made from by name, paths as `path`; and numbers a
    /// frame.
    std::map<std::string, std::string> inputs = {};
    std::map<std::string, std::vector<double>> perFrame = {};
    bool operator==(const SourceMedia&) const = default;
};

/// The program told its tracker that it ends.
struct SourceEnd {
    int exitCode = 0;
    std::int64_t timestampMs = 0;
    bool operator==(const SourceEnd&) const = default;
};

/// What one reading of a file brought. To be applied in this order: first `voidFrom`, then the rest.
struct SourceFindings {
    /// The writer was resumed and repeats its steps: points at or above this step that were read before are
    /// void. Points of this reading that a later resume in it made void are not in `metrics` any more.
    std::optional<std::int64_t> voidFrom;
    std::map<std::string, std::vector<MetricPoint>> metrics;  ///< by key, each in the order of the file
    /// The file repeats what others say: of a metric only steps of which the run has no point are taken.
    bool onlyMissing = false;
    KeyedValues<std::string> params;
    KeyedValues<std::string> tags;
    std::vector<SourceMedia> media;
    std::optional<SourceEnd> end;
    std::vector<std::string> problems;  ///< sentences for a person; each once a file

    bool isEmpty() const {
        return !voidFrom && metrics.empty() && params.empty() && tags.empty() && media.empty() && !end &&
               problems.empty();
    }
};

/// One reading of one file, for `Store::ingestSource`.
struct SourceBatch {
    std::string source;  ///< who read it: "TensorBoard"
    std::string path;    ///< of the file, relative to the run directory
    SourceCursor from;   ///< from where it was read
    SourceCursor next;
    SourceFindings findings;
};

}  // namespace dailies::tracking
