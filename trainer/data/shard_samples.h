#pragma once

#include "trainer/data/tar_listing.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// A sample of a WebDataset shard: the members of a tar that share a key and follow one another. `members`
/// have their extensions as names ("mp4", "latent.npy"), in lower case.
struct ShardSample {
    std::string key;
    std::vector<TarMember> members;

    /// The member with that extension, or null.
    const TarMember* find(std::string_view extension) const;
};

/// Key and extension of a member's name, which part at the first dot of its last component: "a.b/c.seg.png"
/// is "a.b/c" and "seg.png". Nothing for a name without an extension. The rule of Python's webdataset.
std::optional<std::pair<std::string, std::string>> keyAndExtension(const std::string& name);

/// Groups members into samples as Python's webdataset does: same keys, same members, same order. A second
/// member of one extension in one sample is left out with a problem (webdataset ends there).
std::vector<ShardSample> groupSamples(const TarListing& listing, std::vector<std::string>& problems);

/// The tars that `data.shards` names, in order: "/data/{000000..000031}.tar", "{a,b}.tar", files, and folders
/// for the
/// *.tar in them. Throws `InputError` for a pattern that makes no sense or a folder without tars; whether a
/// named file exists is not looked at.
std::vector<std::filesystem::path> shardFiles(const std::vector<std::string>& patterns);

}  // namespace dailies::trainer
