#pragma once

#include "remote/ssh/connection.h"

#include <map>

/// Many files looked at by one command each, where SFTP would need an answer for every one of them.
namespace dailies::remote::ssh {

/// `Session::listTree`.
std::vector<FolderEntry> listTree(Connection& connection, const std::string& folder, int maxDepth,
                                  const std::stop_token& stop);

/// `Session::statAll`.
std::map<std::string, FileStat> statAll(Connection& connection, const std::string& folder,
                                        const std::vector<std::string>& names, const std::stop_token& stop);

/// `Session::readHeads`.
std::map<std::string, std::string> readHeads(Connection& connection, const std::string& folder,
                                             const std::vector<FolderEntry>& files, std::uint64_t bytes,
                                             const std::stop_token& stop);

/// The SHA-256 of those of these regular files below `folder` that can be read, by name; nothing where the
/// other side has no program that could tell.
std::map<std::string, std::string> hashAll(Connection& connection, const std::string& folder,
                                           const std::vector<std::string>& names,
                                           const std::stop_token& stop);

/// Shell lines that enter the folder, or end with status 3 where there is none.
std::string enterFolder(const std::string& folder);
/// A shell command that prints the names, each with "./" before it and NUL behind it, as `xargs -0` takes
/// them. printf is the shell's own: no limit on a command's length applies.
std::string printNames(const std::vector<std::string>& names);
/// Shell lines that print "<digits>  ./name" for each name on standard input, and what `parseHashes` makes of
/// it.
extern const std::string_view kHashNames;
std::map<std::string, std::string> parseHashes(const std::string& printed);

/// Whether a name can be a file below a folder: relative, without "." and ".." in it.
bool isSafeRelativePath(const std::string& name);

}  // namespace dailies::remote::ssh
