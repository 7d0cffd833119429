#pragma once

#include "core/curation/clip_record.h"
#include "core/curation/line_parts.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dailies::curation {

inline constexpr const char* kCaptionsFile = "captions.jsonl";
inline constexpr const char* kCaptionFolder = "captions";  ///< of those that are being written (`LineParts`)

/// What came of asking for a caption.
enum class CaptionStatus : std::uint8_t {
    Written,    ///< by a model
    ByHand,     ///< or corrected
    Truncated,  ///< longer than the model might make it
    Refused,    ///< "I'm sorry, but …"
    Repeats,    ///< the same words again and again
    Empty,
    Failed  ///< the clip could not be read, or its request was not accepted
};
inline constexpr std::size_t kCaptionStatuses = 7;

const char* toText(CaptionStatus status);  ///< "written", "by hand", …

struct Caption {
    std::string text;  ///< of a failure, the reason
    CaptionStatus status = CaptionStatus::Written;
    std::string settings = {};  ///< by which it was asked for: `CaptionSettings::key`; empty by hand
    std::int64_t timeMs = 0;    ///< since 1970

    /// Whether it may stand beside its clip. By hand it may say that the clip has none.
    bool isUsable() const {
        return !text.empty() && (status == CaptionStatus::Written || status == CaptionStatus::ByHand);
    }
    bool operator==(const Caption&) const = default;
};

/// By the clips' ids.
using Captions = std::map<std::string, Caption>;

/// FOLDER/captions.jsonl and what captioning has written since: the newest of each clip, and what is by hand
/// before all. Lines that it cannot read are left out. Throws `Error`.
Captions loadCaptions(const std::filesystem::path& folder);

/// Of these what came to nothing: the clip has no caption, though one was asked for. Likewise.
Captions loadFailedCaptions(const std::filesystem::path& folder);

/// All of them into FOLDER/captions.jsonl, whole or not at all; no file where there is none. Throws `Error`.
void saveCaptions(const std::filesystem::path& folder, const Captions& captions);

/// For who trains on FOLDER/clips without the list: <id>.txt beside the file of each clip that has a caption.
/// One that is there stays where the caption is none of `captions`: it may be a person's. Throws `Error`.
void writeCaptionFiles(const std::filesystem::path& folder, const std::vector<ClipRecord>& clips,
                       const Captions& captions);

/// Keeps each caption from the moment when it is known (`LineParts`), so that several processes may caption
/// at once. Any thread.
class CaptionLog {
public:
    explicit CaptionLog(const std::filesystem::path& folder);

    void add(const std::string& clipId, const Caption& caption);  ///< throws `Error`

    Captions merge();  ///< everything into captions.jsonl, which is returned; throws `Error`
    void discard() { m_parts.discard(); }

private:
    std::filesystem::path m_folder;
    LineParts m_parts;
};

}  // namespace dailies::curation
