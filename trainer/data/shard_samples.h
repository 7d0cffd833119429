#pragma once

#include "trainer/data/tar_listing.h"

#include <functional>
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

/// What lies in a bucket: the URLs that begin with this one.
using ListObjects = std::function<std::vector<std::string>(const std::string& url)>;

/// The tars that `data.shards` names, in order: "/data/{000000..000031}.tar", "{a,b}.tar", files, folders for
/// the *.tar in them, and URLs, of which "s3://bucket/folder/" stands for the *.tar in it. Throws
/// `InputError` for a pattern that makes no sense or a folder without tars; whether a named file exists is
/// not looked at.
std::vector<std::string> shardNames(const std::vector<std::string>& patterns, const ListObjects& list);

}  // namespace dailies::trainer
