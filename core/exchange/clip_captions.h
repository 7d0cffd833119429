#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dailies::exchange {

/// What a file beside videos says of one of them; a field that it does not have is empty.
struct ClipCaption {
    std::string prompt;
    std::string model;  ///< that made it
    std::optional<std::int64_t> step, seed;
};

/// A table of captions: CSV, or JSON lines as Hugging Face's datasets have them (metadata.jsonl). A column
/// names the video (file, file_name, filename, path, video, video_path, name), others what it shows (prompt,
/// caption, text) and how it was made (model, seed, step).
class CaptionTable {
public:
    /// Throws `InputError` when the file cannot be read or has no column that names videos.
    explicit CaptionTable(const std::filesystem::path& file);

    /// The table that lies in a folder under a usual name (prompts, captions or metadata, .csv or .jsonl);
    /// nullopt: there is none that names videos.
    static std::optional<CaptionTable> in(const std::filesystem::path& folder);

    /// By the video's path as the table spells it, relative to the table's folder or absolute, with or
    /// without its ending; else by its name alone where that is one row's. Null: the table does not name it.
    const ClipCaption* find(const std::filesystem::path& video) const;

    std::size_t size() const { return m_rows.size(); }

private:
    void readCsv();
    void readJsonLines();
    void add(const std::string& video, ClipCaption caption);

    std::filesystem::path m_file;
    std::vector<ClipCaption> m_rows;
    std::map<std::string, std::size_t> m_byPath;  ///< row by path, and by path without ending
    std::map<std::string, std::size_t> m_byName;  ///< kAmbiguous where several rows end in it
};

}  // namespace dailies::exchange
