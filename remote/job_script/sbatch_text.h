#pragma once

#include "core/sweep/resources.h"
#include "remote/cluster/profile.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

/// What the scripts of all kinds of jobs are put together from.
namespace dailies::remote {

inline constexpr std::string_view kLettersAndDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// One #SBATCH line; nothing for an empty value. sbatch splits these lines by rules of its own, so only plain
/// words are accepted: throws `InputError` for any other.
std::string directive(const std::string& option, const std::string& value);
std::string directive(const std::string& option, std::size_t value);

/// One #SBATCH line whose value may hold any character; nothing for an empty value. sbatch reads a quoted
/// value as a shell does within double quotes.
std::string quotedDirective(const std::string& option, const std::string& value);

/// The --chdir line. Slurm expands patterns in this folder when it names the job's output file: with \ or %
/// in it no job starts, and nothing says why, so such a folder throws `InputError`.
std::string workingFolder(const std::string& folder);

/// Partition, account and QOS: what the job asks for, else the profile's. The reservation is the job's alone.
std::string sitePlace(const sweep::Resources& wanted, const ClusterProfile& profile);

using Placeholders = std::map<std::string, std::string, std::less<>>;

/// `text` with every @NAME@ replaced, in one pass, so that a value that looks like a placeholder stays what
/// it is. Unknown names stay as they stand.
std::string fill(std::string_view text, const Placeholders& values);

std::string withoutLastLineFeed(std::string text);

}  // namespace dailies::remote
