#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

namespace dailies::curation {

/// One file of lines that several processes add to, FOLDER/NAME.jsonl: what each has added since the file was
/// written lies in a part of its own below FOLDER/NAME, from the moment when it is known. Any thread.
class LineParts {
public:
    LineParts(const std::filesystem::path& folder, const std::string& name);

    /// The lines of the file and of all parts, in no order between them. The last of a part may be cut off,
    /// as a process leaves one that dies.
    static void read(const std::filesystem::path& folder, const std::string& name,
                     const std::function<void(const std::string& line)>& onLine);

    void add(const std::string& line);  ///< to this process's part; throws `Error`

    /// All lines as `read` sees them now, less those that a newer one replaces, are in the file: removes this
    /// process's part, and those that nobody has written to for an hour.
    void removeMerged();

    /// Removes this process's part, once another has merged all.
    void discard();

private:
    std::filesystem::path m_part;
    std::mutex m_mutex;
};

}  // namespace dailies::curation
