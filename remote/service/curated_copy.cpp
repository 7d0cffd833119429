#include "remote/service/curated_copy.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/curation/captions.h"
#include "core/curation/corrections.h"
#include "core/curation/curation_config.h"

#include <algorithm>
#include <utility>

namespace dailies::remote {

namespace {

namespace fs = std::filesystem;
using curation::CuratedOrigin;

/// In the order in which they are written: cut off after the first three, curating again makes the rest.
const std::vector<std::string> kFiles = {curation::kCurationConfigFile, curation::kCorrectionsFile,
                                         curation::kCaptionsFile, curation::kClipListFile,
                                         curation::kSummaryFile};

ssh::FileStat requireList(Cluster& cluster, const std::string& folder) {
    if (const auto list = cluster.session().stat(folder + "/" + curation::kClipListFile)) return *list;
    throw InputError(sanitizedText(folder) + " on " + sanitizedText(cluster.profile().name) +
                         " is no curated folder: it has no " + curation::kClipListFile + ".",
                     "Choose one that a curation has finished.");
}

void noteList(CuratedOrigin& origin, const ssh::FileStat& list) {
    origin.listBytes = list.size;
    origin.listModified = list.modified;
}

}  // namespace

fs::path curatedCopiesFolder(const fs::path& storeFile) {
    return storeFile.parent_path() / "datasets";
}

std::vector<CuratedCopy> curatedCopies(const fs::path& base) {
    std::vector<CuratedCopy> copies;
    std::error_code missing;
    for (auto entry = fs::recursive_directory_iterator(base, missing);
         entry != fs::recursive_directory_iterator(); entry.increment(missing)) {
        if (!entry->is_directory(missing)) continue;
        try {
            auto origin = curation::loadCuratedOrigin(entry->path());
            if (!origin) continue;
            entry.disable_recursion_pending();  // its previews may be many
            CuratedCopy copy{entry->path(), std::move(*origin), {}};
            const auto file = entry->path() / curation::kSummaryFile;
            if (fs::exists(file))
                copy.summary = curation::ClipListSummary::fromJson(parseJson(readFile(file), file.string()));
            copies.push_back(std::move(copy));
        } catch (const InputError&) {
            continue;  // damaged: copying it again makes it good
        }
    }
    std::ranges::sort(copies, {}, [](const CuratedCopy& copy) {
        return std::pair(copy.origin.cluster, copy.origin.folder);
    });
    return copies;
}

fs::path curatedCopyFolder(const fs::path& base, const std::string& cluster, const std::string& folder) {
    // without what would lead out of `base`, and the "/" at the end that a person may type
    auto there = fs::path(folder).lexically_normal();
    if (!there.has_filename()) there = there.parent_path();
    return base / cluster / there.relative_path();
}

fs::path copyCuratedFolder(Cluster& cluster, const std::string& folder, const fs::path& base,
                           const Progress& progress, std::stop_token stop) {
    const auto name = cluster.profile().name;
    const auto copy = curatedCopyFolder(base, name, folder);
    if (const auto before = curation::loadCuratedOrigin(copy); before && before->unsent)
        sendVerdicts(cluster, copy, stop);
    CuratedOrigin origin{.cluster = name, .folder = folder, .files = {}};
    noteList(origin, requireList(cluster, folder));
    auto& session = cluster.session();
    if (progress) progress("Copying the clip list of " + folder);
    fs::create_directories(copy);
    for (const auto& file : kFiles) {
        if (session.stat(folder + "/" + file))
            session.download(folder + "/" + file, copy / file, stop);
        else
            fs::remove(copy / file);
    }
    if (const auto clips = folder + "/" + curation::kClipFolder; session.stat(clips))
        for (const auto& file : session.list(clips)) origin.files.insert(file.name);
    if (const auto previews = folder + "/" + curation::kPreviewFolder; session.stat(previews)) {
        const auto tell = [&](std::uint64_t done, std::uint64_t total) {
            if (progress && total > 0)
                progress("Copying previews: " + std::to_string(100 * done / total) + " %");
        };
        session.downloadFolder(previews, copy / curation::kPreviewFolder, stop, tell);
    }
    saveCuratedOrigin(copy, origin);
    return copy;
}

void sendVerdicts(Cluster& cluster, const fs::path& copy, std::stop_token stop) {
    auto origin = curation::loadCuratedOrigin(copy);
    if (!origin) throw InputError(copy.string() + " is no copy of a folder on a cluster.");
    if (origin->cluster != cluster.profile().name)
        throw InputError("The folder is on " + sanitizedText(origin->cluster) + ".", "Connect to it.");
    const auto list = requireList(cluster, origin->folder);
    if (list.size != origin->listBytes || list.modified != origin->listModified)
        throw InputError(sanitizedText(origin->folder) + " on " + sanitizedText(origin->cluster) +
                             " has changed since it was copied, so these verdicts were not written.",
                         "They are kept in " + copy.string() +
                             ". Remove that folder, then open the one on the cluster again.");
    for (const auto& file : kFiles)
        if (fs::exists(copy / file))
            cluster.session().upload(copy / file, origin->folder + "/" + file, 0644, stop);
    noteList(*origin, requireList(cluster, origin->folder));
    origin->unsent = false;
    saveCuratedOrigin(copy, *origin);
}

}  // namespace dailies::remote
