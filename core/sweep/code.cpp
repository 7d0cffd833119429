#include "core/sweep/code.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace dailies::sweep {

namespace {

constexpr std::string_view kOnCluster = "cluster:";
constexpr std::string_view kGit = "git+";
constexpr std::string_view kSubdirectory = "#subdirectory=";
constexpr std::array<std::string_view, 5> kSchemes = {"https://", "http://", "ssh://", "git://", "file://"};

/// Where the path of an address begins: behind the host of "https://host/path" and "user@host:path". An @
/// before it belongs to the user's name.
std::size_t pathStart(std::string_view address) {
    if (const auto scheme = address.find("://"); scheme != std::string_view::npos)
        return std::min(address.find('/', scheme + 3), address.size());
    return std::min(address.find(':'), address.size());
}

bool isControl(unsigned char c) {
    return std::iscntrl(c) != 0;
}

/// "user:secret@" or, over HTTP, any name in front of the host: there it is a token.
bool holdsSecret(std::string_view address) {
    const auto scheme = address.find("://");
    if (scheme == std::string_view::npos) return false;
    const std::string_view host = address.substr(scheme + 3, pathStart(address) - scheme - 3);
    const auto at = host.find('@');
    if (at == std::string_view::npos) return false;
    return address.starts_with("http") || host.substr(0, at).find(':') != std::string_view::npos;
}

bool isAddress(std::string_view address) {
    const bool hasScheme =
        std::ranges::any_of(kSchemes, [&](std::string_view scheme) { return address.starts_with(scheme); });
    const auto at = address.find('@'), colon = address.find(':');
    const bool isOverSsh = at != std::string_view::npos && colon != std::string_view::npos && at < colon;
    return (hasScheme || isOverSsh) && pathStart(address) + 1 < address.size();
}

}  // namespace

Code codeFromText(std::string_view text) {
    if (text.starts_with(kOnCluster))
        return {Code::Place::Cluster, std::string(text.substr(kOnCluster.size()))};
    if (!text.starts_with(kGit)) return {Code::Place::Local, std::string(text)};
    text.remove_prefix(kGit.size());
    Code code{Code::Place::Git, {}};
    if (const auto folder = text.find(kSubdirectory); folder != std::string_view::npos) {
        code.folder = text.substr(folder + kSubdirectory.size());
        text = text.substr(0, folder);
    }
    if (const auto ref = text.rfind('@'); ref != std::string_view::npos && ref > pathStart(text)) {
        code.commit = text.substr(ref + 1);
        text = text.substr(0, ref);
    }
    code.repository = text;
    return code;
}

std::string textOf(const Code& code) {
    switch (code.place) {
        case Code::Place::Unknown:
            return {};
        case Code::Place::Local:
            return code.folder;
        case Code::Place::Cluster:
            return std::string(kOnCluster) + code.folder;
        case Code::Place::Git:
            return std::string(kGit) + code.repository + (code.commit.empty() ? "" : "@" + code.commit) +
                   (code.folder.empty() ? "" : std::string(kSubdirectory) + code.folder);
    }
    return {};
}

std::string repositoryProblem(const Code& code) {
    const std::string& address = code.repository;
    if (holdsSecret(address))
        return "found an address with a password or token, which would be recorded with the sweep; expected "
               "one without: let git on the cluster know it, by an SSH key or a credential helper";
    if (std::ranges::any_of(address, isControl) || !isAddress(address))
        return "found " + (address.empty() ? "nothing" : sanitizedText(address)) +
               ", expected the address of a repository, such as https://github.com/owner/name";
    if (std::ranges::any_of(code.commit, isControl) || code.commit.starts_with('-') ||
        code.commit.find_first_of(" ~^:?*[\\") != std::string::npos ||
        code.commit.find("..") != std::string::npos)
        return "found " + sanitizedText(code.commit) + ", expected a commit, a tag or a branch";
    const std::filesystem::path folder(code.folder);
    if (folder.is_absolute() || std::ranges::find(folder, "..") != folder.end())
        return "found " + sanitizedText(code.folder) + ", expected a folder below the repository's own";
    return {};
}

}  // namespace dailies::sweep
